#include "core/speech/timing_json.h"

#include <cmath>
#include <cstdint>
#include <sstream>

#include "core/base/json.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::speech {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr double kTolerance = 2e-6; // two units of the last written decimal
constexpr std::uint64_t kMaxFileBytes = 512U << 20;

// Six decimals, and nothing that a locale could change: nlohmann writes doubles with its own code.
double rounded(double seconds)
{
    return std::round(seconds * 1e6) / 1e6;
}
double rounded(float confidence)
{
    return std::round(static_cast<double>(confidence) * 1e4) / 1e4;
}

// Reads fields of one object and remembers the first thing that is wrong.
class Reader
{
public:
    Reader(const json& object, std::string place, std::string& problem)
        : m_object(object), m_place(std::move(place)), m_problem(problem)
    {
        if (!object.is_object())
            complain("", "is not an object");
    }
    double number(const char* name, double low, double high)
    {
        const json* v = field(name);
        if (!v)
            return low;
        if (!v->is_number()) {
            complain(name, "is not a number");
            return low;
        }
        const double x = v->get<double>();
        if (!std::isfinite(x) || x < low || x > high) {
            std::ostringstream range;
            range.imbue(std::locale::classic());
            range << "is " << x << ", outside " << low << " to " << high;
            complain(name, range.str());
        }
        return x;
    }
    std::int32_t offset(const char* name, std::int64_t high)
    {
        const json* v = field(name);
        if (!v)
            return 0;
        if (!v->is_number_integer()) {
            complain(name, "is not a whole number");
            return 0;
        }
        const bool fits = v->is_number_unsigned() ? v->get<std::uint64_t>() <= 0x7FFFFFFFU
                                                  : v->get<std::int64_t>() >= 0;
        const std::int64_t x = fits ? v->get<std::int64_t>() : -1;
        if (x < 0 || x > high)
            complain(name, "is outside the text");
        return static_cast<std::int32_t>(x);
    }
    std::string text(const char* name)
    {
        const json* v = field(name);
        if (!v)
            return {};
        if (!v->is_string()) {
            complain(name, "is not a string");
            return {};
        }
        return v->get<std::string>();
    }
    bool flag(const char* name)
    {
        const json* v = field(name);
        if (!v)
            return false;
        if (!v->is_boolean()) {
            complain(name, "is not true or false");
            return false;
        }
        return v->get<bool>();
    }
    const json* list(const char* name)
    {
        const json* v = field(name);
        if (v && !v->is_array()) {
            complain(name, "is not a list");
            return nullptr;
        }
        return v;
    }
    void complain(const char* name, const std::string& what)
    {
        if (!m_problem.empty())
            return;
        m_problem = m_place;
        if (*name) {
            if (!m_problem.empty())
                m_problem += '.';
            m_problem += name;
        }
        m_problem = (m_problem.empty() ? std::string("the file") : m_problem) + ' ' + what;
    }

private:
    const json* field(const char* name)
    {
        if (!m_object.is_object())
            return nullptr;
        const auto it = m_object.find(name);
        if (it == m_object.end()) {
            complain(name, "is missing");
            return nullptr;
        }
        return &*it;
    }

    const json& m_object;
    std::string m_place;
    std::string& m_problem;
};

TimingSource sourceFrom(const std::string& name, Reader& reader)
{
    for (const auto s : {TimingSource::None, TimingSource::Synthesis, TimingSource::Events,
                         TimingSource::Alignment, TimingSource::Audio}) {
        if (name == toString(s))
            return s;
    }
    reader.complain("source", "is '" + name + "', not synthesis, events, alignment, audio or none");
    return TimingSource::None;
}

void readWords(const json& list, TimingDocument& out, std::int64_t textSize, std::string& problem)
{
    double last = 0;
    for (std::size_t i = 0; i < list.size() && problem.empty(); ++i) {
        Reader r(list[i], "words[" + std::to_string(i) + "]", problem);
        Word w;
        w.text = r.text("text");
        w.start = r.number("start", 0, out.timing.durationSeconds + kTolerance);
        w.end = r.number("end", 0, out.timing.durationSeconds + kTolerance);
        w.textBegin = r.offset("text_begin", textSize);
        w.textEnd = r.offset("text_end", textSize);
        w.confidence = static_cast<float>(r.number("confidence", 0, 1));
        if (w.end <= w.start)
            r.complain("end", "is not after its start");
        if (w.start < last - kTolerance)
            r.complain("start", "is before the end of the word before it");
        if (w.textEnd < w.textBegin)
            r.complain("text_end", "is before text_begin");
        last = w.end;
        out.timing.words.push_back(std::move(w));
    }
}

