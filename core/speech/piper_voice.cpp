#include "core/speech/piper_voice.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <unordered_set>

#include <sherpa-onnx/c-api/c-api.h>

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/platform/hash.h"
#include "core/platform/memory.h"
#include "core/platform/nameless_file.h"
#include "core/platform/paths.h"
#include "core/speech/clauses.h"
#include "core/speech/ipa.h"
#include "core/speech/language.h"
#include "core/speech/loudness.h"
#include "core/speech/measured_times.h"
#include "core/speech/respelling.h"
#include "core/speech/styled_speech.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr double kShortestSilence = 0.100;    // shorter gaps between words belong to the sound before
constexpr double kFadeSeconds = 0.010;
constexpr double kLeastShare = 0.3;           // of its frames that a sound keeps when the next one begins early
constexpr float kDurationNoise = 1e-6f;       // 0 would mean "default"; durations must repeat

struct VoiceFile
{
    VoiceDescription description;
    std::string espeakVoice;
    float noiseScale = 0.667f;
    float lengthScale = 1;
    double gainDb = 0;
    double leadSeconds = 0; // by which sounds are heard and seen before their frames
};

// What an older file does not say yet.
void readNewerKeys(const nlohmann::json& j, VoiceDescription& d)
{
    d.supports.exactTiming = j.value("exact_timing", true);
    d.isRepeatable = j.value("repeatable", false);
    d.speakers = j.value("speakers", std::vector<std::string>());
    if (!d.supports.exactTiming)
        d.note = "The model of this voice does not give its times; they are measured on its sound and are less exact.";
    const auto card = d.folder / "MODEL_CARD";
    std::error_code code;
    if (std::filesystem::is_regular_file(card, code))
        d.modelCard = card;
    const auto size = std::filesystem::file_size(d.folder / "model.onnx", code);
    d.fingerprint = j.value("model_sha256", "") + ' ' + std::to_string(code ? 0 : size) + ' ' + platform::sha256(j.dump());
}

Result<VoiceFile> readVoiceFile(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return fail(ErrorCode::NotFound, "The voice description " + file.string() +
                                             " is missing. Run packaging/setup.sh to install the voice again.");
    try {
        const auto j = nlohmann::json::parse(in);
        if (j.at("format") != 1 || j.at("engine") != "piper")
            return fail(ErrorCode::Unsupported, file.string() + " describes a voice of a kind this version does not know.");
        VoiceFile v;
        v.description.id = j.at("id");
        v.description.name = j.at("name");
        v.description.language = normalizedLanguage(j.at("language").get<std::string>());
        v.description.licence = j.at("licence");
        v.description.sampleRate = j.at("sample_rate");
        v.description.engine = VoiceEngine::Piper;
        v.description.folder = file.parent_path();
        v.espeakVoice = j.at("espeak_voice");
        v.noiseScale = j.at("noise_scale");
        v.lengthScale = j.at("length_scale");
        v.gainDb = j.at("gain_db");
        v.leadSeconds = j.at("lead_seconds");
        readNewerKeys(j, v.description);
        if (v.description.sampleRate < 8000 || v.description.sampleRate > 96000)
            return fail(ErrorCode::Corrupt, file.string() + " gives an impossible sample rate.");
        return v;
    } catch (const nlohmann::json::exception& e) {
        return fail(ErrorCode::Corrupt, "The voice description " + file.string() + " cannot be read: " + jsonProblem(e) + '.');
    }
}

// Symbols the network has an id for.
Result<std::unordered_set<char32_t>> readSymbols(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return fail(ErrorCode::NotFound, "The voice file " + file.string() +
                                             " is missing. Run packaging/setup.sh to install the voice again.");
    std::unordered_set<char32_t> out;
    for (std::string line; std::getline(in, line);) {
        std::size_t at = 0;
        if (!line.empty())
            out.insert(nextCharacter(line, at));
    }
    return out;
}

// One phoneme of the sequence that the network gets: codepoints [first, last).
struct Step
{
    std::size_t first = 0, last = 0;
    std::string symbol; // empty: space or mark
    bool stressed = false;
    int word = -1;
};

struct Sequence
{
    std::vector<std::int32_t> codepoints;
    std::vector<Step> steps;
    std::vector<Word> words; // without times
    std::vector<std::string> notes;
};

