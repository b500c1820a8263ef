#include "core/speech/ssml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <expat.h>

#include "core/speech/ipa.h"
#include "core/speech/language.h"
#include "core/speech/script_markup.h"
#include "core/speech/sentences.h"
#include "core/speech/ssml_values.h"
#include "core/speech/utf8.h"
#include "core/speech/voice.h"

namespace loquor::speech {

namespace {

constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxIssues = 100;

// How text is said; of a stretch between two tags of the SSML.
struct Manner
{
    double rate = 1, pitch = 0, volume = 0, emphasis = 0;
    bool operator==(const Manner&) const = default;
};

struct Run
{
    std::size_t begin = 0, end = 0; // bytes of the plain text
    Manner manner;
    SpanKind replaces = SpanKind::None;
    std::string instead;
};

struct Pause
{
    std::size_t at = 0;
    double seconds = 0;
};

// The document without markup: text with single spaces and "\n\n" behind paragraphs, and what lies over it.
struct Plain
{
    std::string text;
    std::vector<Run> runs;
    std::vector<Pause> pauses;
};

std::string number(double value)
{
    std::array<char, 32> buffer{};
    const double rounded = std::round(value * 100) / 100;
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded);
    return error == std::errc() ? std::string(buffer.data(), end) : std::string("0");
}

// What one element changes.
struct Frame
{
    std::string name;
    Manner manner;
    SpanKind replaces = SpanKind::None;
    std::string instead;      // of sub and phoneme
    bool isSpelled = false;   // say-as
    bool isSilent = false;    // <desc> and the like
    std::size_t begin = 0;    // of its text
};

class Reader
{
public:
    explicit Reader(SsmlScript& out) : m_out(out), m_parser(XML_ParserCreate("UTF-8"))
    {
        XML_SetUserData(m_parser.get(), this);
        XML_SetElementHandler(m_parser.get(), &Reader::onStart, &Reader::onEnd);
        XML_SetCharacterDataHandler(m_parser.get(), &Reader::onText);
        XML_SetStartDoctypeDeclHandler(m_parser.get(), &Reader::onDoctype);
    }

    Result<Plain> read(std::string_view text)
    {
        const auto status = XML_Parse(m_parser.get(), text.data(), static_cast<int>(text.size()), 1);
        if (m_error)
            return fail(*m_error);
        if (status != XML_STATUS_OK)
            return fail(problem(ErrorCode::Corrupt, std::string("the SSML is not well-formed: ") + XML_ErrorString(XML_GetErrorCode(m_parser.get()))));
        return std::move(m_plain);
    }

private:
    struct FreeParser
    {
        void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
    };

    static Reader& self(void* data) { return *static_cast<Reader*>(data); }
    static void onStart(void* data, const XML_Char* name, const XML_Char** attributes) { self(data).start(name, attributes); }
    static void onEnd(void* data, const XML_Char* /*name*/) { self(data).end(); }
    static void onText(void* data, const XML_Char* text, int length)
    {
        self(data).text({text, static_cast<std::size_t>(length)});
    }
    // Nothing good needs one, and entities that are made of entities grow without end.
    static void onDoctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int)
    {
        self(data).stop(ErrorCode::Unsupported, "document types (<!DOCTYPE>) are not read; remove it");
    }

    int line() const { return static_cast<int>(XML_GetCurrentLineNumber(m_parser.get())); }
    int column() const { return static_cast<int>(XML_GetCurrentColumnNumber(m_parser.get())) + 1; }
    Error problem(ErrorCode code, const std::string& what) const
    {
        return Error(code, "Line " + std::to_string(line()) + ", column " + std::to_string(column()) + ": " + what + '.');
    }
    void stop(ErrorCode code, const std::string& what)
    {
        if (!m_error)
            m_error = problem(code, what);
        XML_StopParser(m_parser.get(), XML_FALSE);
    }
    void note(std::string message)
    {
        if (m_out.issues.size() < kMaxIssues)
            m_out.issues.push_back({line(), column(), std::move(message)});
    }

