#include "core/speech/transcribe.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/base/json.h"
#include "core/platform/paths.h"
#include "core/speech/helper_process.h"
#include "core/speech/language.h"
#include "core/speech/utf8.h"
#include "core/speech/voice_activity.h"

namespace loquor::speech {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kRate = 16000;
constexpr double kPieceSeconds = 28;       // whisper hears half a minute at once
constexpr double kAround = 0.2;            // seconds of sound kept before and behind speech
constexpr double kLinePause = 0.7;         // a pause from here on ends a line without words
constexpr auto kTimeout = std::chrono::minutes(10); // for one piece

constexpr SpeechPack kPacks[] = {
    {"whisper-tiny-en", "English recordings to text (Whisper tiny.en)", "MIT", true, 81, 83},
    {"whisper-base", "recordings in about 90 languages to text (Whisper base)", "MIT", false, 144, 153}};

fs::path programIn(const fs::path& dataFolder)
{
    return dataFolder / "asr" / "program" / "loquor-transcribe";
}

fs::path modelOf(const SpeechPack& pack, const fs::path& dataFolder)
{
    return dataFolder / "asr" / std::string(pack.name) / "model.bin";
}

// Whisper's name of a language.
std::string whisperLanguage(const std::string& language)
{
    const std::string base = baseLanguage(normalizedLanguage(language));
    return base.empty() ? "auto" : base == "fil" ? "tl"
                               : base == "yue"   ? "zh"
                                                 : base;
}

// The helper program with its model loaded.
class Recognizer
{
public:
    static Result<Recognizer> start(const SpeechPack& pack, const fs::path& dataFolder, int threads, const CancelToken& cancel)
    {
        Recognizer out;
        LQ_CHECKED(out.m_process.start(programIn(dataFolder)));
        LQ_CHECKED(out.ask("load " + std::to_string(threads) + ' ' + modelOf(pack, dataFolder).string() + '\n', cancel));
        return out;
    }

