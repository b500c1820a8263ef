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

enum class DType {
    Unknown = 0,
    F64,
    F32,
    F16,
    BF16,
    F8E4M3,
    F8E5M2,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool,
};
std::size_t sizeOf(DType type);
const char* toString(DType type); // as the format spells it: "F32", "BF16", "F8_E4M3", "BOOL" ...

// One tensor inside a mapped file. `data` is valid while the file object lives; it may be unaligned.
struct TensorView
{
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> shape;
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