// Seconds by which a sound of its kind begins earlier than others before its frames: the closure of a stop and the first
// noise of a fricative are sounds to the ear, and still silence to the network. Measured on the starts of 232 words.
double onsetLead(const std::string& symbol)
{
    static constexpr std::pair<double, std::string_view> kKinds[] = {{0.020, "p t k tʃ ts ʔ q c f s ʃ θ h x ç ɕ ʂ"},
                                                                     {0.014, "b d ɡ dʒ dz ɟ ɢ v z ʒ ð ɣ ʝ ʑ ʐ"},
                                                                     {0.005, "m n ŋ ɲ l ɫ ʎ ɹ r ɾ ʁ w j ɥ"}};
    if (symbol.empty())
        return 0;
    for (const auto& [lead, sounds] : kKinds) {
        for (std::size_t at = 0; (at = sounds.find(symbol, at)) != std::string_view::npos; ++at) {
            const std::size_t end = at + symbol.size();
            if ((at == 0 || sounds[at - 1] == ' ') && (end == sounds.size() || sounds[end] == ' '))
                return lead;
        }
    }
    return -0.008; // vowels
}

struct DestroyTts
{
    void operator()(const SherpaOnnxOfflineTts* t) const
    {
        SherpaOnnxDestroyOfflineTts(t);
        platform::returnFreeMemory(); // the network's tensors came from the heap: 84 MB stay otherwise
    }
};
struct DestroyAudio
{
    void operator()(const SherpaOnnxGeneratedAudio* a) const { SherpaOnnxDestroyOfflineTtsGeneratedAudio(a); }
};
// ONNX Runtime's errors fill a screen with what means nothing to users; the log has the rest.
std::string firstLine(const std::string& text)
{
    log(LogLevel::Info, "speech", text);
    return text.substr(0, std::min<std::size_t>(text.find('\n'), 160));
}
using GeneratedAudio = std::unique_ptr<const SherpaOnnxGeneratedAudio, DestroyAudio>;

class PiperVoice : public Voice
{
public:
    PiperVoice(VoiceFile file, std::unordered_set<char32_t> symbols, const SherpaOnnxOfflineTts* tts,
               std::shared_ptr<PhonemeClient> phonemes)
        : m_file(std::move(file)), m_symbols(std::move(symbols)), m_tts(tts), m_phonemes(std::move(phonemes)),
          m_measured(m_file.description.folder.parent_path().parent_path(), m_phonemes)
    {
    }
    const VoiceDescription& description() const override { return m_file.description; }

    Result<SpokenSound> synthesize(const Utterance& utterance, const SpeechOptions& options,
                                   const CancelToken& cancel) override
    {
        LQ_TRY(const Sequence sequence, sequenceOf(utterance, cancel));
        if (cancel.isCancelled())
            return cancelled();
        const bool exact = m_file.description.supports.exactTiming;
        // A voice is raised by saying it slower and playing it faster.
        const double pitch = std::exp2(std::clamp(options.pitch, -kMaxPitch, kMaxPitch) / 12);
        const double speed = std::clamp(options.speed, kSlowest, kFastest);
        LQ_TRY(const GeneratedAudio generated, run(sequence.codepoints, options.pitch == 0 ? speed : speedForPitch(speed, pitch)));
        const auto ids = exact ? 2 * sequence.codepoints.size() + 3 : 0; // ^ _ p _ p _ ... $
        if (!generated || generated->n <= static_cast<std::int32_t>(ids))
            return fail(ErrorCode::Internal, "The voice " + m_file.description.id + " gave no sound for: " + utterance.text);
        const std::size_t count = static_cast<std::size_t>(generated->n) - ids;
        SpokenSound out;
        out.audio.sampleRate = m_file.description.sampleRate;
        out.audio.channels = 1;
        out.audio.samples.assign(generated->samples, generated->samples + count);
        if (exact) {
            LQ_TRY(const std::vector<std::int64_t> samples, idStarts(generated->samples + count, ids, count));
            if (!utterance.endsSentence && !sequence.steps.back().symbol.empty())
                cutEnd(sequence, samples, out.audio);
            applyGainLimited(out.audio, m_file.gainDb);
            out.timing = timingOf(sequence, samples, out.audio.seconds());
        } else {
            applyGainLimited(out.audio, m_file.gainDb);
            LQ_TRY(out.timing, m_measured.measure(out.audio, utterance, m_file.description.language, cancel));
        }
        out.notes = sequence.notes;
        if (options.pitch != 0)
            playFaster(out, pitch);
        return out;
    }

private:
    // The speed at which a reading that is then played `pitch` times as fast lasts as long as one at `speed`. The
    // network rounds the length of every sound up to whole frames, which is this share of it at normal speed.
    static double speedForPitch(double speed, double pitch)
    {
        constexpr double kRounding = 0.33; // measured
        return 1 / std::max(0.3, pitch * (1 / speed + kRounding) - kRounding);
    }

