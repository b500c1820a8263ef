// Types and shapes of tensors, as every file format here gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
const char* toString(DType type);            // as safetensors spells it: "F32", "BF16", "F8_E4M3", "BOOL" ...
DType dtypeFromString(std::string_view name); // Unknown when there is no such type
// Types a network can compute with after conversion: F64, F32, F16, BF16.
bool isFloatingPoint(DType type);

using Shape = std::vector<std::int64_t>;
// "[5120, 36, 1, 2, 2]"
std::string toString(const Shape& shape);
// Bytes a dense tensor takes; nothing when a dimension is negative or the product does not fit.
std::optional<std::uint64_t> denseBytes(const Shape& shape, DType type);

// What a header says about one tensor.
struct TensorInfo
{
    DType dtype = DType::Unknown;
    Shape shape;
    bool operator==(const TensorInfo&) const = default;
};
using TensorList = std::map<std::string, TensorInfo>;

} // namespace loquor::weights
