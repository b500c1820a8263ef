// Reads the safetensors format (JSON header + raw little-endian data) through a memory map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace loquor::weights {

enum class DType { Unknown = 0, F32, F16, BF16, I64, I32, U8 };
std::size_t sizeOf(DType type);

// One tensor inside a mapped file. `data` is valid while the file object lives; it may be unaligned.
struct TensorView
{
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> data;
};

class SafetensorsFile
{
public:
    // Validates the header, every offset and the total length; Corrupt says which rule is broken.
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& path);
    ~SafetensorsFile();
    const std::map<std::string, TensorView>& tensors() const;
    Result<TensorView> tensor(const std::string& name) const;
    const std::map<std::string, std::string>& metadata() const;

private:
    SafetensorsFile();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::weights
