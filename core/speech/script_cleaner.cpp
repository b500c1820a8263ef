#include "core/speech/script_cleaner.h"

#include <algorithm>
#include <array>

#include <unicode/uchar.h>

#include "core/speech/script_markup.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr std::size_t kMaxIssues = 100;

// Parts of emoji, and characters that carry no sound.
bool isUnspoken(char32_t c)
{
    const auto u = static_cast<UChar32>(c);
    if (c < 0x80)
        return c != ' ' && u_iscntrl(u);
    if (c == 0xA9 || c == 0xAE || c == 0x2122) // © ® ™ are symbols of text
        return false;
    if (u_hasBinaryProperty(u, UCHAR_EXTENDED_PICTOGRAPHIC) ||
        u_hasBinaryProperty(u, UCHAR_REGIONAL_INDICATOR) || u_hasBinaryProperty(u, UCHAR_EMOJI_MODIFIER) ||
        u_hasBinaryProperty(u, UCHAR_VARIATION_SELECTOR) || (c >= 0xE0000 && c <= 0xE007F) || c == 0x20E3)
        return true;
    switch (u_charType(u)) {
    case U_CONTROL_CHAR:
    case U_PRIVATE_USE_CHAR:
    case U_UNASSIGNED:
    case U_SURROGATE:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR: return true;
    default: return false;
    }
}

bool isJoiner(char32_t c)
{
    return u_charType(static_cast<UChar32>(c)) == U_FORMAT_CHAR;
}

class Cleaner
{
public:
    Cleaner(std::string_view source, std::vector<ScriptIssue>& issues)
        : m_source(source), m_issues(issues), m_position(source)
    {
        m_out.text.assign(source);
    }

