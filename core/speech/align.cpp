#include "core/speech/align.h"

#include <algorithm>
#include <cmath>

#include "core/base/log.h"
#include "core/speech/audio_features.h"
#include "core/speech/clauses.h"
#include "core/speech/espeak_voice.h"
#include "core/speech/language.h"
#include "core/speech/line_speaker.h"
#include "core/speech/reference_aligner.h"
#include "core/speech/script.h"
#include "core/speech/sphinx_aligner.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr float kSmallestRange = 0.8f;    // of log energy; speech 5 dB over its noise still has more
constexpr double kPoorConfidence = 0.45; // mean over words; wrong texts stay below, right ones are above 0.7

// Words between spaces, dashes and slashes, with spans in the script's source.
std::vector<AlignWord> wordsOf(const Script& script)
{
    std::vector<AlignWord> out;
    for (const ScriptLine& line : script.lines) {
        bool open = false;
        for (std::size_t i = 0; i < line.spoken.size();) {
            const std::size_t at = i;
            const char32_t c = nextCharacter(line.spoken, i);
            const bool ends = isSpace(c) || c == 0x2014 || c == 0x2013 || c == U'/';
            if (ends) {
                open = false;
                continue;
            }
            const bool sounds = isLetterOrDigit(c) || c == U'%';
            const bool sign = c == U'$' || c == 0x20AC || c == 0xA3; // in front of a number
            if (!open && !sounds && !sign)
                continue;
            const auto offset = [&](std::size_t byte) { return static_cast<std::int32_t>(line.sourceBegin + static_cast<std::int64_t>(byte)); };
            if (!open) {
                out.push_back({});
                out.back().begin = offset(at);
                open = true;
            }
            if (sounds || sign)
                out.back().end = offset(i);
        }
    }
    std::erase_if(out, [&](AlignWord& w) {
        w.text = script.source.substr(static_cast<std::size_t>(w.begin), static_cast<std::size_t>(w.end - w.begin));
        bool sounds = false;
        for (std::size_t i = 0; i < w.text.size();)
            sounds |= isLetterOrDigit(nextCharacter(w.text, i));
        return !sounds;
    });
    return out;
}

// Pronunciations in the context of their line, for stress and for words the dictionary does not know; words
// that espeak joins with others ("out of") are asked for alone.
Result<void> addPhonemes(const Script& script, std::vector<AlignWord>& words, PhonemeClient& client,
                         const CancelToken& cancel)
{
    std::vector<std::string> texts;
    std::vector<std::int64_t> begins;
    for (const ScriptLine& line : script.lines) {
        texts.push_back(line.spoken);
        begins.push_back(line.sourceBegin);
    }
    const std::string voice = espeakVoiceName(script.language);
    LQ_TRY(const auto spoken, client.phonemes(voice, texts, cancel));
    std::size_t next = 0;
    for (std::size_t i = 0; i < spoken.size(); ++i) {
        for (const PhonemeWord& p : spoken[i]) {
            const auto begin = static_cast<std::int32_t>(begins[i] + p.begin), end = static_cast<std::int32_t>(begins[i] + p.end);
            while (next < words.size() && words[next].end <= begin)
                ++next;
            if (next < words.size() && words[next].begin <= begin && end <= words[next].end)
                words[next].phonemes.insert(words[next].phonemes.end(), p.phonemes.begin(), p.phonemes.end());
        }
    }
    std::vector<std::string> alone;
    for (const AlignWord& w : words) {
        if (w.phonemes.empty())
            alone.push_back(w.text);
    }
    if (alone.empty())
        return {};
    LQ_TRY(const auto single, client.phonemes(voice, alone, cancel));
    std::size_t k = 0;
    for (AlignWord& w : words) {
        if (!w.phonemes.empty())
            continue;
        for (const PhonemeWord& p : single[k])
            w.phonemes.insert(w.phonemes.end(), p.phonemes.begin(), p.phonemes.end());
        ++k;
    }
    return {};
}

// Text and sound must be able to belong together before anything is searched.
Result<void> checkLengths(const AudioBlock& mono, const Script& script)
{
    const auto energies = frameEnergies(mono);
    const float loudest = energies.empty() ? -100.0f : *std::max_element(energies.begin(), energies.end());
    if (loudest < -9.0f) // 25 ms whose energy is that of the last two bits
        return fail(ErrorCode::EmptyInput, "The recording is silent.");
    if (loudnessRange(energies) < kSmallestRange)
        return fail(ErrorCode::InvalidArgument, "The recording holds no speech that stands out from its noise.");
    double wanted = 0;
    for (const ScriptLine& line : script.lines)
        wanted += estimateSeconds(line.spoken);
    if (wanted > 3 * mono.seconds() + 1)
        return fail(ErrorCode::InvalidArgument,
                    "The text takes about " + std::to_string(static_cast<int>(wanted)) + " s to say, the recording lasts " +
                        std::to_string(static_cast<int>(mono.seconds())) + " s; check that they belong together.");
    return {};
}