    static std::string attribute(const XML_Char** attributes, std::string_view name)
    {
        for (const XML_Char** a = attributes; *a; a += 2) {
            if (name == *a)
                return a[1];
        }
        return {};
    }
    static std::string localName(std::string_view name)
    {
        return std::string(name.substr(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1));
    }

    void start(const XML_Char* rawName, const XML_Char** attributes)
    {
        if (m_error)
            return;
        Frame frame;
        frame.name = localName(rawName);
        if (m_frames.empty() && frame.name != "speak")
            return stop(ErrorCode::Corrupt, "the outermost element of SSML is <speak>, not <" + frame.name + ">");
        if (m_frames.size() >= kMaxDepth)
            return stop(ErrorCode::Corrupt, "elements are nested more than " + std::to_string(kMaxDepth) + " deep");
        if (!m_frames.empty()) {
            frame.manner = m_frames.back().manner;
            frame.isSilent = m_frames.back().isSilent;
        }
        frame.begin = m_plain.text.size();
        if (!readStructure(frame, attributes) && !readManner(frame, attributes) && !readReplacing(frame, attributes))
            note("<" + frame.name + "> is not known; its text is spoken.");
        m_frames.push_back(std::move(frame));
    }

    bool readStructure(Frame& frame, const XML_Char** attributes)
    {
        const std::string& name = frame.name;
        const std::string language = attribute(attributes, "xml:lang");
        if (name == "speak") {
            if (m_frames.empty())
                m_out.language = normalizedLanguage(language);
        } else if (name == "p" || name == "s") {
            endSentence(name == "p");
            if (!language.empty() && normalizedLanguage(language) != m_out.language)
                note("xml:lang of <" + name + "> is ignored: a script is said in one language.");
        } else if (name == "lang") {
            note("<lang> is ignored: its text is said in the language of the script.");
        } else if (name == "voice") {
            note("<voice> is ignored: the voice of a line is chosen in the project.");
        } else if (name == "mark") {
            note("<mark> is ignored.");
        } else if (name == "audio") {
            note("<audio> is not played; the text inside it is spoken.");
        } else if (name == "break") {
            readBreak(attributes);
        } else if (name == "desc" || name == "metadata" || name == "meta" || name == "lexicon" || name == "lookup") {
            frame.isSilent = name != "lookup";
        } else {
            return name == "w" || name == "token";
        }
        return true;
    }

    void readBreak(const XML_Char** attributes)
    {
        const std::string time = attribute(attributes, "time"), strength = attribute(attributes, "strength");
        std::optional<double> seconds = time.empty() ? ssmlStrength(strength) : ssmlSeconds(time);
        if (!seconds) {
            note("The break has no length that can be read ('" + (time.empty() ? strength : time) + "'); a usual one is used.");
            seconds = ssmlStrength({});
        }
        if (*seconds > kMaxPauseSeconds) {
            note("The break is longer than 60 s; 60 s are used.");
            seconds = kMaxPauseSeconds;
        }
        if (*seconds > 0 && !isSilent())
            m_plain.pauses.push_back({m_plain.text.size(), *seconds});
    }