    Result<GeneratedAudio> run(const std::vector<std::int32_t>& codepoints, double speed) const
    {
        SherpaOnnxGenerationConfig config{};
        const auto length = static_cast<std::int32_t>(codepoints.size());
        config.speed = static_cast<float>(speed);
        config.silence_scale = 1; // other values make sherpa edit the samples
        config.sid = m_file.description.speaker;
        config.phoneme_codepoints = codepoints.data();
        config.phoneme_codepoints_lens = &length;
        config.phoneme_codepoints_num_sentences = 1;
        try {
            return GeneratedAudio(SherpaOnnxOfflineTtsGenerateWithConfig(m_tts.get(), "", &config, nullptr, nullptr));
        } catch (const std::exception& e) {
            return fail(ErrorCode::Corrupt, "The voice model in " + platform::quotedPath(m_file.description.folder) +
                                                " cannot be run: " + firstLine(e.what()));
        }
    }

    // The sample at which each id begins, and where the last ends. The network tells frames; how many samples
    // a frame has follows from the sound, and must come out whole.
    Result<std::vector<std::int64_t>> idStarts(const float* frames, std::size_t ids, std::size_t count) const
    {
        std::vector<std::int64_t> out(ids + 1, 0);
        for (std::size_t i = 0; i < ids; ++i) {
            if (!(frames[i] >= 0 && frames[i] < 1e6f) || frames[i] != std::floor(frames[i]))
                out.back() = -1;
            if (out.back() >= 0)
                out[i + 1] = out[i] + static_cast<std::int64_t>(frames[i]);
        }
        const auto samples = static_cast<std::int64_t>(count);
        if (out.back() <= 0 || samples % out.back() != 0)
            return fail(ErrorCode::Corrupt, "The voice model in " + m_file.description.folder.string() +
                                                " does not give its durations. Run packaging/setup.sh to install it again.");
        const std::int64_t hop = samples / out.back();
        for (std::int64_t& start : out)
            start *= hop;
        return out;
    }

    // A clause that was cut inside a phrase ends without a mark; the silence that the network puts behind
    // it would be heard as a hesitation.
    void cutEnd(const Sequence& sequence, const std::vector<std::int64_t>& samples, AudioBlock& audio) const
    {
        const auto keep = static_cast<std::size_t>(samples[2 + 2 * sequence.steps.back().last]);
        const auto fade = static_cast<std::size_t>(kFadeSeconds * audio.sampleRate);
        if (keep >= audio.samples.size() || keep < fade)
            return;
        audio.samples.resize(keep);
        for (std::size_t i = 0; i < fade; ++i)
            audio.samples[keep - 1 - i] *= static_cast<float>(i) / static_cast<float>(fade);
    }

    void appendStep(Sequence& s, const std::string& text, Step step) const
    {
        step.first = s.codepoints.size();
        for (std::size_t i = 0; i < text.size();) {
            const char32_t c = nextCharacter(text, i);
            if (m_symbols.contains(c))
                s.codepoints.push_back(static_cast<std::int32_t>(c));
        }
        step.last = s.codepoints.size();
        if (step.last > step.first)
            s.steps.push_back(std::move(step));
    }

