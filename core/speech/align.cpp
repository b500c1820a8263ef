#include "core/speech/align.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "core/base/log.h"
#include "core/speech/acoustic_windows.h"
#include "core/speech/align_words.h"
#include "core/speech/audio_features.h"
#include "core/speech/clauses.h"
#include "core/speech/denoise.h"
#include "core/speech/language.h"
#include "core/speech/reference_aligner.h"
#include "core/speech/reference_windows.h"
#include "core/speech/script.h"
#include "core/speech/sphinx_aligner.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr float kSmallestRange = 0.8f;    // of log energy; speech 5 dB over its noise still has more
constexpr double kPoorConfidence = kDoubtfulWord; // mean over words; wrong texts stay below, right ones are above 0.7

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

Result<Script> scriptOf(std::string_view text, const AlignOptions& options)
{
    LQ_TRY(Script script, parseScript(text, options.language));
    if (options.pronunciations)
        applyPronunciations(script, *options.pronunciations, script.language);
    return script;
}

std::string noModelNote(const Error& why)
{
    return "The acoustic model could not follow the recording (" + why.message() +
           "); times come from a comparison with a synthetic reading and are less exact.";
}

double meanConfidence(const Timing& timing)
{
    double sum = 0;
    for (const Word& w : timing.words)
        sum += static_cast<double>(w.confidence);
    return timing.words.empty() ? 0 : sum / static_cast<double>(timing.words.size());
}

// "building" at 5.9 s, "umbrella" at 7.1 s and 3 more. Short words are swallowed by good speakers too ("were", "for"):
// they count where several stand together.
std::string doubtfulWords(const Timing& timing)
{
    constexpr std::size_t kShown = 6, kLongWord = 5, kTogether = 3;
    std::string out;
    char place[32];
    std::size_t count = 0;
    const auto isPoor = [&timing](std::size_t k) { return static_cast<double>(timing.words[k].confidence) < kDoubtfulWord; };
    for (std::size_t k = 0; k < timing.words.size(); ++k) {
        const Word& word = timing.words[k];
        std::size_t first = k, end = k;
        while (first > 0 && isPoor(first - 1))
            --first;
        while (end < timing.words.size() && isPoor(end))
            ++end;
        const bool counts = isPoor(k) && (word.text.size() >= kLongWord || end - first >= kTogether);
        if (!counts || ++count > kShown)
            continue;
        std::snprintf(place, sizeof place, "\" at %.1f s", word.start);
        out += (out.empty() ? "\"" : ", \"") + word.text + place;
    }
    return count > kShown ? out + " and " + std::to_string(count - kShown) + " more" : out;
}

// What of the text seems not to be said: all of it, or some words.
void addDoubts(Alignment& alignment)
{
    if (meanConfidence(alignment.timing) < kPoorConfidence) {
        alignment.warnings.push_back("The text seems not to be what is said in the recording; the lips may not fit.");
        return;
    }
    if (const std::string words = doubtfulWords(alignment.timing); !words.empty())
        alignment.warnings.push_back("Check the text: something else may be said for " + words + ".");
}

void addSilence(Timing& timing, double until)
{
    const double from = timing.phonemes.empty() ? 0 : timing.phonemes.back().end;
    if (until <= from + 1e-9)
        return;
    if (!timing.phonemes.empty() && timing.phonemes.back().symbol.empty())
        timing.phonemes.back().end = until;
    else
        timing.phonemes.push_back({"", from, until, 1.0f, false});
}

void addStretch(Timing& all, AlignedStretch stretch)
{
    if (!stretch.timing.phonemes.empty())
        addSilence(all, stretch.timing.phonemes.front().start);
    std::move(stretch.timing.words.begin(), stretch.timing.words.end(), std::back_inserter(all.words));
    std::move(stretch.timing.phonemes.begin(), stretch.timing.phonemes.end(), std::back_inserter(all.phonemes));
}

} // namespace

struct Aligner::Impl
{
    std::filesystem::path modelFolder;
    std::shared_ptr<PhonemeClient> phonemes;
    SphinxAligner sphinx;

    std::unique_ptr<Denoiser> denoiser; // may be null

    Result<Alignment> acoustic(const AudioBlock& mono, const Script& script, const CancelToken& cancel)
    {
        LQ_CHECKED(sphinx.load(modelFolder));
        LQ_TRY(const auto words, alignWordsOf(script, 0, script.lines.size(), *phonemes, cancel));
        Alignment out;
        out.method = AlignMethod::Acoustic;
        auto timing = sphinx.align(mono, words, cancel);
        if (denoiser && (!timing || meanConfidence(*timing) < kPoorConfidence) &&
            !(!timing && timing.error().isCancelled())) {
            auto again = withoutNoise(mono, words, cancel);
            if (!again && again.error().isCancelled())
                return fail(std::move(again).error());
            if (again && (!timing || meanConfidence(*again) > meanConfidence(*timing))) {
                timing = std::move(again);
                out.warnings.push_back("The recording is noisy: its words were looked for in a copy without the noise.");
            }
        }
        if (!timing)
            return fail(std::move(timing).error());
        out.timing = std::move(*timing);
        return out;
    }

    Result<Timing> withoutNoise(const AudioBlock& mono, const std::vector<AlignWord>& words, const CancelToken& cancel)
    {
        auto quiet = denoiser->run(mono, cancel);
        if (!quiet) {
            log(LogLevel::Warning, "speech", quiet.error().logText());
            return fail(std::move(quiet).error());
        }
        return sphinx.align(*quiet, words, cancel);
    }