    Cleaned run()
    {
        char32_t previous = ' ';
        for (std::size_t i = 0; i < m_source.size();) {
            if (i == m_wordsEnd)
                i = m_tagEnd; // the rest of a tag whose words were read
            if (i == m_source.size())
                break;
            const std::size_t at = i;
            const char32_t c = nextCharacter(m_source, i);
            if (c == U'[') {
                i = takeTag(at);
                previous = ' ';
            } else if (c == U'\n' || c == U'\r') {
                m_out.text[at] = c == U'\r' ? ' ' : '\n';
                previous = ' ';
                if (c == U'\n' && isLineBlank(at))
                    for (auto& open : m_open)
                        open.clear();
            } else if (isUnspoken(c) || (isJoiner(c) && !joins(previous, i))) {
                blank(at, i);
                // The base of a keycap emoji ("1" + U+20E3) goes with it.
                if (c == 0x20E3)
                    blankKeycap(at);
                previous = ' ';
            } else {
                if (c != ' ' && isSpace(c))
                    blank(at, i);
                previous = c;
            }
        }
        std::stable_sort(m_out.spans.begin(), m_out.spans.end(),
                         [](const RawSpan& a, const RawSpan& b) { return a.tagBegin < b.tagBegin; });
        return std::move(m_out);
    }

private:
    bool joins(char32_t previous, std::size_t next) const
    {
        return isLetterOrDigit(previous) && next < m_source.size() &&
               isLetterOrDigit(nextCharacter(m_source, next));
    }
    void blank(std::size_t begin, std::size_t end)
    {
        for (std::size_t k = begin; k < end; ++k) {
            if (m_out.text[k] != '\n')
                m_out.text[k] = ' ';
        }
    }
    void blankKeycap(std::size_t mark)
    {
        std::size_t k = mark;
        while (k > 0 && m_out.text[k - 1] == ' ' && m_source[k - 1] != ' ')
            --k; // the variation selector in between
        if (k > 0 && (m_source[k - 1] == '#' || m_source[k - 1] == '*' ||
                      (m_source[k - 1] >= '0' && m_source[k - 1] <= '9')))
            m_out.text[k - 1] = ' ';
    }
    void complain(std::size_t at, std::string message)
    {
        if (m_issues.size() >= kMaxIssues)
            return;
        m_position.moveTo(at);
        m_issues.push_back({m_position.line(), m_position.column(), std::move(message)});
    }
    // Handles the bracket at `at`; returns where to go on.
    std::size_t takeTag(std::size_t at)
    {
        const std::size_t length = tagLength(m_source, at);
        if (length == 0) {
            complain(at, "This bracket opens a direction that is not closed on its line within 64 bytes; the "
                         "text after it is spoken.");
            m_out.text[at] = ' ';
            return at + 1;
        }
        const std::size_t end = at + length;
        keepWhole(at, end); // no line ends inside it
        ReadTag tag = readTag(m_source.substr(at + 1, length - 2));
        if (!tag.problem.empty())
            complain(at, std::move(tag.problem));
        switch (tag.kind) {
        case TagKind::None:
        case TagKind::LeftOut: break;
        case TagKind::Direction:
        case TagKind::Pause:
            if (tag.kind == TagKind::Direction)
                m_out.starts.push_back(at);
            m_out.tags.push_back({{std::move(tag.name), tag.value, 0, 0}, at, end});
            break;
        case TagKind::Opens:
            m_out.starts.push_back(at);
            m_open[static_cast<std::size_t>(tag.span)].push_back(m_out.spans.size());
            m_out.spans.push_back({{tag.span, tag.value, {}, 0, 0}, at, end, end, true});
            break;
        case TagKind::Closes: close(tag.span, at, end); break;
        case TagKind::Says:
            m_out.starts.push_back(at);
            m_wordsEnd = at + 1 + tag.wordsEnd;
            m_tagEnd = end;
            blank(at, at + 1 + tag.wordsBegin);
            blank(m_wordsEnd, end);
            if (keepWhole(at, end) && tag.span != SpanKind::None)
                m_out.spans.push_back({{tag.span, 0, std::move(tag.text), 0, 0}, at, at + 1 + tag.wordsBegin, m_wordsEnd, false});
            return at + 1 + tag.wordsBegin;
        case TagKind::Sounds: takeSounds(std::move(tag), at, end); break;
        }
        blank(at, end);
        return end;
    }
    // [ipa "..."] before a word.
    void takeSounds(ReadTag tag, std::size_t at, std::size_t end)
    {
        const Range word = wordAfter(end);
        if (word.begin == word.end || !keepWhole(at, word.end)) {
            complain(at, "No word follows " + std::string(m_source.substr(at, end - at)) + ", so it is left out; write it "
                                                                                           "directly before the word it is for.");
            return;
        }
        m_out.starts.push_back(at);
        m_out.spans.push_back({{SpanKind::Ipa, 0, std::move(tag.text), 0, 0}, at, word.begin, word.end, false});
    }
    // The word at `at`, behind spaces and opening marks; an empty range when none is there.
    Range wordAfter(std::size_t at) const
    {
        constexpr std::u32string_view kOpening = U"\"'(\u201C\u2018\u00AB\u201E\u00BF\u00A1";
        Range word;
        bool inside = false;
        for (std::size_t i = at; i < m_source.size();) {
            const std::size_t begin = i;
            const char32_t c = nextCharacter(m_source, i);
            const bool letter = isLetterOrDigit(c);
            if (letter && (!inside || !isHan(c))) {
                word = {inside ? word.begin : begin, i};
                inside = true;
                if (isHan(c))
                    break; // one character is one word
            } else if (inside ? !isInsideWord(c) : c != U' ' && kOpening.find(c) == std::u32string_view::npos) {
                break;
            } else if (inside && isCombining(c)) {
                word.end = i;
            }
        }
        return word;
    }
    static bool isCombining(char32_t c)
    {
        const auto type = u_charType(static_cast<UChar32>(c));
        return type == U_NON_SPACING_MARK || type == U_COMBINING_SPACING_MARK;
    }
    static bool isInsideWord(char32_t c)
    {
        return c == U'\'' || c == 0x2019 || c == U'-' || isJoiner(c) || isCombining(c);
    }
    void close(SpanKind kind, std::size_t at, std::size_t end)
    {
        const std::string shown(m_source.substr(at, end - at));
        auto& open = m_open[static_cast<std::size_t>(kind)];
        if (open.empty()) {
            complain(at, shown + " ends nothing: no such tag is open in its paragraph. It is left out.");
            return;
        }
        RawSpan& span = m_out.spans[open.back()];
        open.pop_back();
        if (!keepWhole(span.tagBegin, end)) {
            complain(at, "What " + shown + " ends is longer than " + std::to_string(kMaxLineBytes) +
                             " bytes, so only its first sentence is said so. Put the tags around each sentence.");
            return;
        }
        span.end = at;
        span.isOpen = false;
    }
    // False when the range, with those it overlaps, is too long for a line.
    bool keepWhole(std::size_t begin, std::size_t end)
    {
        auto& whole = m_out.whole;
        std::size_t first = whole.size();
        while (first > 0 && whole[first - 1].end > begin)
            begin = std::min(begin, whole[--first].begin);
        if (end - begin > kMaxLineBytes)
            return false;
        whole.resize(first);
        whole.push_back({begin, end});
        return true;
    }
    // The line that the break at `at` ends holds nothing.
    bool isLineBlank(std::size_t at) const
    {
        while (at > 0 && (m_source[at - 1] == ' ' || m_source[at - 1] == '\t' || m_source[at - 1] == '\r'))
            --at;
        return at == 0 || m_source[at - 1] == '\n';
    }

    std::string_view m_source;
    std::vector<ScriptIssue>& m_issues;
    Position m_position;
    Cleaned m_out;
    std::array<std::vector<std::size_t>, 7> m_open; // by kind: spans that wait for their end tag
    std::size_t m_wordsEnd = std::string::npos, m_tagEnd = 0; // of the tag whose words are being read
};

} // namespace

Cleaned cleanScript(std::string_view source, std::vector<ScriptIssue>& issues)
{
    return Cleaner(source, issues).run();
}

} // namespace loquor::speech
