// Reads the safetensors format (JSON header + raw little-endian data) through a memory map.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

// One tensor inside a mapped file. `data` is valid while the file object lives; it may be unaligned.
struct TensorView
{
    DType dtype = DType::Unknown;
    Shape shape;
    std::span<const std::byte> data; // product(shape) * sizeOf(dtype) bytes
};

// Immutable after open, safe to share between threads. The map is private and read-only: a file that
// another program truncates while it is mapped makes reads fail with SIGBUS, so models are installed
// by rename, never written in place.
class SafetensorsFile
{
public:
    // Validates the header, every offset and the total length; Corrupt says which rule is broken.
    // NotFound / PermissionDenied / Unreadable: the file cannot be opened or is no regular file.
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& path);
    ~SafetensorsFile();
    SafetensorsFile(const SafetensorsFile&) = delete;
    SafetensorsFile& operator=(const SafetensorsFile&) = delete;

    const std::filesystem::path& path() const;
    const std::map<std::string, TensorView>& tensors() const;
    // NotFound names the file and the tensor.
    Result<TensorView> tensor(const std::string& name) const;
    const std::map<std::string, std::string>& metadata() const;

private:
    SafetensorsFile();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::weights
