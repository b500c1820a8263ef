#include "core/speech/voice_import.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/speech/language.h"
#include "core/speech/loudness.h"
#include "core/speech/piper_graph.h"
#include "core/speech/piper_voice.h"

namespace loquor::speech {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestModel = 1ULL << 30;
constexpr std::uint64_t kLargestConfig = 16ULL << 20;
constexpr const char* kStaging = ".import-";

// What a voice says to have its loudness measured: sentences where we have some, else digits, which espeak-ng reads in
// every language and which are as much quieter.
struct Trial
{
    std::string_view language; // without region
    std::string_view text;
    double louderDb = 0; // sentences of the language than this text
};
constexpr Trial kTrials[] = {
    {"en", "The birch canoe slid on the smooth planks, and glue the sheet to the dark blue background. It is easy to tell the "
           "depth of a well. These days a chicken leg is a rare dish, but rice is often served in round bowls."},
    {"es", "Buenos días a todos, hoy vamos a hablar de la historia de nuestra ciudad y de las personas que viven en ella. El "
           "tiempo es bueno, y todos salen a pasear."},
    {"de", "Guten Tag, heute sprechen wir über die Geschichte unserer Stadt und über die Menschen, die hier leben. Das Wetter ist "
           "schön, und alle gehen spazieren."},
    {"fr", "Bonjour à tous, aujourd'hui nous allons parler de l'histoire de notre ville et des gens qui y vivent. Il fait beau, et "
           "tout le monde se promène."},
    {"vi", "Xin chào các bạn, hôm nay chúng ta sẽ nói về lịch sử của thành phố. Trời hôm nay rất đẹp, và mọi người đều đi chơi."},
    {"zh", "大家好，今天我们要谈谈这座城市的历史。天气非常好，所有的人都出去散步。谢谢你们的收听，我们明天再见。"},
    {"ru", "Добрый день, сегодня мы поговорим об истории нашего города и о людях, которые здесь живут. Погода прекрасная, и "
           "все вышли на прогулку."},
    {"", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20.", 1.5}};

const Trial& trialFor(std::string_view language)
{
    return *std::find_if(std::begin(kTrials), std::end(kTrials), [&](const Trial& t) {
        return t.language.empty() || t.language == language;
    });
}

// A folder that is gone with this object unless it got its final name.
class StagingFolder
{
public:
    static Result<StagingFolder> create(const fs::path& voices)
    {
        removeAbandoned(voices);
        std::string path = (voices / (std::string(kStaging) + "XXXXXX")).string();
        if (!mkdtemp(path.data()))
            return fail(errorFromErrno(errno, "A voice cannot be stored in " + platform::quotedPath(voices)));
        return StagingFolder(path);
    }
    ~StagingFolder() { discard(); }
    StagingFolder(StagingFolder&& other) noexcept : m_path(std::move(other.m_path)) { other.m_path.clear(); }
    StagingFolder& operator=(StagingFolder&&) = delete;

    const fs::path& path() const { return m_path; }
    // With `replace` what had the name before goes with this object.
    Result<void> become(const fs::path& target, bool replace)
    {
        if (replace && renameat2(AT_FDCWD, m_path.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
            return {};
        if (renameat2(AT_FDCWD, m_path.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0) {
            if (errno == EEXIST || errno == ENOTEMPTY)
                return fail(ErrorCode::AlreadyExists, "The voice '" + target.filename().string() + "' is there already.");
            return fail(errorFromErrno(errno, "The voice cannot be stored as " + platform::quotedPath(target)));
        }
        m_path.clear();
        return {};
    }

private:
    explicit StagingFolder(fs::path path) : m_path(std::move(path)) {}
    void discard()
    {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
    }
    // What a killed import left behind.
    static void removeAbandoned(const fs::path& voices)
    {
        std::error_code code;
        const auto now = fs::file_time_type::clock::now();
        for (fs::directory_iterator it(voices, code), end; !code && it != end; it.increment(code)) {
            std::error_code ignored;
            const auto changed = fs::last_write_time(it->path(), ignored);
            if (!ignored && it->path().filename().string().starts_with(kStaging) && now - changed > std::chrono::hours(24))
                fs::remove_all(it->path(), ignored);
        }
    }
    fs::path m_path;
};

Result<fs::path> configOf(const VoiceImport& request)
{
    if (!request.config.empty())
        return request.config;
    std::error_code ignored;
    fs::path beside = request.model;
    beside += ".json";
    if (fs::exists(beside, ignored))
        return beside;
    fs::path other = request.model;
    other.replace_extension(".json");
    if (other != request.model && fs::exists(other, ignored))
        return other;
    return fail(ErrorCode::NotFound, "The configuration of the voice is missing: " + platform::quotedPath(beside) +
                                         ". It belongs to every Piper voice; put it beside the model, or name it.");
}

// Letters that are safe in file names, command lines and before a speaker's colon.
std::string idOf(const VoiceImport& request)
{
    std::string out;
    std::string stem = request.id.empty() ? request.model.stem().string() : request.id;
    if (request.id.empty() && stem.ends_with(".onnx"))
        stem.resize(stem.size() - 5);
    for (const char c : stem)
        out += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ? c : '_';
    while (out.starts_with('.') || out.starts_with('-'))
        out.erase(0, 1);
    return out.substr(0, 80);
}

// "License: CC0" of a model card.
std::string licenceOf(const std::string& card)
{
    for (const char* word : {"License:", "Licence:", "license:", "licence:"}) {
        const auto at = card.find(word);
        if (at == std::string::npos)
            continue;
        const auto begin = card.find_first_not_of(" \t*", at + std::string_view(word).size());
        const auto end = card.find_first_of("\r\n", at);
        if (begin < end)
            return "recordings " + card.substr(begin, std::min<std::size_t>(end == std::string::npos ? end : end - begin, 200)) +
                   ": read MODEL_CARD";
    }
    return {};
}

nlohmann::ordered_json describe(const PiperConfig& config, const PiperGraph& graph, const std::string& id, std::string name,
                                const std::string& licence)
{
    if (name.empty())
        name = config.name;
    if (name.empty())
        name = id;
    else
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    nlohmann::ordered_json j{{"format", 1},
                             {"engine", "piper"},
                             {"id", id},
                             {"name", name},
                             {"language", config.language},
                             {"espeak_voice", config.espeakVoice},
                             {"sample_rate", config.sampleRate},
                             {"noise_scale", config.noiseScale},
                             {"length_scale", config.lengthScale},
                             {"gain_db", 0.0},
                             {"lead_seconds", 0.05},
                             {"licence", licence.empty() ? "unknown: ask where the voice comes from" : licence},
                             {"exact_timing", graph.givesDurations},
                             {"repeatable", graph.isRepeatable},
                             {"model_sha256", platform::sha256(graph.model)}};
    if (!config.speakers.empty())
        j["speakers"] = config.speakers;
    return j;
}

Result<void> writeVoice(const fs::path& folder, const PiperConfig& config, const PiperGraph& graph, const nlohmann::ordered_json& j)
{
    LQ_CHECKED(platform::writeFile(folder / "model.onnx", graph.model));
    LQ_CHECKED(platform::writeFile(folder / "tokens.txt", config.tokens));
    return platform::writeFile(folder / "voice.json", j.dump(1) + "\n");
}

// Says something with the voice as it is and gives the gain that brings it to the loudness of all others.
Result<double> trialGain(const fs::path& folder, const std::shared_ptr<PhonemeClient>& phonemes, const CancelToken& cancel)
{
    LQ_TRY(const VoiceDescription description, readPiperDescription(folder / "voice.json"));
    LQ_TRY(const auto voice, openVoice(description, phonemes, cancel));
    const Trial& trial = trialFor(baseLanguage(description.language));
    LQ_TRY(const SpokenSound said, voice->synthesize({std::string(trial.text), 0, true}, {}, cancel));
    const double target = kTargetLufs - trial.louderDb;
    const auto before = measureLoudness(said.audio);
    if (!before || before->lufs < -60 || said.audio.seconds() < 1)
        return fail(ErrorCode::Unsupported, "the voice gives no sound that could be heard");
    double gain = target - before->lufs;
    // The limiter takes a little of it back.
    for (int i = 0; i < 3; ++i) {
        AudioBlock limited = said.audio;
        applyGainLimited(limited, gain);
        const auto now = measureLoudness(limited);
        gain += now ? target - now->lufs : 0;
    }
    return std::clamp(gain, -20.0, 30.0);
}

Result<void> refuseKnown(const fs::path& voices, const std::string& id, bool replace, const std::string& modelHash)
{
    std::error_code ignored;
    if (!replace && fs::exists(voices / id, ignored))
        return fail(ErrorCode::AlreadyExists, "There is a voice '" + id + "' already.");
    for (const VoiceDescription& v : listVoices(voices.parent_path())) {
        if (v.id != id && v.fingerprint.starts_with(modelHash + ' '))
            return fail(ErrorCode::InvalidArgument, "This voice is there already, as '" + v.id + "'.");
    }
    return {};
}

} // namespace

Result<ImportedVoice> importVoice(const VoiceImport& request, const fs::path& dataFolder,
                                  const std::shared_ptr<PhonemeClient>& phonemes, const CancelToken& cancel)
{
    const std::string modelName = platform::quotedPath(request.model);
    LQ_TRY(const std::vector<std::uint8_t> bytes, platform::readFile(request.model, kLargestModel));
    LQ_TRY(const fs::path configFile, configOf(request));
    LQ_TRY(const std::string json, platform::readTextFile(configFile, kLargestConfig));
    auto config = readPiperConfig(json);
    if (!config)
        return fail(config.error().code(), "The voice configuration " + platform::quotedPath(configFile) + " cannot be used: " +
                                               config.error().message() + '.');
    const std::string_view model(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto graph = patchPiperModel(model, *config, Durations::Append);
    if (!graph)
        return fail(graph.error().code(), "The voice model " + modelName + " cannot be used: " + graph.error().message() + '.');
    const std::string id = idOf(request);
    if (id.empty() || id.starts_with("espeak-"))
        return fail(ErrorCode::InvalidArgument, "The voice needs an id of letters and digits that does not begin with 'espeak-'.");
    const fs::path voices = dataFolder / "voices";
    LQ_CHECKED(refuseKnown(voices, id, request.replace, platform::sha256(graph->model)));
    LQ_CHECKED(platform::makeFolder(voices));
    LQ_TRY(StagingFolder staging, StagingFolder::create(voices));

    ImportedVoice out;
    std::string card;
    if (auto text = platform::readTextFile(request.model.parent_path() / "MODEL_CARD", kLargestConfig)) {
        card = std::move(*text);
        LQ_CHECKED(platform::writeFile(staging.path() / "MODEL_CARD", card));
    }
    const std::string licence = licenceOf(card);
    LQ_CHECKED(platform::writeFile(staging.path() / "model.onnx.json", json));
    auto description = describe(*config, *graph, id, request.name, licence);
    LQ_CHECKED(writeVoice(staging.path(), *config, *graph, description));
    auto gain = trialGain(staging.path(), phonemes, cancel);
    if (!gain && gain.error().code() == ErrorCode::Corrupt && graph->givesDurations) {
        // What looked like durations was something else.
        LQ_TRY(*graph, patchPiperModel(model, *config, Durations::Keep));
        description = describe(*config, *graph, id, request.name, licence);
        LQ_CHECKED(writeVoice(staging.path(), *config, *graph, description));
        gain = trialGain(staging.path(), phonemes, cancel);
    }
    if (!gain && (gain.error().code() == ErrorCode::Corrupt || gain.error().code() == ErrorCode::Unreadable))
        return fail(ErrorCode::Unsupported, "The voice model " + modelName +
                                                " cannot be run: it is damaged, or of a kind this program does not know.");
    if (!gain && gain.error().isCancelled())
        return fail(std::move(gain).error());
    if (!gain)
        return fail(gain.error().code(), "The voice model " + modelName + " cannot be used: " + gain.error().text());
    description["gain_db"] = std::round(*gain * 10) / 10;
    LQ_CHECKED(platform::writeFile(staging.path() / "voice.json", description.dump(1) + "\n"));
    LQ_CHECKED(staging.become(voices / id, request.replace));
    LQ_TRY(out.voice, readPiperDescription(voices / id / "voice.json"));
    if (licence.empty())
        out.warnings.push_back("No MODEL_CARD with a licence lies beside the model: find out what its speech may be used for.");
    if (!out.voice.supports.exactTiming)
        out.warnings.push_back(out.voice.note);
    return out;
}

Result<void> removeVoice(std::string_view id, const fs::path& dataFolder)
{
    for (const VoiceDescription& voice : listVoices(dataFolder)) {
        if (voice.id != id)
            continue;
        if (voice.engine != VoiceEngine::Piper)
            return fail(ErrorCode::InvalidArgument, "The voice '" + voice.id + "' belongs to espeak-ng and cannot be removed by itself.");
        // First under a name that nobody lists: a voice is there whole or not at all.
        const fs::path aside = dataFolder / "voices" / (std::string(kStaging) + "removed-" + voice.folder.filename().string());
        std::error_code ignored, code;
        fs::remove_all(aside, ignored);
        fs::rename(voice.folder, aside, code);
        if (code)
            return fail(errorFromErrno(code.value(), "The voice '" + voice.id + "' cannot be removed"));
        fs::remove_all(aside, ignored);
        return {};
    }
    return fail(ErrorCode::InvalidArgument, "There is no voice '" + std::string(id) + "' to remove. See: loquor-cli voices");
}

} // namespace loquor::speech
