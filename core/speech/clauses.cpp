#include "core/speech/clauses.h"

#include <algorithm>
#include <array>

#include "core/speech/language.h"
#include "core/speech/segments.h"
#include "core/speech/sentences.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr double kMinimumClauseSeconds = 0.45; // shorter ones sound chopped off

// The mark a character is heard as: 0 = none. `ascii`: only a mark before a space.
struct MarkKind
{
    char mark = 0;
    bool needsSpace = false;
};
MarkKind markOf(char32_t c)
{
    switch (c) {
    case U',': return {',', true};
    case U';': return {';', true};
    case U':': return {':', true};
    case U'.': return {'.', true};
    case U'!': return {'!', true};
    case U'?': return {'?', true};
    case 0x2014: return {',', false}; // em dash
    case 0x2013: return {',', true};  // en dash, not in "3–5"
    case 0x2026: return {'.', false}; // ellipsis
    case 0xFF0C:
    case 0x3001: return {',', false};
    case 0xFF1B: return {';', false};
    case 0xFF1A: return {':', false};
    case 0x3002: return {'.', false};
    case 0xFF01: return {'!', false};
    case 0xFF1F: return {'?', false};
    case U'(':
    case U')':
    case 0xFF08:
    case 0xFF09: return {',', false};
    default: return {};
    }
}

bool isClosing(char32_t c)
{
    return c == U'"' || c == U'\'' || c == U')' || c == U']' || c == 0x201D || c == 0x2019 || c == 0xBB ||
           c == 0x300D || c == 0x300F || c == 0xFF09;
}

bool hasWord(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (isLetterOrDigit(nextCharacter(text, i)))
            return true;
    }
    return false;
}

double secondsOf(char32_t c)
{
    if (isHan(c))
        return 0.23;
    if (c >= U'0' && c <= U'9')
        return 0.35;
    return isLetterOrDigit(c) ? 0.058 : 0.04;
}