    Result<json> hear(const float* samples, std::size_t count, const std::string& language, const CancelToken& cancel)
    {
        std::string request = "hear " + language + ' ' + std::to_string(count) + '\n';
        request.append(reinterpret_cast<const char*>(samples), count * sizeof(float));
        return ask(request, cancel);
    }

private:
    Result<json> ask(const std::string& request, const CancelToken& cancel)
    {
        auto reply = m_process.exchange(request, kTimeout, cancel);
        if (!reply && reply.error().code() == ErrorCode::ConnectionLost)
            return fail(ErrorCode::ConnectionLost, "The program that recognizes speech has ended unexpectedly.");
        LQ_TRY(const std::string line, std::move(reply));
        json answer = json::parse(line, nullptr, false);
        if (!answer.is_object() || !answer.contains("ok"))
            return fail(ErrorCode::Corrupt, "The program that recognizes speech gave an answer that makes no sense.");
        if (answer["ok"] != true)
            return fail(ErrorCode::InvalidArgument, "The speech cannot be recognized: " + answer.value("error", "no reason given") + '.');
        return answer;
    }
    HelperProcess m_process;
};

// Speech that is heard at once.
std::vector<SpeechSpan> piecesOf(const std::vector<SpeechSpan>& speech)
{
    std::vector<SpeechSpan> out;
    for (const SpeechSpan& span : speech) {
        if (!out.empty() && span.end - out.back().start <= kPieceSeconds)
            out.back().end = span.end;
        else
            out.push_back(span);
    }
    return out;
}

// Valid UTF-8 in one line: a model can end in the middle of a character.
std::string cleaned(std::string text)
{
    if (const auto bad = firstInvalidUtf8(text))
        text.resize(*bad);
    std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

void addLines(const json& answer, const SpeechSpan& piece, double offset, Transcript& out)
{
    for (const json& segment : answer.value("segments", json::array())) {
        TranscriptLine line;
        line.text = cleaned(segment.value("text", ""));
        line.start = std::clamp(offset + segment.value("start", 0.0), piece.start, piece.end);
        line.end = std::clamp(offset + segment.value("end", 0.0), line.start, piece.end);
        if (!line.text.empty())
            out.lines.push_back(std::move(line));
    }
    if (out.language.empty())
        out.language = normalizedLanguage(answer.value("language", ""));
}

Transcript linesWithoutWords(const std::vector<SpeechSpan>& speech)
{
    Transcript out;
    for (const SpeechSpan& span : speech) {
        if (!out.lines.empty() && span.start - out.lines.back().end < kLinePause)
            out.lines.back().end = span.end;
        else
            out.lines.push_back({span.start, span.end, {}});
    }
    return out;
}

Result<const SpeechPack*> chosenPack(const TranscribeOptions& options, const fs::path& dataFolder)
{
    if (options.pack.empty())
        return packFor(options.language, dataFolder);
    const SpeechPack* pack = speechPack(options.pack);
    if (!pack)
        return fail(ErrorCode::InvalidArgument, "There is no pack '" + options.pack + "'. See: loquor-cli packs list");
    if (!isInstalled(*pack, dataFolder))
        return fail(ErrorCode::NotFound, "The pack '" + options.pack + "' is not installed. Install it: loquor-cli packs install " + options.pack);
    return pack;
}

} // namespace

std::span<const SpeechPack> speechPacks()
{
    return kPacks;
}

const SpeechPack* speechPack(std::string_view name)
{
    const auto it = std::find_if(std::begin(kPacks), std::end(kPacks), [&](const SpeechPack& p) { return p.name == name; });
    return it == std::end(kPacks) ? nullptr : &*it;
}

bool isInstalled(const SpeechPack& pack, const fs::path& dataFolder)
{
    std::error_code ignored;
    return fs::is_regular_file(modelOf(pack, dataFolder), ignored) && fs::is_regular_file(programIn(dataFolder), ignored);
}

const SpeechPack* packFor(std::string_view language, const fs::path& dataFolder)
{
    const std::string base = baseLanguage(normalizedLanguage(language));
    const SpeechPack* found = nullptr;
    for (const SpeechPack& pack : kPacks) {
        if (!isInstalled(pack, dataFolder) || (pack.english && !base.empty() && base != "en"))
            continue;
        // Without a word on the language, the one that hears which it is.
        if (!found || (base.empty() && !pack.english))
            found = &pack;
    }
    return found;
}

Result<fs::path> packInstaller(const fs::path& programs)
{
    constexpr int kLevels = 4; // build/<preset>/bin lies three below the tree
    fs::path installed = programs.parent_path() / "share" / "loquor" / "setup" / "deps.py";
    std::error_code ignored;
    if (fs::is_regular_file(installed, ignored))
        return installed;
    fs::path folder = programs;
    for (int i = 0; i < kLevels; ++i, folder = folder.parent_path()) {
        fs::path script = folder / "packaging" / "setup" / "deps.py";
        if (fs::is_regular_file(script, ignored))
            return script;
    }
    return fail(ErrorCode::NotFound, "The script that installs packs is neither at " + platform::quotedPath(installed) +
                                         " nor in a source tree above " + platform::quotedPath(programs) +
                                         ". Install the program as a whole (cmake --install), or run loquor-cli from its source tree.");
}

Result<void> removePack(const SpeechPack& pack, const fs::path& dataFolder)
{
    const fs::path folder = dataFolder / "asr" / std::string(pack.name);
    std::error_code code;
    if (!fs::exists(folder, code))
        return fail(ErrorCode::InvalidArgument, "The pack '" + std::string(pack.name) + "' is not installed.");
    fs::remove_all(folder, code);
    if (code)
        return fail(errorFromErrno(code.value(), "The pack '" + std::string(pack.name) + "' cannot be removed"));
    if (std::none_of(std::begin(kPacks), std::end(kPacks), [&](const SpeechPack& p) { return isInstalled(p, dataFolder); }))
        fs::remove_all(dataFolder / "asr" / "program", code);
    return {};
}

std::string Transcript::text() const
{
    std::string out;
    for (const TranscriptLine& line : lines)
        out += line.text + (line.text.empty() ? "" : "\n");
    return out;
}

Result<Transcript> transcribe(const AudioBlock& audio, const TranscribeOptions& options, const fs::path& dataFolder,
                              const CancelToken& cancel)
{
    LQ_TRY(const SpeechPack* pack, chosenPack(options, dataFolder));
    LQ_TRY(const std::vector<SpeechSpan> speech, findSpeech(audio, dataFolder, cancel));
    if (speech.empty())
        return fail(ErrorCode::EmptyInput, "Nobody speaks in the recording.");
    if (!pack) {
        Transcript out = linesWithoutWords(speech);
        out.language = normalizedLanguage(options.language);
        const bool english = options.language.empty() || baseLanguage(normalizedLanguage(options.language)) == "en";
        out.warnings.push_back("No pack that recognizes this speech is installed: these are lines without words. To get words: "
                               "loquor-cli packs install " +
                               std::string(english ? "whisper-tiny-en" : "whisper-base"));
        return out;
    }
    Transcript out;
    out.pack = pack->name;
    if (pack->english)
        out.language = "en-us";
    LQ_TRY(Recognizer recognizer, Recognizer::start(*pack, dataFolder, options.threads, cancel));
    for (const SpeechSpan& piece : piecesOf(speech)) {
        const auto first = static_cast<std::size_t>(std::max(0.0, piece.start - kAround) * kRate);
        const auto last = std::min(audio.samples.size(), static_cast<std::size_t>((piece.end + kAround) * kRate));
        const std::string language = whisperLanguage(options.language.empty() ? out.language : options.language);
        LQ_TRY(const json answer, recognizer.hear(audio.samples.data() + first, last - first, language, cancel));
        addLines(answer, piece, static_cast<double>(first) / kRate, out);
        if (options.progress)
            options.progress(piece.end / audio.seconds());
    }
    if (out.lines.empty())
        return fail(ErrorCode::EmptyInput, "No words were recognized in the recording.");
    return out;
}

} // namespace loquor::speech