    // Phonemes and marks of the clause, as the network was trained on them.
    Result<Sequence> sequenceOf(const Utterance& utterance, const CancelToken& cancel) const
    {
        const Respelling spelled = respell(utterance.text, m_file.description.language, utterance.replacements);
        const auto parts = splitAtMarks(spelled.text, m_file.description.language);
        std::vector<std::string> texts;
        for (const MarkedPart& p : parts)
            texts.push_back(spelled.text.substr(static_cast<std::size_t>(p.begin), static_cast<std::size_t>(p.end - p.begin)));
        if (texts.empty())
            return fail(ErrorCode::EmptyInput, "There is no word to say in: " + utterance.text);
        LQ_TRY(auto clauses, m_phonemes->phonemes(m_file.espeakVoice, texts, cancel));
        Sequence s;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            giveSounds(clauses[i], parts[i].begin, spelled, utterance);
            for (const PhonemeWord& w : clauses[i]) {
                if (!s.codepoints.empty())
                    appendStep(s, " ", {});
                appendWord(s, w, parts[i].begin, spelled, utterance);
            }
            char mark = parts[i].mark;
            if (!mark && utterance.endsSentence && i + 1 == parts.size())
                mark = '.';
            if (mark && !s.codepoints.empty())
                appendStep(s, std::string(1, mark), {});
        }
        if (s.words.empty())
            return fail(ErrorCode::EmptyInput, "There is nothing that can be pronounced in: " + utterance.text);
        for (const Replacement& r : utterance.replacements) {
            if (r.isSounds)
                noteMissing(r.text, s.notes);
        }
        return s;
    }

    // The letters that stand in for given sounds get those.
    void giveSounds(std::vector<PhonemeWord>& words, std::int32_t partBegin, const Respelling& spelled,
                    const Utterance& utterance) const
    {
        for (const Replaced& r : spelled.replaced) {
            const Replacement& wanted = utterance.replacements[r.index];
            const auto isIt = [&](const PhonemeWord& w) { return partBegin + w.begin < r.end && partBegin + w.end > r.begin; };
            const auto at = wanted.isSounds ? std::find_if(words.begin(), words.end(), isIt) : words.end();
            if (at == words.end())
                continue;
            std::vector<PhonemeWord> given;
            for (auto& sounds : ipaWords(wanted.text, m_file.description.language))
                given.push_back({at->begin, at->end, std::move(sounds)});
            words.insert(words.erase(at), given.begin(), given.end());
        }
    }
    // Letters that the network was never shown.
    void noteMissing(const std::string& ipa, std::vector<std::string>& notes) const
    {
        for (const auto& word : ipaWords(ipa, m_file.description.language)) {
            for (const std::string& sound : word) {
                for (std::size_t i = 0; i < sound.size();) {
                    const char32_t c = nextCharacter(sound, i);
                    if (!m_symbols.contains(c))
                        notes.push_back(missingSoundNote(m_file.description, sound));
                }
            }
        }
    }

    void appendWord(Sequence& s, const PhonemeWord& w, std::int32_t partBegin, const Respelling& spelled,
                    const Utterance& utterance) const
    {
        std::int32_t first = partBegin + w.begin, last = partBegin + w.end;
        const bool isReplaced = widenToReplaced(spelled, first, last);
        Word word;
        const std::int32_t begin = spelled.origin[static_cast<std::size_t>(first)];
        const std::int32_t end = spelled.origin[static_cast<std::size_t>(last)];
        word.text = utterance.text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        word.textBegin = utterance.textBegin + begin;
        word.textEnd = utterance.textBegin + end;
        // What is said for replaced words is one word: that which is written.
        const bool joins = isReplaced && !s.words.empty() && word.textBegin < s.words.back().textEnd;
        const std::size_t before = s.steps.size();
        for (const std::string& phoneme : w.phonemes) {
            Step step;
            step.symbol = plainSymbol(phoneme, step.stressed);
            step.word = static_cast<int>(s.words.size()) - (joins ? 1 : 0);
            appendStep(s, phoneme, step);
        }
        if (s.steps.size() > before && !joins)
            s.words.push_back(std::move(word));
    }

    // When each step begins, and the last one ends, as it is heard: before its frames, and never before the step ahead of
    // it. Near the start of the sound time is squeezed instead of cut.
    std::vector<double> beginsOf(const Sequence& s, const std::vector<std::int64_t>& samples, double duration) const
    {
        std::vector<double> begins;
        double last = 0; // where the frames of the step before begin
        for (std::size_t i = 0; i <= s.steps.size(); ++i) {
            const bool isEnd = i == s.steps.size();
            const double lead = m_file.leadSeconds + (isEnd ? 0.0 : onsetLead(s.steps[i].symbol));
            const double t = static_cast<double>(samples[2 + 2 * (isEnd ? s.steps.back().last : s.steps[i].first)]) /
                             m_file.description.sampleRate;
            double begin = t < 2 * lead ? t / 2 : t - lead;
            if (!begins.empty())
                begin = std::max(begin, begins.back() + kLeastShare * (t - last));
            begins.push_back(std::min(begin, duration));
            last = t;
        }
        return begins;
    }

    Timing timingOf(const Sequence& s, const std::vector<std::int64_t>& samples, double duration) const
    {
        const std::vector<double> begins = beginsOf(s, samples, duration);
        Timing out;
        out.language = m_file.description.language;
        out.source = TimingSource::Synthesis;
        out.durationSeconds = duration;
        out.words = s.words;
        for (Word& w : out.words)
            w.start = w.end = -1;
        const auto add = [&](const std::string& symbol, double end, bool stressed) {
            const double start = out.phonemes.empty() ? 0.0 : out.phonemes.back().end;
            if (end <= start)
                return;
            if (!out.phonemes.empty() && symbol.empty() && out.phonemes.back().symbol.empty()) {
                out.phonemes.back().end = end;
                return;
            }
            Phoneme p;
            p.symbol = symbol;
            p.start = start;
            p.end = end;
            p.stressed = stressed;
            out.phonemes.push_back(std::move(p));
        };
        add("", begins[0], false);
        for (std::size_t i = 0; i < s.steps.size(); ++i) {
            const Step& step = s.steps[i];
            const double start = begins[i];
            if (step.symbol.empty()) {
                // A mark and the space behind it are one gap.
                while (i + 1 < s.steps.size() && s.steps[i + 1].symbol.empty())
                    ++i;
                const double end = begins[i + 1];
                if (end - start >= kShortestSilence || out.phonemes.empty())
                    add("", end, false);
                else
                    out.phonemes.back().end = end;
                continue;
            }
            const double end = begins[i + 1];
            add(step.symbol, end, step.stressed);
            Word& word = out.words[static_cast<std::size_t>(step.word)];
            if (word.start < 0)
                word.start = start;
            word.end = end;
        }
        add("", duration, false);
        if (!out.phonemes.empty())
            out.phonemes.back().end = duration;
        std::erase_if(out.words, [](const Word& w) { return w.end <= w.start; });
        return out;
    }

    VoiceFile m_file;
    std::unordered_set<char32_t> m_symbols;
    std::unique_ptr<const SherpaOnnxOfflineTts, DestroyTts> m_tts;
    std::shared_ptr<PhonemeClient> m_phonemes;
    MeasuredTimes m_measured;
};