void readPhonemes(const json& list, TimingDocument& out, std::string& problem)
{
    double last = 0;
    for (std::size_t i = 0; i < list.size() && problem.empty(); ++i) {
        Reader r(list[i], "phonemes[" + std::to_string(i) + "]", problem);
        Phoneme p;
        p.symbol = r.text("symbol");
        p.start = r.number("start", 0, out.timing.durationSeconds + kTolerance);
        p.end = r.number("end", 0, out.timing.durationSeconds + kTolerance);
        p.confidence = static_cast<float>(r.number("confidence", 0, 1));
        p.stressed = r.flag("stressed");
        if (p.end <= p.start)
            r.complain("end", "is not after its start");
        if (std::abs(p.start - last) > kTolerance)
            r.complain("start", "is not where the phoneme before it ends");
        last = p.end;
        out.timing.phonemes.push_back(std::move(p));
    }
    if (problem.empty() && !list.empty() && std::abs(last - out.timing.durationSeconds) > kTolerance)
        problem = "phonemes end before the duration";
}

void readGap(const json& root, TimingDocument& out, std::string& problem)
{
    if (!root.contains("gap"))
        return;
    Reader r(root["gap"], "gap", problem);
    DrawnGap gap;
    gap.rate = r.number("rate", 1e-3, 1e6);
    const json* values = r.list("values");
    for (std::size_t i = 0; problem.empty() && i < values->size(); ++i) {
        const json& v = (*values)[i];
        gap.values.push_back(v.is_number() ? v.get<float>() : NAN);
        if (!std::isfinite(gap.values.back()))
            problem = "gap.values[" + std::to_string(i) + "] is not a number";
    }
    out.gap = std::move(gap);
}

} // namespace

std::string writeTimingJson(const TimingDocument& document)
{
    const Timing& t = document.timing;
    ordered_json root;
    root["schema"] = "loquor-timing";
    root["version"] = kSchemaVersion;
    root["language"] = t.language;
    root["source"] = toString(t.source);
    root["duration"] = rounded(t.durationSeconds);
    root["text"] = document.text;
    root["words"] = ordered_json::array();
    for (const Word& w : t.words)
        // clang-format off
        root["words"].push_back({{"text", w.text}, {"start", rounded(w.start)}, {"end", rounded(w.end)},
                                 {"text_begin", w.textBegin}, {"text_end", w.textEnd},
                                 {"confidence", rounded(w.confidence)}});
        // clang-format on
    root["phonemes"] = ordered_json::array();
    for (const Phoneme& p : t.phonemes)
        // clang-format off
        root["phonemes"].push_back({{"symbol", p.symbol}, {"start", rounded(p.start)}, {"end", rounded(p.end)},
                                    {"confidence", rounded(p.confidence)}, {"stressed", p.stressed}});
        // clang-format on
    if (document.gap) {
        root["gap"] = {{"rate", rounded(document.gap->rate)}, {"values", ordered_json::array()}};
        for (const float v : document.gap->values)
            root["gap"]["values"].push_back(rounded(v));
    }
    // Text that is not UTF-8 cannot come from the parser; if it does, it is replaced rather than thrown.
    return root.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

Result<TimingDocument> readTimingJson(std::string_view text)
{
    json root;
    try {
        root = json::parse(text);
    } catch (const json::exception& e) {
        return fail(ErrorCode::Corrupt, std::string("This is not a timing file: it is not valid JSON (") +
                                            jsonProblem(e) + ").");
    }
    std::string problem;
    TimingDocument out;
    Reader r(root, "", problem);
    if (r.text("schema") != "loquor-timing")
        r.complain("schema", "is not 'loquor-timing'");
    const double version = r.number("version", 1, 1e6);
    if (problem.empty() && version != kSchemaVersion)
        return fail(ErrorCode::Unsupported, "The timing file has version " + std::to_string(static_cast<int>(version)) +
                                                "; this program reads version 1. Update Loquor.");
    out.timing.language = r.text("language");
    out.timing.source = sourceFrom(r.text("source"), r);
    out.timing.durationSeconds = r.number("duration", 0, 1e7);
    out.text = r.text("text");
    const std::int64_t textSize =
        out.text.empty() ? 0x7FFFFFFF : static_cast<std::int64_t>(out.text.size());
    const json* words = r.list("words");
    const json* phonemes = r.list("phonemes");
    if (problem.empty())
        readWords(*words, out, textSize, problem);
    if (problem.empty())
        readPhonemes(*phonemes, out, problem);
    if (problem.empty())
        readGap(root, out, problem);
    if (!problem.empty())
        return fail(ErrorCode::Corrupt, "The timing file breaks its schema: " + problem + '.');
    return out;
}

Result<void> writeTimingFile(const std::filesystem::path& file, const TimingDocument& document)
{
    return platform::writeFile(file, writeTimingJson(document), platform::IfExists::Replace);
}

Result<TimingDocument> readTimingFile(const std::filesystem::path& file)
{
    LQ_TRY(const std::string text, platform::readTextFile(file, kMaxFileBytes));
    auto document = readTimingJson(text);
    if (!document)
        return fail(std::move(document).error().addContext("reading " + platform::quotedPath(file)));
    return document;
}

} // namespace loquor::speech
