#include "core/speech/align_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/log.h"
#include "core/speech/align_words.h"
#include "core/speech/audio_features.h"
#include "core/speech/denoise.h"
#include "core/speech/phoneme_client.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr std::size_t kLinesAtOnce = 24; // whose pronunciations are asked for together
constexpr double kWordsPerSecond = 4.5;  // nobody reads faster
constexpr int kMostMisses = 3;
constexpr double kPoorConfidence = 0.45; // as for whole recordings
constexpr std::size_t kEnoughWords = 20; // to judge by
constexpr float kNoisyRange = 4.5f;      // of log energy: speech less than some 15 dB over its noise

// The first window is short, so that the picture can begin; later ones are long, which is more exact.
constexpr WindowLimits limitsOf(int window)
{
    if (window == 0)
        return {4, 11};
    if (window == 1)
        return {8, 20};
    return {};
}

std::string clock(double seconds)
{
    const auto whole = static_cast<long>(seconds);
    const std::string rest = std::to_string(whole % 60);
    return std::to_string(whole / 60) + ':' + (rest.size() < 2 ? "0" : "") + rest;
}

double confidenceSum(const AlignWindow& window)
{
    double sum = 0;
    for (const Word& word : window.timing.words)
        sum += static_cast<double>(word.confidence);
    return window.words > 0 ? sum : 0;
}

double sureness(const AlignWindow& window)
{
    return confidenceSum(window) / static_cast<double>(std::max<std::size_t>(1, window.timing.words.size()));
}

// Words in a second, each as much as it is sure.
double density(const AlignWindow& window)
{
    return confidenceSum(window) / static_cast<double>(std::max<std::size_t>(1, window.samples));
}

void shift(Timing& timing, double seconds)
{
    for (Word& word : timing.words) {
        word.start += seconds;
        word.end += seconds;
    }
    for (Phoneme& phoneme : timing.phonemes) {
        phoneme.start += seconds;
        phoneme.end += seconds;
    }
}

} // namespace

AlignStream::AlignStream(Script script, SphinxAligner& sphinx, std::shared_ptr<PhonemeClient> phonemes, Denoiser* denoiser)
    : m_script(std::move(script)), m_sphinx(sphinx), m_phonemes(std::move(phonemes)), m_denoiser(denoiser)
{
}

AlignStream::~AlignStream() = default;

void AlignStream::add(const std::vector<float>& samples)
{
    m_sound.insert(m_sound.end(), samples.begin(), samples.end());
}

double AlignStream::longest() const
{
    return limitsOf(m_windows).longest;
}

bool AlignStream::wantsSound() const
{
    return !m_over && static_cast<double>(m_sound.size()) / kRate < longest() + 1;
}

Result<void> AlignStream::haveWords(std::size_t count, const CancelToken& cancel)
{
    while (m_words.size() < count && m_line < m_script.lines.size()) {
        const std::size_t end = std::min(m_script.lines.size(), m_line + kLinesAtOnce);
        LQ_TRY(auto words, alignWordsOf(m_script, m_line, end, *m_phonemes, cancel));
        std::move(words.begin(), words.end(), std::back_inserter(m_words));
        m_line = end;
    }
    return {};
}

void AlignStream::missed(double seconds)
{
    if (m_misses++ == 0)
        m_missedFrom = m_start;
    if (m_misses < kMostMisses && seconds > 0)
        return;
    m_over = true;
    m_warnings.push_back("From " + clock(m_missedFrom) + " on the text could not be found in the recording, so the lips "
                                                         "follow the sound alone; check that the text is what is said.");
}

void AlignStream::judge(const Timing& timing)
{
    for (const Word& word : timing.words)
        m_confidence += static_cast<double>(word.confidence);
    m_judged += timing.words.size();
    if (m_doubted || m_judged < kEnoughWords || m_confidence > kPoorConfidence * static_cast<double>(m_judged))
        return;
    m_doubted = true;
    m_warnings.push_back("The text seems not to be what is said in the recording; the lips may not fit.");
}