double meanConfidence(const Timing& timing)
{
    double sum = 0;
    for (const Word& w : timing.words)
        sum += static_cast<double>(w.confidence);
    return timing.words.empty() ? 0 : sum / static_cast<double>(timing.words.size());
}

// espeak's reading of the whole script, spans in its source.
Result<SpokenSound> referenceSpeech(const Script& script, std::shared_ptr<PhonemeClient> client, const CancelToken& cancel)
{
    auto description = espeakDescription("espeak-" + script.language);
    LQ_TRY(const auto voice, openVoice(*description, std::move(client), cancel));
    SpokenSound all;
    all.audio.channels = 1;
    for (const ScriptLine& line : script.lines) {
        if (!line.hasWords)
            continue;
        Utterance utterance{line.spoken, static_cast<std::int32_t>(line.sourceBegin), true};
        auto said = voice->synthesize(utterance, {}, cancel);
        if (!said && said.error().code() == ErrorCode::EmptyInput)
            continue;
        if (!said)
            return fail(std::move(said).error());
        all.audio.sampleRate = said->audio.sampleRate;
        const double start = all.audio.seconds();
        all.audio.samples.insert(all.audio.samples.end(), said->audio.samples.begin(), said->audio.samples.end());
        appendTiming(all.timing, said->timing, start, 0);
        // The pause between sentences, short as in the match.
        all.audio.samples.insert(all.audio.samples.end(), static_cast<std::size_t>(0.1 * all.audio.sampleRate), 0.0f);
    }
    if (all.timing.words.empty())
        return fail(ErrorCode::EmptyInput, "There is nothing in the text that can be pronounced.");
    return all;
}

} // namespace

struct Aligner::Impl
{
    std::filesystem::path modelFolder;
    std::shared_ptr<PhonemeClient> phonemes;
    SphinxAligner sphinx;

    Result<Alignment> acoustic(const AudioBlock& mono, const Script& script, const CancelToken& cancel)
    {
        LQ_CHECKED(sphinx.load(modelFolder));
        auto words = wordsOf(script);
        LQ_CHECKED(addPhonemes(script, words, *phonemes, cancel));
        Alignment out;
        out.method = AlignMethod::Acoustic;
        LQ_TRY(out.timing, sphinx.align(mono, words, cancel));
        if (meanConfidence(out.timing) < kPoorConfidence)
            out.warnings.push_back("The text seems not to be what is said in the recording; the lips may not fit.");
        return out;
    }

    Result<Alignment> reference(const AudioBlock& mono, const Script& script, const CancelToken& cancel)
    {
        LQ_TRY(const SpokenSound spoken, referenceSpeech(script, phonemes, cancel));
        Alignment out;
        out.method = AlignMethod::Reference;
        LQ_TRY(out.timing, warpTiming(spoken.audio, spoken.timing, mono, cancel));
        return out;
    }
};

Aligner::Aligner(std::filesystem::path modelFolder, std::shared_ptr<PhonemeClient> phonemes)
    : m(std::make_unique<Impl>())
{
    m->modelFolder = std::move(modelFolder);
    m->phonemes = std::move(phonemes);
}

Aligner::~Aligner() = default;

Result<Alignment> Aligner::align(const AudioBlock& audio, std::string_view text, const AlignOptions& options,
                                 const CancelToken& cancel)
{
    if (audio.frames() == 0 || audio.sampleRate <= 0)
        return fail(ErrorCode::EmptyInput, "The recording has no sound.");
    LQ_TRY(const Script script, parseScript(text, options.language));
    const AudioBlock mono = monoAtRate(audio, kRate);
    LQ_CHECKED(checkLengths(mono, script));
    const bool english = baseLanguage(script.language) == "en";
    const bool wantsAcoustic = options.method != AlignMethod::Reference && (english || options.method == AlignMethod::Acoustic);
    std::vector<std::string> warnings;
    auto result = wantsAcoustic ? m->acoustic(mono, script, cancel) : m->reference(mono, script, cancel);
    if (!result && wantsAcoustic && options.method == AlignMethod::None && !result.error().isCancelled()) {
        warnings.push_back("The acoustic model could not follow the recording (" + result.error().message() +
                           "); times come from a comparison with a synthetic reading and are less exact.");
        log(LogLevel::Info, "speech", result.error().logText());
        result = m->reference(mono, script, cancel);
    }
    if (!result)
        return fail(std::move(result).error().addContext("aligning the recording to its text"));
    result->warnings.insert(result->warnings.begin(), warnings.begin(), warnings.end());
    // The conversion to 16 kHz may have changed the length by a sample.
    Timing& timing = result->timing;
    timing.durationSeconds = audio.seconds();
    while (!timing.phonemes.empty() && timing.phonemes.back().start >= timing.durationSeconds)
        timing.phonemes.pop_back();
    if (!timing.phonemes.empty())
        timing.phonemes.back().end = timing.durationSeconds;
    for (Word& w : timing.words)
        w.end = std::min(w.end, timing.durationSeconds);
    std::erase_if(timing.words, [](const Word& w) { return w.end <= w.start; });
    timing.language = script.language;
    return result;
}

} // namespace loquor::speech
