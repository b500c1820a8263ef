// First step of reading a script: what is not spoken is blanked, tags are collected. Internal to script.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/speech/script.h"

namespace loquor::speech {

// Line and column of a byte; kept while walking forward, so that many questions stay linear.
class Position
{
public:
    explicit Position(std::string_view text) : m_text(text) {}
    void moveTo(std::size_t byte)
    {
        for (; m_at < byte; ++m_at) {
            const auto c = static_cast<unsigned char>(m_text[m_at]);
            if (c == '\n') {
                ++m_line;
                m_column = 1;
            } else if ((c & 0xC0) != 0x80) {
                ++m_column;
            }
        }
    }
    int line() const { return m_line; }
    int column() const { return m_column; }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    int m_column = 1;
};

struct RawTag
{
    ScriptTag tag;
    std::size_t begin = 0, end = 0; // in the source, brackets included
};

struct RawSpan
{
    SpokenSpan span;
    std::size_t tagBegin = 0;       // of the tag that opens it
    std::size_t begin = 0, end = 0; // of the words, in the source
    bool isOpen = false;            // no end tag: it ends with its line
};

struct Range
{
    std::size_t begin = 0, end = 0;
};

// Source with all that is not spoken blanked, and what its tags say.
struct Cleaned
{
    std::string text;
    std::vector<RawTag> tags;        // directions and pauses
    std::vector<RawSpan> spans;      // by their beginnings
    std::vector<std::size_t> starts; // of tags that belong to what follows them, in order
    std::vector<Range> whole;        // never split into lines; in order, apart
};

// Valid UTF-8 in, linear time. Issues are added in order.
Cleaned cleanScript(std::string_view source, std::vector<ScriptIssue>& issues);

} // namespace loquor::speech