    Result<Alignment> reference(const AudioBlock& mono, const Script& script, const CancelToken& cancel)
    {
        Alignment out;
        out.method = AlignMethod::Reference;
        if (mono.seconds() > kLongestReferenceSeconds) {
            LQ_TRY(out.timing, inWindows(mono, script, out.warnings, cancel));
            return out;
        }
        SpokenSound spoken;
        ReferenceSpeech reading(script, phonemes);
        for (;;) {
            LQ_TRY(const bool more, reading.addLine(spoken, cancel));
            if (!more)
                break;
        }
        if (spoken.timing.words.empty())
            return fail(ErrorCode::EmptyInput, "There is nothing in the text that can be pronounced.");
        LQ_TRY(out.timing, warpTiming(spoken.audio, spoken.timing, mono, cancel));
        return out;
    }

    // Long recordings: memory does not grow with their length.
    Result<Timing> inWindows(const AudioBlock& mono, const Script& script, std::vector<std::string>& warnings, const CancelToken& cancel)
    {
        AlignStream stream(std::make_unique<ReferenceWindows>(script, phonemes, denoiser.get()), script.language, {});
        Timing out;
        out.source = TimingSource::Alignment;
        std::size_t given = 0;
        while (!stream.isOver()) {
            for (; stream.wantsSound() && given < mono.samples.size(); given += kRate) {
                const auto from = mono.samples.begin() + static_cast<std::ptrdiff_t>(given);
                const auto count = std::min<std::size_t>(kRate, mono.samples.size() - given);
                stream.add({from, from + static_cast<std::ptrdiff_t>(count)});
            }
            LQ_TRY(AlignedStretch stretch, stream.next(given >= mono.samples.size(), cancel));
            addStretch(out, std::move(stretch));
        }
        for (std::string& warning : stream.takeWarnings())
            warnings.push_back(std::move(warning));
        if (out.words.empty())
            return fail(ErrorCode::InvalidArgument, "The text cannot be found in the recording; check that it is what is said.");
        addSilence(out, mono.seconds());
        out.durationSeconds = mono.seconds();
        return out;
    }
};

Aligner::Aligner(std::filesystem::path modelFolder, std::shared_ptr<PhonemeClient> phonemes,
                 std::filesystem::path denoiserModel)
    : m(std::make_unique<Impl>())
{
    m->modelFolder = std::move(modelFolder);
    m->phonemes = std::move(phonemes);
    if (!denoiserModel.empty())
        m->denoiser = std::make_unique<Denoiser>(std::move(denoiserModel));
}

Aligner::~Aligner() = default;

Result<Alignment> Aligner::align(const AudioBlock& audio, std::string_view text, const AlignOptions& options,
                                 const CancelToken& cancel)
{
    LQ_TRY(const Script script, scriptOf(text, options));
    return align(audio, script, options.method, cancel);
}

Result<Alignment> Aligner::align(const AudioBlock& audio, const Script& script, AlignMethod method, const CancelToken& cancel)
{
    if (audio.frames() == 0 || audio.sampleRate <= 0)
        return fail(ErrorCode::EmptyInput, "The recording has no sound.");
    const AudioBlock mono = monoAtRate(audio, kRate);
    LQ_CHECKED(checkLengths(mono, script));
    const bool english = baseLanguage(script.language) == "en";
    const bool wantsAcoustic = method != AlignMethod::Reference && (english || method == AlignMethod::Acoustic);
    std::vector<std::string> warnings;
    auto result = wantsAcoustic ? m->acoustic(mono, script, cancel) : m->reference(mono, script, cancel);
    if (!result && wantsAcoustic && method == AlignMethod::None && !result.error().isCancelled()) {
        warnings.push_back(noModelNote(result.error()));
        log(LogLevel::Info, "speech", result.error().logText());
        result = m->reference(mono, script, cancel);
    }
    if (!result)
        return fail(std::move(result).error().addContext("aligning the recording to its text"));
    addDoubts(*result);
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

Result<std::unique_ptr<AlignStream>> Aligner::stream(std::string_view text, const AlignOptions& options)
{
    LQ_TRY(Script script, scriptOf(text, options));
    std::vector<std::string> warnings;
    const std::string language = script.language;
    std::unique_ptr<WindowAligner> windows;
    AlignStream::Other other;
    if (options.method != AlignMethod::Reference && (baseLanguage(language) == "en" || options.method == AlignMethod::Acoustic)) {
        const auto loaded = m->sphinx.load(m->modelFolder);
        if (loaded)
            windows = std::make_unique<AcousticWindows>(script, m->sphinx, m->phonemes, m->denoiser.get());
        else if (options.method == AlignMethod::Acoustic)
            return fail(loaded.error());
        else
            warnings.push_back(noModelNote(loaded.error()));
        if (loaded && options.method != AlignMethod::Acoustic)
            other = [script, phonemes = m->phonemes, denoiser = m->denoiser.get()](std::int32_t textBegin) {
                return std::make_unique<ReferenceWindows>(script, phonemes, denoiser, textBegin);
            };
    }
    if (!windows)
        windows = std::make_unique<ReferenceWindows>(std::move(script), m->phonemes, m->denoiser.get());
    return std::make_unique<AlignStream>(std::move(windows), language, std::move(warnings), std::move(other));
}

} // namespace loquor::speech