// ONNX Runtime keeps whatever the longest clause took, and plans for every length it has seen: memory would
// grow with the script. Without both, a clause's tensors are gone with it. sherpa-onnx reads this from a file.
Result<platform::FileDescriptor> runtimeOptions()
{
    static constexpr std::string_view kOptions = "EnableCpuMemArena=0\nEnableMemPattern=0\n";
    std::error_code code;
    std::filesystem::path folder = std::filesystem::temp_directory_path(code);
    if (code)
        folder = "/tmp";
    LQ_TRY(platform::FileDescriptor file, platform::makeNamelessFile(folder));
    LQ_CHECKED(platform::writeAll(file.get(), kOptions.data(), kOptions.size(), "Loading the voice"));
    return file;
}

} // namespace

Result<VoiceDescription> readPiperDescription(const std::filesystem::path& voiceJson)
{
    LQ_TRY(VoiceFile file, readVoiceFile(voiceJson));
    return std::move(file.description);
}

Result<std::unique_ptr<Voice>> openPiperVoice(const VoiceDescription& description,
                                              std::shared_ptr<PhonemeClient> phonemes)
{
    LQ_TRY(VoiceFile file, readVoiceFile(description.folder / "voice.json"));
    file.description.id = description.id; // of one of its speakers, it may be
    file.description.name = description.name;
    const auto speakers = std::max<std::size_t>(1, file.description.speakers.size());
    file.description.speaker = std::clamp(description.speaker, 0, static_cast<int>(speakers) - 1);
    const std::string model = (description.folder / "model.onnx").string();
    const std::string tokens = (description.folder / "tokens.txt").string();
    LQ_TRY(auto symbols, readSymbols(tokens));
    std::error_code code;
    if (!std::filesystem::is_regular_file(model, code))
        return fail(ErrorCode::NotFound, "The voice model " + model +
                                             " is missing. Run packaging/setup.sh to install the voice again.");
    SherpaOnnxOfflineTtsConfig config{};
    config.model.vits.model = model.c_str();
    config.model.vits.tokens = tokens.c_str();
    config.model.vits.noise_scale = file.noiseScale;
    config.model.vits.noise_scale_w = kDurationNoise;
    config.model.vits.length_scale = file.lengthScale;
    config.model.num_threads = 1; // a second thread gains little and steals from the renderer
    LQ_TRY(const platform::FileDescriptor runtime, runtimeOptions());
    const std::string provider = "cpu:/proc/self/fd/" + std::to_string(runtime.get());
    config.model.provider = provider.c_str();
    config.max_num_sentences = 1;
    config.silence_scale = 1;
    const SherpaOnnxOfflineTts* tts = nullptr;
    try {
        tts = SherpaOnnxCreateOfflineTts(&config);
    } catch (const std::exception& e) {
        return fail(ErrorCode::Unreadable, "The voice model " + model + " cannot be loaded: " + firstLine(e.what()));
    }
    if (!tts)
        return fail(ErrorCode::Unreadable, "The voice model " + model + " cannot be loaded. Run packaging/setup.sh again.");
    return std::make_unique<PiperVoice>(std::move(file), std::move(symbols), tts, std::move(phonemes));
}

} // namespace loquor::speech