bool isConjunction(std::string_view word)
{
    static constexpr std::array<std::string_view, 34> kWords{
        "and", "but", "or", "because", "so", "which", "that", "when", "if", "while", "as", "than", "who",
        "where", "to", "for", "with", "from", "y", "pero", "que", "porque", "cuando", "con", "para", "và",
        "nhưng", "vì", "mà", "khi", "để", "at", "dahil", "kung"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Places where a clause may end: 3 behind a mark, 2 before a conjunction, 1 at a space (or between Han).
struct Cut
{
    std::int32_t at = 0;
    double seconds = 0; // estimated, from the start of the segment
    int quality = 0;
};

class CutFinder
{
public:
    // Blanks behind blanks take time only in lines whose tags are all directions, so that those are cut as they always
    // were. [slow] and the like count.
    CutFinder(std::string_view text, std::string_view language, const ScriptLine& line, std::int32_t begin)
        : m_text(text), m_line(line), m_begin(begin), m_countsBlanks(line.spans.empty())
    {
        for (const MarkedPart& part : splitAtMarks(text, language))
            m_marks.push_back(part.end);
    }
    std::vector<Cut> run()
    {
        std::vector<Cut> cuts;
        double seconds = 0;
        char32_t previous = ' ';
        std::size_t mark = 0;
        for (std::size_t i = 0; i < m_text.size();) {
            const std::size_t at = i;
            const char32_t c = nextCharacter(m_text, i);
            const bool wordStart = isLetterOrDigit(c) && (isSpace(previous) || isHan(c) || !isLetterOrDigit(previous));
            if (wordStart && at > 0) {
                bool afterMark = false;
                while (mark < m_marks.size() && m_marks[mark] <= static_cast<std::int32_t>(at)) {
                    afterMark = true;
                    ++mark;
                }
                const bool spaced = isSpace(previous) || isHan(c);
                if (afterMark || spaced)
                    cuts.push_back({static_cast<std::int32_t>(at), seconds,
                                    afterMark ? 3 : (isConjunction(wordAt(at)) ? 2 : 1)});
            }
            if (m_countsBlanks || c != U' ' || previous != U' ')
                seconds += secondsOf(c) / rateAt(at);
            previous = c;
        }
        cuts.push_back({static_cast<std::int32_t>(m_text.size()), seconds, 4});
        return cuts;
    }

private:
    double rateAt(std::size_t at) const
    {
        return m_line.spans.empty() ? 1 : styleAt(m_line, m_begin + static_cast<std::int32_t>(at)).rate;
    }
    std::string_view wordAt(std::size_t at) const
    {
        return m_text.substr(at, m_text.find(' ', at) - at);
    }
    std::string_view m_text;
    const ScriptLine& m_line;
    const std::int32_t m_begin; // of the text in the line
    std::vector<std::int32_t> m_marks;
    const bool m_countsBlanks;
};

// Picks the ends of clauses among the cuts of one segment.
std::vector<std::int32_t> chooseEnds(const std::vector<Cut>& cuts, const ClauseLimits& limits, bool firstOfLine)
{
    std::vector<std::int32_t> ends;
    double start = 0;
    std::size_t next = 0;
    while (next < cuts.size()) {
        const double wish = ends.empty() && firstOfLine ? limits.firstSeconds : limits.otherSeconds;
        const double most = wish * limits.factor;
        const double left = cuts.back().seconds - start;
        std::size_t best = cuts.size() - 1;
        if (left > wish * 1.2) {
            // Best quality within the wish; for marks and conjunctions a little beyond it; the hard limit
            // falls back on spaces.
            const auto pick = [&](int quality, double low, double high) -> std::size_t {
                std::size_t found = cuts.size();
                for (std::size_t k = next; k < cuts.size() && cuts[k].seconds - start <= high; ++k) {
                    const double length = cuts[k].seconds - start;
                    const double rest = cuts.back().seconds - cuts[k].seconds;
                    if (cuts[k].quality >= quality && length >= low && (rest == 0 || rest >= kMinimumClauseSeconds))
                        found = k;
                }
                return found;
            };
            const auto first = [&](int quality, double low, double high) -> std::size_t {
                for (std::size_t k = next; k < cuts.size() && cuts[k].seconds - start <= high; ++k) {
                    if (cuts[k].quality >= quality && cuts[k].seconds - start >= low)
                        return k;
                }
                return cuts.size();
            };
            std::size_t found = pick(3, kMinimumClauseSeconds, wish);
            if (found == cuts.size())
                found = first(3, wish, most);
            if (found == cuts.size())
                found = pick(2, wish * 0.4, wish * 1.2);
            if (found == cuts.size())
                found = pick(1, wish * 0.4, most);
            if (found == cuts.size())
                found = first(1, 0, 1e9); // one endless word
            best = std::min(found, cuts.size() - 1);
        }
        ends.push_back(cuts[best].at);
        start = cuts[best].seconds;
        next = best + 1;
    }
    return ends;
}

// What is said for words is said at once.
bool isInsideReplaced(const ScriptLine& line, std::int32_t at)
{
    return std::any_of(line.spans.begin(), line.spans.end(), [&](const SpokenSpan& span) {
        return (span.kind == SpanKind::Alias || span.kind == SpanKind::Ipa) && span.textBegin < at && at < span.textEnd;
    });
}

} // namespace

double estimateSeconds(std::string_view text)
{
    double seconds = 0;
    for (std::size_t i = 0; i < text.size();)
        seconds += secondsOf(nextCharacter(text, i));
    return seconds;
}

std::vector<MarkedPart> splitAtMarks(std::string_view text, std::string_view language)
{
    std::vector<MarkedPart> parts;
    std::size_t begin = 0;
    const auto add = [&](std::size_t end, char mark) {
        if (hasWord(text.substr(begin, end - begin)))
            parts.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), mark});
        else if (mark && !parts.empty() && (mark == '?' || mark == '!'))
            parts.back().mark = mark; // "...?!": the last strong one is heard
    };
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t at = i;
        const MarkKind kind = markOf(nextCharacter(text, i));
        if (!kind.mark)
            continue;
        std::size_t after = i; // behind closing quotes
        while (after < text.size()) {
            std::size_t k = after;
            if (!isClosing(nextCharacter(text, k)))
                break;
            after = k;
        }
        std::size_t k = after;
        const bool atEnd = after >= text.size() || isSpace(nextCharacter(text, k));
        if (kind.needsSpace && !atEnd)
            continue;
        if (kind.mark == '.' && after < text.size() && endsInAbbreviation(text, i, language))
            continue;
        add(at, kind.mark);
        begin = i;
    }
    if (begin < text.size())
        add(text.size(), 0);
    return parts;
}

std::vector<Clause> planClauses(const ScriptLine& line, std::string_view language, const ClauseLimits& limits)
{
    std::vector<Clause> out;
    double waiting = 0; // pauses before the first clause
    const auto addPause = [&](double seconds) {
        if (out.empty())
            waiting += seconds;
        else
            out.back().pauseAfter += seconds;
    };
    const auto addSegment = [&](std::int32_t begin, std::int32_t end) {
        const auto text = std::string_view(line.spoken)
                              .substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        if (!hasWord(text))
            return;
        std::int32_t from = begin;
        std::vector<Cut> cuts = CutFinder(text, language, line, begin).run();
        std::erase_if(cuts, [&](const Cut& cut) { return isInsideReplaced(line, begin + cut.at); });
        for (const std::int32_t to : chooseEnds(cuts, limits, out.empty())) {
            Clause clause;
            clause.begin = from;
            clause.end = begin + to;
            clause.pauseBefore = waiting;
            waiting = 0;
            out.push_back(clause);
            from = clause.end;
        }
    };
    std::int32_t begin = 0;
    for (const ScriptTag& tag : line.tags) {
        if (tag.name != "pause")
            continue;
        addSegment(begin, tag.textBegin);
        addPause(tag.value);
        begin = tag.textEnd;
    }
    addSegment(begin, static_cast<std::int32_t>(line.spoken.size()));
    if (out.empty()) {
        Clause empty;
        empty.pauseBefore = waiting;
        out.push_back(empty);
    }
    out.back().endsSentence = true;
    return out;
}

} // namespace loquor::speech