// In noise the decoder finds nothing, words with little confidence, or some of them and no more: then the window is tried
// without it, and the denser reading counts. Where one window was noisy, the next ones are tried without noise first.
Result<AlignWindow> AlignStream::alignWindow(const AudioBlock& sound, const std::vector<AlignWord>& words,
                                             WindowLimits limits, bool isLast, const CancelToken& cancel)
{
    const bool isNoisy = m_denoiser != nullptr && loudnessRange(frameEnergies(sound)) < kNoisyRange;
    const auto asItIs = [&] { return m_sphinx.alignWindow(sound, words, limits, isLast, cancel); };
    const auto withoutNoise = [&]() -> Result<AlignWindow> {
        LQ_TRY(const AudioBlock quiet, m_denoiser->run(sound, cancel));
        return m_sphinx.alignWindow(quiet, words, limits, isLast, cancel);
    };
    const bool quietFirst = isNoisy && m_noisy;
    auto first = quietFirst ? withoutNoise() : asItIs();
    const bool isOurs = !first && (first.error().isCancelled() || first.error().code() == ErrorCode::Internal);
    if (m_denoiser == nullptr || isOurs || (first && sureness(*first) >= kPoorConfidence && (quietFirst || !isNoisy)))
        return first;
    auto second = quietFirst ? asItIs() : withoutNoise();
    if (!second) {
        if (second.error().isCancelled())
            return second;
        log(LogLevel::Info, "speech", second.error().logText());
        return first;
    }
    if (second->words == 0 || (first && density(*second) <= density(*first)))
        return first;
    if (!quietFirst && !std::exchange(m_noisy, true))
        m_warnings.push_back("The recording is noisy: its words were looked for in a copy without the noise.");
    return second;
}

Result<AlignedStretch> AlignStream::next(bool ended, const CancelToken& cancel)
{
    const WindowLimits limits = limitsOf(m_windows);
    const double held = static_cast<double>(m_sound.size()) / kRate;
    const bool isLast = ended && held <= limits.longest;
    const auto wanted = static_cast<std::size_t>(std::min(held, limits.longest) * kWordsPerSecond) + 6;
    LQ_CHECKED(haveWords(wanted, cancel));
    AlignedStretch out;
    if (m_words.empty() || m_sound.empty()) {
        m_over = true;
        out.end = m_start + held;
        return out;
    }
    AudioBlock sound{kRate, 1, std::move(m_sound)};
    const auto most = static_cast<std::ptrdiff_t>(std::min(wanted, m_words.size()));
    auto window = alignWindow(sound, {m_words.begin(), m_words.begin() + most}, limits, isLast, cancel);
    m_sound = std::move(sound.samples);
    if (!window && (window.error().isCancelled() || window.error().code() == ErrorCode::Internal))
        return fail(std::move(window).error());
    if (!window) // the decoder lost the words on the way
        log(LogLevel::Info, "speech", window.error().logText());
    const std::size_t samples = window ? std::min(window->samples, m_sound.size())
                                       : std::min(m_sound.size(), static_cast<std::size_t>(limits.shortest * kRate));
    const double seconds = static_cast<double>(samples) / kRate;
    if (window && window->words > 0) {
        m_misses = 0;
        m_words.erase(m_words.begin(), m_words.begin() + static_cast<std::ptrdiff_t>(window->words));
        out.timing = std::move(window->timing);
        shift(out.timing, m_start);
        judge(out.timing);
    } else {
        missed(isLast ? 0 : seconds);
    }
    out.timing.language = m_script.language;
    out.timing.source = TimingSource::Alignment;
    m_sound.erase(m_sound.begin(), m_sound.begin() + static_cast<std::ptrdiff_t>(samples));
    m_start += seconds;
    ++m_windows;
    out.end = m_start;
    LQ_CHECKED(haveWords(1, cancel));
    if (isLast && m_sound.empty() && !m_over && !m_words.empty())
        m_warnings.push_back("The recording ends before its text does.");
    m_over = m_over || m_words.empty() || (ended && m_sound.empty());
    return out;
}

std::vector<std::string> AlignStream::takeWarnings()
{
    return std::exchange(m_warnings, {});
}

} // namespace loquor::speech