    bool readManner(Frame& frame, const XML_Char** attributes)
    {
        if (frame.name == "emphasis") {
            const std::string level = attribute(attributes, "level");
            frame.manner.emphasis = level == "strong" ? kStrongEmphasis : level == "reduced" ? kReducedEmphasis
                                                                      : level == "none"      ? 0
                                                                                             : 1;
            if (!level.empty() && level != "strong" && level != "reduced" && level != "none" && level != "moderate")
                note("The emphasis '" + level + "' is not known; a moderate one is used.");
            return true;
        }
        if (frame.name != "prosody")
            return false;
        const auto take = [&](const char* name, std::optional<double> (*reader)(std::string_view, double), double& value, double low, double high) {
            const std::string text = attribute(attributes, name);
            if (text.empty())
                return;
            const auto wanted = reader(text, value);
            if (!wanted)
                return note(std::string("The ") + name + " '" + text + "' cannot be followed; it is left out.");
            value = std::clamp(*wanted, low, high);
            if (value != *wanted)
                note(std::string("The ") + name + " '" + text + "' is beyond what can be done well; the nearest is used.");
        };
        take("rate", &ssmlRate, frame.manner.rate, kSlowest, kFastest);
        take("pitch", &ssmlPitch, frame.manner.pitch, -kMaxPitch, kMaxPitch);
        take("volume", &ssmlVolume, frame.manner.volume, kMinVolume, kMaxVolume);
        for (const char* other : {"contour", "range", "duration"}) {
            if (!attribute(attributes, other).empty())
                note(std::string("The ") + other + " of <prosody> is ignored.");
        }
        return true;
    }

    bool readReplacing(Frame& frame, const XML_Char** attributes)
    {
        if (frame.name == "sub") {
            frame.replaces = SpanKind::Alias;
            frame.instead = attribute(attributes, "alias");
        } else if (frame.name == "phoneme") {
            const std::string alphabet = attribute(attributes, "alphabet");
            frame.replaces = SpanKind::Ipa;
            frame.instead = attribute(attributes, "ph");
            if (!alphabet.empty() && alphabet != "ipa") {
                note("The alphabet '" + alphabet + "' of <phoneme> is not read, only ipa; its text is spoken as written.");
                frame.replaces = SpanKind::None;
            } else if (const std::string why = ipaProblem(frame.instead); !why.empty()) {
                note("The sounds '" + frame.instead + "' of <phoneme>: it " + why + "; its text is spoken as written.");
                frame.replaces = SpanKind::None;
            }
        } else if (frame.name == "say-as") {
            const std::string how = attribute(attributes, "interpret-as");
            frame.isSpelled = how == "characters" || how == "spell-out" || how == "verbatim" || how == "digits";
            if (!frame.isSpelled)
                note("<say-as interpret-as=\"" + how + "\"> is read as usual text.");
        } else {
            return false;
        }
        return true;
    }

    bool isSilent() const { return !m_frames.empty() && m_frames.back().isSilent; }

    void text(std::string_view text)
    {
        if (m_error || m_frames.empty() || isSilent())
            return;
        const std::size_t begin = m_plain.text.size();
        for (std::size_t i = 0; i < text.size();) {
            const char32_t c = nextCharacter(text, i);
            if (isSpace(c))
                addSpace();
            else if (c == U'[' || c == U']')
                bracket(c);
            else
                appendCharacter(m_plain.text, c);
        }
        const Manner& manner = m_frames.back().manner;
        if (m_plain.text.size() == begin)
            return;
        if (!m_plain.runs.empty() && m_plain.runs.back().end == begin && m_plain.runs.back().manner == manner &&
            m_plain.runs.back().replaces == SpanKind::None && m_runsOfFrame == m_frames.size())
            m_plain.runs.back().end = m_plain.text.size();
        else
            m_plain.runs.push_back({begin, m_plain.text.size(), manner, SpanKind::None, {}});
        m_runsOfFrame = m_frames.size();
    }
    void addSpace()
    {
        if (!m_plain.text.empty() && m_plain.text.back() != ' ' && m_plain.text.back() != '\n')
            m_plain.text += ' ';
    }
    // They would be tags of the script.
    void bracket(char32_t c)
    {
        m_plain.text += c == U'[' ? '(' : ')';
        if (!std::exchange(m_hasToldBrackets, true))
            note("Square brackets become round ones: in a script they are tags.");
    }
    void endSentence(bool isParagraph)
    {
        while (m_plain.text.ends_with(' '))
            m_plain.text.pop_back();
        while (!m_plain.runs.empty() && m_plain.runs.back().end > m_plain.text.size())
            m_plain.runs.back().end = m_plain.text.size();
        if (m_plain.text.empty())
            return;
        if (isParagraph && !m_plain.text.ends_with("\n\n"))
            m_plain.text += m_plain.text.ends_with('\n') ? "\n" : "\n\n";
        else if (!m_plain.text.ends_with('\n'))
            m_plain.text += '\n';
    }

