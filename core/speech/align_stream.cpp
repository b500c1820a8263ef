#include "core/speech/align_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/log.h"
#include "core/speech/align.h"
#include "core/speech/align_windows.h"
#include "core/speech/audio_features.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr int kMostMisses = 3;
constexpr std::size_t kEnoughWords = 20; // to judge by
constexpr float kNoisyRange = 4.5f;      // of log energy

std::string clock(double seconds)
{
    const auto whole = static_cast<long>(seconds);
    const std::string rest = std::to_string(whole % 60);
    return std::to_string(whole / 60) + ':' + (rest.size() < 2 ? "0" : "") + rest;
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

bool isNoisy(const AudioBlock& mono)
{
    return loudnessRange(frameEnergies(mono)) < kNoisyRange;
}

AlignStream::AlignStream(std::unique_ptr<WindowAligner> windows, std::string language, std::vector<std::string> warnings)
    : m_aligner(std::move(windows)), m_language(std::move(language)), m_warnings(std::move(warnings))
{
}

AlignStream::~AlignStream() = default;

void AlignStream::add(const std::vector<float>& samples)
{
    m_sound.insert(m_sound.end(), samples.begin(), samples.end());
}

// Seconds that the next window looks at, at most.
double AlignStream::reach() const
{
    const WindowPlan plan = m_aligner->plan(m_windows);
    return plan.limits.longest + plan.ahead;
}

bool AlignStream::wantsSound() const
{
    return !m_over && static_cast<double>(m_sound.size()) / kRate < reach() + 1;
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
    if (m_doubted || m_judged < kEnoughWords || m_confidence > kDoubtfulWord * static_cast<double>(m_judged))
        return;
    m_doubted = true;
    m_warnings.push_back("The text seems not to be what is said in the recording; the lips may not fit.");
}

Result<AlignedStretch> AlignStream::next(bool ended, const CancelToken& cancel)
{
    const WindowPlan plan = m_aligner->plan(m_windows);
    const double held = static_cast<double>(m_sound.size()) / kRate;
    const bool isLast = ended && held <= reach();
    LQ_TRY(const bool hasWords, m_aligner->hasWords(cancel));
    AlignedStretch out;
    if (!hasWords || m_sound.empty()) {
        m_over = true;
        out.end = m_start + held;
        return out;
    }
    AudioBlock sound{kRate, 1, std::move(m_sound)};
    auto window = m_aligner->next(sound, plan, isLast, cancel);
    m_sound = std::move(sound.samples);
    if (!window && (window.error().isCancelled() || window.error().code() == ErrorCode::Internal))
        return fail(std::move(window).error());
    if (!window) // the words were lost on the way
        log(LogLevel::Info, "speech", window.error().logText());
    const std::size_t samples = window ? std::min(window->samples, m_sound.size())
                                       : std::min(m_sound.size(), static_cast<std::size_t>(plan.limits.shortest * kRate));
    const double seconds = static_cast<double>(samples) / kRate;
    if (window && window->words > 0) {
        m_misses = 0;
        out.timing = std::move(window->timing);
        shift(out.timing, m_start);
        judge(out.timing);
    } else {
        missed(isLast ? 0 : seconds);
    }
    out.timing.language = m_language;
    out.timing.source = TimingSource::Alignment;
    m_sound.erase(m_sound.begin(), m_sound.begin() + static_cast<std::ptrdiff_t>(samples));
    m_start += seconds;
    ++m_windows;
    out.end = m_start;
    for (std::string& warning : m_aligner->takeWarnings())
        m_warnings.push_back(std::move(warning));
    LQ_TRY(const bool hasMore, m_aligner->hasWords(cancel));
    if (isLast && m_sound.empty() && !m_over && hasMore)
        m_warnings.push_back("The recording ends before its text does.");
    m_over = m_over || !hasMore || (ended && m_sound.empty());
    return out;
}

std::vector<std::string> AlignStream::takeWarnings()
{
    return std::exchange(m_warnings, {});
}

} // namespace loquor::speech
