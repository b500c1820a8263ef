#include "core/speech/onnx_message.h"

#include <bit>
#include <cstring>

namespace loquor::speech::onnx {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

constexpr std::uint32_t kName = 1, kType = 2, kTensorType = 1, kElementType = 1, kShape = 2;

std::string_view messageOf(std::string_view message, std::uint32_t number)
{
    Fields fields(message);
    for (Field f; fields.next(f);) {
        if (f.number == number)
            return f.bytes;
    }
    return {};
}

} // namespace

bool Fields::number(std::string_view& rest, std::uint64_t& value) const
{
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 127U) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

bool Fields::next(Field& field)
{
    if (m_rest.empty() || m_isBroken)
        return false;
    const std::string_view start = m_rest;
    std::uint64_t key = 0;
    std::size_t skip = 0;
    field = {};
    m_isBroken = true;
    if (!number(m_rest, key) || key >> 3 == 0 || key >> 3 > 0x1FFFFFFF)
        return false;
    field.number = static_cast<std::uint32_t>(key >> 3);
    switch (key & 7) {
    case 0:
        if (!number(m_rest, field.value))
            return false;
        break;
    case 1: skip = 8; break;
    case 5: skip = 4; break;
    case 2: {
        std::uint64_t size = 0;
        if (!number(m_rest, size) || size > m_rest.size())
            return false;
        field.bytes = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        break;
    }
    default: return false;
    }
    if (skip > m_rest.size())
        return false;
    m_rest.remove_prefix(skip);
    field.whole = start.substr(0, start.size() - m_rest.size());
    m_isBroken = false;
    return true;
}

std::string_view textOf(std::string_view message, std::uint32_t number)
{
    return messageOf(message, number);
}

bool isMessage(std::string_view message)
{
    Fields fields(message);
    for (Field f; fields.next(f);) {
    }
    return !fields.isBroken();
}

std::string varint(std::uint64_t value)
{
    std::string out;
    for (; value > 127; value >>= 7)
        out += static_cast<char>((value & 127) | 128);
    return out += static_cast<char>(value);
}

std::string textField(std::uint32_t number, std::string_view text)
{
    std::string out = varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(text.size());
    return out.append(text);
}

std::string numberField(std::uint32_t number, std::uint64_t value)
{
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

std::string node(std::string_view kind, std::initializer_list<std::string_view> inputs, std::string_view output,
                 std::string_view suffix, std::string_view attributes)
{
    std::string body;
    for (const std::string_view input : inputs)
        body += textField(kNodeInput, input);
    body += textField(kNodeOutput, output);
    body += textField(3, "/loquor/" + std::string(kind) + std::string(suffix)) + textField(kNodeKind, kind);
    body += attributes;
    return textField(kGraphNode, body);
}

std::string integers(std::string_view name, const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& values)
{
    std::string body, packed;
    for (const std::int64_t d : dims)
        body += numberField(1, static_cast<std::uint64_t>(d));
    for (const std::int64_t v : values)
        packed += varint(static_cast<std::uint64_t>(v));
    return textField(kGraphInitializer, body + numberField(2, kInt64) + textField(7, packed) + textField(8, name));
}

std::string floats(std::string_view name, const std::vector<float>& values)
{
    std::string raw(values.size() * sizeof(float), '\0');
    if (!values.empty())
        std::memcpy(raw.data(), values.data(), raw.size());
    const std::string body = numberField(1, values.size()) + numberField(2, kFloat) + textField(8, name);
    return textField(kGraphInitializer, body + textField(9, raw));
}

std::string integerAttribute(std::string_view name, std::int64_t value)
{
    return textField(kNodeAttribute, textField(1, name) + numberField(3, static_cast<std::uint64_t>(value)) + numberField(20, 2));
}

std::string metadata(std::string_view key, std::string_view value)
{
    return textField(kModelMetadata, textField(1, key) + textField(2, value));
}

std::string withoutShape(std::string_view valueInfo, std::string_view name)
{
    std::string out;
    Fields parts(valueInfo);
    for (Field part; parts.next(part);) {
        if (part.number == kName && !name.empty()) {
            out += textField(kName, name);
        } else if (part.number == kType) {
            std::string kinds;
            Fields types(part.bytes);
            for (Field type; types.next(type);) {
                std::string tensor;
                Fields entries(type.bytes);
                for (Field entry; entries.next(entry);) {
                    if (entry.number != kShape)
                        tensor += entry.whole;
                }
                kinds += textField(type.number, tensor);
            }
            out += textField(kType, kinds);
        } else {
            out += part.whole;
        }
    }
    return out;
}

std::uint64_t elementType(std::string_view valueInfo)
{
    Fields fields(messageOf(messageOf(valueInfo, kType), kTensorType));
    for (Field f; fields.next(f);) {
        if (f.number == kElementType)
            return f.value;
    }
    return 0;
}

} // namespace loquor::speech::onnx
