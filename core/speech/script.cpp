#include "core/speech/script.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "core/platform/atomic_file.h"
#include "core/speech/language.h"
#include "core/speech/sentences.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr std::size_t kMaxTagBytes = 64;
constexpr std::size_t kMaxLineBytes = 1200; // longer sentences are cut at a space
constexpr std::size_t kMaxIssues = 100;

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

struct TagReading
{
    ScriptTag tag;
    std::string problem;
};

// "0.5s", "500ms", "0,5" -> seconds or a plain number; nothing when it is not a number.
std::optional<double> readNumber(std::string word, bool isTime)
{
    std::replace(word.begin(), word.end(), ',', '.');
    double scale = 1;
    if (isTime && word.size() > 2 && word.ends_with("ms")) {
        scale = 0.001;
        word.resize(word.size() - 2);
    } else if (isTime && word.size() > 1 && word.ends_with('s')) {
        word.pop_back();
    }
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= 0))
        return std::nullopt;
    return value * scale;
}

std::vector<std::string> tagWords(std::string_view inside)
{
    std::vector<std::string> words(1);
    for (const char c : foldedText(inside)) {
        if (c == ' ' || c == '\t' || c == '_') {
            if (!words.back().empty())
                words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

TagReading readTag(std::string_view inside)
{
    TagReading r;
    auto words = tagWords(inside);
    std::string shown = "[";
    shown.append(inside).append("]");
    std::optional<double> value;
    const bool isPause = !words.empty() && words[0] == "pause";
    if (words.size() > 1) {
        value = readNumber(words.back(), isPause);
        if (value)
            words.pop_back();
    }
    for (const auto& w : words)
        r.tag.name += (r.tag.name.empty() ? "" : " ") + w;
    if (isPause) {
        r.tag.value = value.value_or(0.5);
        if (words.size() > 1)
            r.problem = "The pause " + shown + " has no length that can be read; write [pause 0.5s] or [pause 500ms].";
        if (r.tag.value > kMaxPauseSeconds) {
            r.tag.value = kMaxPauseSeconds;
            r.problem = "The pause " + shown + " is longer than 60 s; 60 s are used.";
        }
        return r;
    }
    const auto& known = knownDirections();
    if (std::find(known.begin(), known.end(), r.tag.name) == known.end())
        r.problem = "Unknown direction " + shown + "; it is left out.";
    r.tag.value = std::min(1.0, value.value_or(1.0));
    return r;
}

struct RawTag
{
    ScriptTag tag; // offsets in the source
    std::size_t begin = 0, end = 0;
};

// Source with all that is not spoken blanked, the directions found in it, and issues.
struct Cleaned
{
    std::string text;
    std::vector<RawTag> tags;
};

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
            const std::size_t at = i;
            const char32_t c = nextCharacter(m_source, i);
            if (c == U'[') {
                i = takeTag(at);
                previous = ' ';
            } else if (c == U'\n' || c == U'\r') {
                m_out.text[at] = c == U'\r' ? ' ' : '\n';
                previous = ' ';
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
        const std::string_view window = m_source.substr(at + 1, kMaxTagBytes);
        const std::size_t close = window.find_first_of("]\n[");
        if (close == std::string_view::npos || window[close] != ']') {
            complain(at, "This bracket opens a direction that is not closed on its line within 64 bytes; the "
                         "text after it is spoken.");
            m_out.text[at] = ' ';
            return at + 1;
        }
        const std::size_t end = at + 1 + close + 1;
        TagReading reading = readTag(window.substr(0, close));
        const bool known = reading.problem.empty() || reading.tag.name.starts_with("pause");
        if (!reading.problem.empty())
            complain(at, std::move(reading.problem));
        if (known)
            m_out.tags.push_back({std::move(reading.tag), at, end});
        blank(at, end);
        return end;
    }

    std::string_view m_source;
    std::vector<ScriptIssue>& m_issues;
    Position m_position;
    Cleaned m_out;
};

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

// Cuts sentences that are longer than kMaxLineBytes, at a space where there is one.
void splitLong(std::string_view text, std::size_t begin, std::size_t end, std::vector<std::size_t>& ends)
{
    while (end - begin > kMaxLineBytes) {
        std::size_t cut = text.rfind(' ', begin + kMaxLineBytes);
        if (cut == std::string_view::npos || cut < begin + kMaxLineBytes / 2) {
            cut = begin + kMaxLineBytes;
            while ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
                --cut;
        } else {
            ++cut;
        }
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
        for (const std::size_t end : sentences) {
            splitLong(text, begin, end, ends);
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
    // Where the first motion tag behind the last spoken character of [begin, end) starts: it belongs to
    // what follows. `end` when there is none, or when nothing is spoken before it.
    std::size_t directionsStart(std::size_t begin, std::size_t end)
    {
        const std::size_t last = m_cleaned.text.find_last_not_of(" \n", end - 1);
        if (last == std::string::npos || last < begin)
            return end;
        for (std::size_t t = m_nextTag; t < m_cleaned.tags.size() && m_cleaned.tags[t].begin < end; ++t) {
            if (m_cleaned.tags[t].begin > last && m_cleaned.tags[t].tag.name != "pause")
                return m_cleaned.tags[t].begin;
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
        m_script.lines.push_back(std::move(line));
        return true;
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
    std::size_t m_nextTag = 0;
};

} // namespace

const std::vector<std::string>& knownDirections()
{
    static const std::vector<std::string> names{
        "smile", "serious", "nod", "shake", "look left", "look right", "look up", "look down",
        "look camera", "brow up", "brow down", "blink"};
    return names;
}

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
    Cleaner cleaner(script.source, script.issues);
    Cleaned cleaned = cleaner.run();
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

Result<std::string> readScriptFile(const std::filesystem::path& file)
{
    LQ_TRY(std::string text, platform::readTextFile(file, 2 * kMaxScriptBytes + 3));
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        const bool little = text[0] == '\xFF';
        std::u16string wide;
        for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
            const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
            wide += static_cast<char16_t>(little ? a | b << 8 : b | a << 8);
        }
        std::string utf8;
        icu::UnicodeString(wide.data(), static_cast<std::int32_t>(wide.size())).toUTF8String(utf8);
        return utf8;
    }
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    return text;
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