    void end()
    {
        if (m_error || m_frames.empty())
            return;
        const Frame frame = std::move(m_frames.back());
        m_frames.pop_back();
        m_runsOfFrame = 0;
        if (frame.name == "p" || frame.name == "s")
            endSentence(frame.name == "p");
        if (frame.replaces != SpanKind::None || frame.isSpelled)
            replace(frame);
    }
    // The text of the frame becomes one run.
    void replace(const Frame& frame)
    {
        std::size_t begin = frame.begin, end = m_plain.text.size();
        while (begin < end && (m_plain.text[begin] == ' ' || m_plain.text[begin] == '\n'))
            ++begin;
        while (end > begin && (m_plain.text[end - 1] == ' ' || m_plain.text[end - 1] == '\n'))
            --end;
        const std::string_view words = std::string_view(m_plain.text).substr(begin, end - begin);
        const std::string instead = frame.isSpelled ? ssmlSpelled(words) : frame.instead;
        const SpanKind kind = frame.isSpelled ? SpanKind::Alias : frame.replaces;
        const bool canBe = ssmlHasWord(words) && words.find_first_of("\n\"") == std::string_view::npos && words.size() <= kMaxQuotedBytes &&
                           instead.size() <= kMaxQuotedBytes && instead.find_first_of("\n\"[]") == std::string::npos &&
                           (kind == SpanKind::Ipa || ssmlHasWord(instead));
        if (!canBe)
            return note("The text of <" + frame.name + "> is empty, too long, or cannot be said otherwise; it is spoken as written.");
        while (!m_plain.runs.empty() && m_plain.runs.back().begin >= frame.begin)
            m_plain.runs.pop_back();
        m_plain.runs.push_back({begin, end, frame.manner, kind, instead});
    }

    SsmlScript& m_out;
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> m_parser;
    Plain m_plain;
    std::vector<Frame> m_frames;
    std::size_t m_runsOfFrame = 0;
    bool m_hasToldBrackets = false;
    std::optional<Error> m_error;
};

// Writes tags around each sentence of a run, because they end with it.
class Writer
{
public:
    explicit Writer(const Plain& plain) : m_plain(plain) {}

