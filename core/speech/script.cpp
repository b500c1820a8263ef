#include "core/speech/script.h"

#include <algorithm>
#include <optional>

#include "core/speech/language.h"
#include "core/speech/script_cleaner.h"
#include "core/speech/sentences.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \n") == std::string_view::npos;
}

// A single line break inside a sentence (the next line goes on with a small letter) is a space.
void joinWrappedLines(std::string& text)
{
    for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', i + 1)) {
        std::size_t next = i + 1;
        while (next < text.size() && text[next] == ' ')
            ++next;
        if (next < text.size() && text[next] != '\n' && isLowerCase(nextCharacter(text, next)))
            text[i] = ' ';
    }
}

bool hasWord(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (isLetterOrDigit(nextCharacter(text, i)))
            return true;
    }
    return false;
}

// The range that has `at` inside it; null when there is none.
const Range* rangeAround(const std::vector<Range>& ranges, std::size_t at)
{
    const auto next = std::partition_point(ranges.begin(), ranges.end(), [&](const Range& r) { return r.end <= at; });
    return next != ranges.end() && next->begin < at ? &*next : nullptr;
}

// Where [begin, end) is cut when it is longer than a line may be: at a space where there is one, and never inside
// a stretch that stays whole.
std::size_t cutOf(std::string_view text, std::size_t begin, const std::vector<Range>& whole)
{
    std::size_t cut = text.rfind(' ', begin + kMaxLineBytes);
    if (cut == std::string_view::npos || cut < begin + kMaxLineBytes / 2) {
        cut = begin + kMaxLineBytes;
        while ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
            --cut;
    } else {
        ++cut;
    }
    if (const Range* range = rangeAround(whole, cut))
        return range->begin > begin ? range->begin : range->end;
    return cut;
}

void splitLong(std::string_view text, std::size_t begin, std::size_t end, const std::vector<Range>& whole,
               std::vector<std::size_t>& ends)
{
    while (end - begin > kMaxLineBytes) {
        const std::size_t cut = cutOf(text, begin, whole);
        if (cut >= end)
            break;
        ends.push_back(cut);
        begin = cut;
    }
    ends.push_back(end);
}

class LineBuilder
{
public:
    LineBuilder(Script& script, Cleaned cleaned)
        : m_script(script), m_cleaned(std::move(cleaned)), m_position(script.source)
    {
    }

    Result<void> run()
    {
        const std::string& text = m_cleaned.text;
        LQ_TRY(const auto sentences, sentenceEnds(text, m_script.language));
        std::vector<std::size_t> ends;
        std::size_t begin = 0;
        for (const std::size_t sentence : sentences) {
            std::size_t end = sentence;
            // No border inside a stretch; one before its first word is one before the stretch.
            if (const Range* range = rangeAround(m_cleaned.whole, end)) {
                if (range->begin <= begin || !isBlank(std::string_view(text).substr(range->begin, end - range->begin)))
                    continue;
                end = range->begin;
            }
            splitLong(text, begin, end, m_cleaned.whole, ends);
            begin = end;
        }
        begin = 0;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const bool last = i + 1 == ends.size();
            // Marks without any word (a lone dash, a stray quote) go with the sentence after them.
            const std::size_t end = last ? ends[i] : directionsStart(begin, ends[i]);
            if (!addLine(begin, end))
                continue;
            begin = end;
        }
        if (!m_script.lines.empty())
            m_script.lines.back().pauseAfter = 0;
        return {};
    }

