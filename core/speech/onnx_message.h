// ONNX models as what they are, protobuf messages: read field by field and put together again, so that a model
// can be changed without the library that knows all of its format. Internal to this folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace loquor::speech::onnx {

// Field numbers of the messages that are looked at.
inline constexpr std::uint32_t kModelGraph = 7, kModelOpset = 8, kModelMetadata = 14;
inline constexpr std::uint32_t kGraphNode = 1, kGraphInitializer = 5, kGraphInput = 11, kGraphOutput = 12,
                               kGraphValueInfo = 13;
inline constexpr std::uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeKind = 4, kNodeAttribute = 5;
inline constexpr std::uint32_t kFloat = 1, kInt64 = 7; // element types

struct Field
{
    std::uint32_t number = 0;
    std::uint64_t value = 0; // of numbers
    std::string_view bytes;  // of texts and messages
    std::string_view whole;  // with its key
};

// Walks over the fields of a message. Bytes that are no message end the walk, and isBroken() tells; nothing
// outside the message is ever read.
class Fields
{
public:
    explicit Fields(std::string_view message) : m_rest(message) {}
    bool next(Field& field);
    bool isBroken() const { return m_isBroken; }

private:
    bool number(std::string_view& rest, std::uint64_t& value) const;
    std::string_view m_rest;
    bool m_isBroken = false;
};

// The text of the first such field; empty when there is none.
std::string_view textOf(std::string_view message, std::uint32_t number);
// False when the bytes are no message.
bool isMessage(std::string_view message);

std::string varint(std::uint64_t value);
std::string textField(std::uint32_t number, std::string_view text);
std::string numberField(std::uint32_t number, std::uint64_t value);
// A whole field of GraphProto each.
std::string node(std::string_view kind, std::initializer_list<std::string_view> inputs, std::string_view output,
                 std::string_view suffix, std::string_view attributes = {});
std::string integers(std::string_view name, const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& values);
std::string floats(std::string_view name, const std::vector<float>& values);
// An attribute of a node.
std::string integerAttribute(std::string_view name, std::int64_t value);
// {key, value} of a model's own notes.
std::string metadata(std::string_view key, std::string_view value);
// A ValueInfoProto without its shape; under another name unless that is empty.
std::string withoutShape(std::string_view valueInfo, std::string_view name);
// Of a ValueInfoProto: the type of its elements; 0 when it is none.
std::uint64_t elementType(std::string_view valueInfo);

} // namespace loquor::speech::onnx