    std::string run(const std::vector<std::size_t>& sentences)
    {
        std::size_t begin = 0;
        for (const std::size_t end : sentences) {
            addSentence(begin, end);
            begin = end;
        }
        addPauses(m_plain.text.size());
        return std::move(m_text);
    }

private:
    void addSentence(std::size_t begin, std::size_t end)
    {
        std::size_t at = std::max(begin, m_written); // a replaced stretch may go beyond its sentence
        while (at < end) {
            while (m_run < m_plain.runs.size() && m_plain.runs[m_run].end <= at)
                ++m_run;
            const Run* run = m_run < m_plain.runs.size() ? &m_plain.runs[m_run] : nullptr;
            if (!run || run->begin >= end) {
                addText(at, end);
                return;
            }
            if (run->begin > at)
                addText(at, run->begin);
            const std::size_t from = std::max(at, run->begin);
            at = run->replaces == SpanKind::None ? std::min(end, run->end) : run->end; // never cut
            addRun(*run, from, at);
            m_written = at;
        }
    }
    void addRun(const Run& run, std::size_t begin, std::size_t end)
    {
        const auto isBlank = [&](std::size_t i) { return m_plain.text[i] == ' ' || m_plain.text[i] == '\n'; };
        std::size_t first = begin, last = end;
        while (first < last && isBlank(first))
            ++first;
        while (last > first && isBlank(last - 1))
            --last;
        addText(begin, first);
        if (first == last)
            return;
        std::string closing;
        const auto open = [&](const std::string& tag, const char* name) {
            addPauses(first);
            m_text += '[' + tag + ']';
            closing.insert(0, std::string("[/") + name + ']');
        };
        if (run.manner.rate != 1)
            open("rate " + number(run.manner.rate), "rate");
        if (run.manner.pitch != 0)
            open("pitch " + std::string(run.manner.pitch > 0 ? "+" : "") + number(run.manner.pitch) + "st", "pitch");
        if (run.manner.volume != 0)
            open("volume " + std::string(run.manner.volume > 0 ? "+" : "") + number(run.manner.volume) + "dB", "volume");
        if (run.manner.emphasis != 0)
            open(run.manner.emphasis > 1 ? "emphasis strong" : run.manner.emphasis < 0 ? "emphasis reduced"
                                                                                       : "emphasis",
                 "emphasis");
        if (run.replaces == SpanKind::None) {
            addText(first, last);
        } else {
            addPauses(first);
            m_text += run.replaces == SpanKind::Alias ? "[say \"" : "[ipa \"";
            m_text.append(m_plain.text, first, last - first);
            m_text += "\" as \"" + run.instead + "\"]";
        }
        m_text += closing;
        addText(last, end);
    }
    void addText(std::size_t begin, std::size_t end)
    {
        while (m_pause < m_plain.pauses.size() && m_plain.pauses[m_pause].at < end) {
            const std::size_t at = std::max(begin, m_plain.pauses[m_pause].at);
            m_text.append(m_plain.text, begin, at - begin);
            begin = at;
            addPauses(at);
        }
        m_text.append(m_plain.text, begin, end - begin);
    }
    // Those at or before a place.
    void addPauses(std::size_t at)
    {
        for (; m_pause < m_plain.pauses.size() && m_plain.pauses[m_pause].at <= at; ++m_pause)
            m_text += "[pause " + number(m_plain.pauses[m_pause].seconds) + "s]";
    }

    const Plain& m_plain;
    std::string m_text;
    std::size_t m_run = 0, m_pause = 0, m_written = 0;
};

} // namespace

bool looksLikeSsml(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    for (;;) {
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        text.remove_prefix(std::min(first, text.size()));
        const bool declaration = text.starts_with("<?xml"), comment = text.starts_with("<!--");
        if (!declaration && !comment && !text.starts_with("<!DOCTYPE"))
            break;
        const std::string_view closing = declaration ? "?>" : comment ? "-->"
                                                                      : ">";
        const std::size_t end = text.find(closing);
        if (end == std::string_view::npos)
            return false;
        text.remove_prefix(end + closing.size());
    }
    constexpr std::string_view kSpeak = "<speak";
    return text.starts_with(kSpeak) && text.size() > kSpeak.size() &&
           std::string_view(" \t\r\n>/").find(text[kSpeak.size()]) != std::string_view::npos;
}

Result<SsmlScript> scriptFromSsml(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (text.size() > kMaxScriptBytes)
        return fail(ErrorCode::InvalidArgument, "The SSML is larger than the limit of 8 MiB. Split it.");
    SsmlScript out;
    LQ_TRY(const Plain plain, Reader(out).read(text));
    if (!ssmlHasWord(plain.text))
        return fail(ErrorCode::EmptyInput, "The SSML has no words to say.");
    LQ_TRY(const auto sentences, sentenceEnds(plain.text, out.language.empty() ? guessLanguage(plain.text).language : out.language));
    out.text = Writer(plain).run(sentences);
    while (out.text.ends_with('\n') || out.text.ends_with(' '))
        out.text.pop_back();
    return out;
}

} // namespace loquor::speech
