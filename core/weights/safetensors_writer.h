// Writes safetensors files: header first, then the data as it comes, so that a file of any size passes through
// a small buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/platform/atomic_file.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

// The file appears under its name with finish() and not before. One thread at a time.
class SafetensorsWriter
{
public:
    // The data must follow in the order of `tensors`. InvalidArgument: a name twice or empty, an impossible shape
    // or type. DiskFull when the volume has no room for all of it.
    static Result<std::unique_ptr<SafetensorsWriter>>
    create(const std::filesystem::path& path, const std::vector<std::pair<std::string, TensorInfo>>& tensors,
           const std::map<std::string, std::string>& metadata, platform::IfExists ifExists);

    // Any piece of the data; pieces need not end where tensors do. InvalidArgument when it is more than announced.
    Result<void> write(std::span<const std::byte> data);
    // InvalidArgument when data is missing.
    Result<void> finish();

private:
    explicit SafetensorsWriter(platform::AtomicFile file) : m_file(std::move(file)) {}
    platform::AtomicFile m_file;
    std::uint64_t m_left = 0; // bytes still to come
};

} // namespace loquor::weights
