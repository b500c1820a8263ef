#include "core/weights/tensor_info.h"

#include <algorithm>
#include <array>

namespace loquor::weights {

namespace {

struct TypeRow
{
    DType type;
    const char* name;
    std::size_t size;
};
constexpr std::array<TypeRow, 12> kTypes = {{{DType::F64, "F64", 8},
                                             {DType::F32, "F32", 4},
                                             {DType::F16, "F16", 2},
                                             {DType::BF16, "BF16", 2},
                                             {DType::F8E4M3, "F8_E4M3", 1},
                                             {DType::F8E5M2, "F8_E5M2", 1},
                                             {DType::I64, "I64", 8},
                                             {DType::I32, "I32", 4},
                                             {DType::I16, "I16", 2},
                                             {DType::I8, "I8", 1},
                                             {DType::U8, "U8", 1},
                                             {DType::Bool, "BOOL", 1}}};

const TypeRow* rowOf(DType type)
{
    const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& r) { return r.type == type; });
    return row == kTypes.end() ? nullptr : &*row;
}

} // namespace

std::size_t sizeOf(DType type)
{
    const TypeRow* row = rowOf(type);
    return row ? row->size : 0;
}

const char* toString(DType type)
{
    const TypeRow* row = rowOf(type);
    return row ? row->name : "unknown";
}

DType dtypeFromString(std::string_view name)
{
    const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& r) { return name == r.name; });
    return row == kTypes.end() ? DType::Unknown : row->type;
}

bool isFloatingPoint(DType type)
{
    return type == DType::F64 || type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

std::string toString(const Shape& shape)
{
    std::string text = "[";
    for (const std::int64_t n : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + ']';
}

std::optional<std::uint64_t> denseBytes(const Shape& shape, DType type)
{
    std::uint64_t bytes = sizeOf(type);
    for (const std::int64_t n : shape) {
        if (n < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(n), &bytes))
            return std::nullopt;
    }
    return bytes;
}

} // namespace loquor::weights