private:
    // Where the first tag behind the last spoken character of [begin, end) starts that belongs to what follows.
    // `end` when there is none, or when nothing is spoken before it.
    std::size_t directionsStart(std::size_t begin, std::size_t end)
    {
        const std::size_t last = m_cleaned.text.find_last_not_of(" \n", end - 1);
        if (last == std::string::npos || last < begin)
            return end;
        const auto& starts = m_cleaned.starts;
        for (auto at = std::upper_bound(starts.begin(), starts.end(), last); at != starts.end() && *at < end; ++at) {
            if (!rangeAround(m_cleaned.whole, *at))
                return *at;
        }
        return end;
    }

    // False when there is nothing in it: the range is then taken into the next line.
    bool addLine(std::size_t begin, std::size_t end)
    {
        const std::string& text = m_cleaned.text;
        const bool hasTag = m_nextTag < m_cleaned.tags.size() && m_cleaned.tags[m_nextTag].begin < end;
        const std::string_view spoken = std::string_view(text).substr(begin, end - begin);
        if (isBlank(spoken) && !hasTag) {
            // An opening tag goes with the words it is for.
            if (m_nextSpan < m_cleaned.spans.size() && m_cleaned.spans[m_nextSpan].tagBegin < end)
                return end == text.size();
            noteParagraph(spoken);
            return true;
        }
        ScriptLine line;
        std::size_t first = begin; // leading white space of the source is left out
        while (first < end && (m_script.source[first] == ' ' || m_script.source[first] == '\n' || m_script.source[first] == '\r'))
            ++first;
        noteParagraph(std::string_view(text).substr(begin, first - begin));
        line.text = m_script.source.substr(first, end - first);
        line.spoken = text.substr(first, end - first);
        const std::size_t tail = line.spoken.find_last_not_of(" \n");
        const std::size_t paragraph = tail == std::string::npos ? 0 : tail;
        const bool endsParagraph = std::count(line.spoken.begin() + static_cast<std::ptrdiff_t>(paragraph),
                                              line.spoken.end(), '\n') > 1;
        std::replace(line.spoken.begin(), line.spoken.end(), '\n', ' ');
        line.hasWords = hasWord(line.spoken);
        if (!line.hasWords && !hasTag)
            return end == text.size(); // a lone mark
        line.sourceBegin = static_cast<std::int64_t>(first);
        m_position.moveTo(first);
        line.number = m_position.line();
        line.pauseAfter = line.hasWords ? (endsParagraph ? kParagraphPauseSeconds : kSentencePauseSeconds) : 0;
        for (; m_nextTag < m_cleaned.tags.size() && m_cleaned.tags[m_nextTag].begin < end; ++m_nextTag) {
            ScriptTag tag = m_cleaned.tags[m_nextTag].tag;
            tag.textBegin = static_cast<std::int32_t>(m_cleaned.tags[m_nextTag].begin - first);
            tag.textEnd = static_cast<std::int32_t>(m_cleaned.tags[m_nextTag].end - first);
            line.tags.push_back(std::move(tag));
        }
        takeSpans(line, first, end);
        m_script.lines.push_back(std::move(line));
        return true;
    }

    void takeSpans(ScriptLine& line, std::size_t first, std::size_t end)
    {
        for (; m_nextSpan < m_cleaned.spans.size() && m_cleaned.spans[m_nextSpan].tagBegin < end; ++m_nextSpan) {
            const RawSpan& raw = m_cleaned.spans[m_nextSpan];
            SpokenSpan span = raw.span;
            span.textBegin = static_cast<std::int32_t>(raw.begin - first);
            span.textEnd = static_cast<std::int32_t>((raw.isOpen ? end : raw.end) - first);
            if (span.textEnd > span.textBegin)
                line.spans.push_back(std::move(span));
        }
    }

    // A blank line between two sentences.
    void noteParagraph(std::string_view gap)
    {
        if (!m_script.lines.empty() && m_script.lines.back().hasWords &&
            std::count(gap.begin(), gap.end(), '\n') > 0)
            m_script.lines.back().pauseAfter = kParagraphPauseSeconds;
    }

    Script& m_script;
    Cleaned m_cleaned;
    Position m_position;
    std::size_t m_nextTag = 0, m_nextSpan = 0;
};

} // namespace

Result<Script> parseScript(std::string_view text, std::string_view language)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (text.size() > kMaxScriptBytes)
        return fail(ErrorCode::InvalidArgument,
                    "The script is larger than the limit of 8 MiB (more than a million words). Split it.");
    if (const auto bad = firstInvalidUtf8(text)) {
        Position position(text);
        position.moveTo(*bad);
        return fail(ErrorCode::Corrupt, "The script is not UTF-8 text: line " + std::to_string(position.line()) +
                                            ", column " + std::to_string(position.column()) +
                                            " holds a byte that cannot be read. Save it as UTF-8.");
    }
    if (text.find('\0') != std::string_view::npos)
        return fail(ErrorCode::InvalidArgument, "The script holds NUL bytes; it is not a text file.");
    Script script;
    script.source = text;
    Cleaned cleaned = cleanScript(script.source, script.issues);
    if (!hasWord(cleaned.text))
        return fail(ErrorCode::EmptyInput, "The script has no words to say. Write some text.");
    script.language = normalizedLanguage(language);
    if (script.language.empty()) {
        LanguageGuess guess = guessLanguage(cleaned.text);
        script.language = std::move(guess.language);
        script.languageReason = std::move(guess.reason);
    }
    joinWrappedLines(cleaned.text);
    LineBuilder builder(script, std::move(cleaned));
    LQ_CHECKED(builder.run());
    return script;
}

std::vector<std::string> issueTexts(const std::vector<ScriptIssue>& issues)
{
    std::vector<std::string> out;
    for (const ScriptIssue& issue : issues)
        out.push_back("Line " + std::to_string(issue.line) + ", column " + std::to_string(issue.column) + ": " + issue.message);
    return out;
}

std::vector<TimedTag> timedTags(const ScriptLine& line, const Timing& timing)
{
    std::vector<TimedTag> out;
    for (const ScriptTag& tag : line.tags) {
        if (tag.name == "pause")
            continue;
        const auto next = std::find_if(timing.words.begin(), timing.words.end(),
                                       [&](const Word& w) { return w.textBegin >= tag.textEnd; });
        const double seconds = next != timing.words.end() ? next->start
                               : timing.words.empty()     ? 0.0
                                                          : timing.words.back().end;
        out.push_back({tag.name, tag.value, seconds});
    }
    return out;
}

} // namespace loquor::speech
