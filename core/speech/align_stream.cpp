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
constexpr float kVeryNoisyRange = 2.3f;  // white noise 5 dB below speech: 2.8, as loud as it: 1.8
constexpr float kSmallestRange = 0.8f;   // less is noise alone
constexpr const char* kLessExact = " times come from a comparison with a synthetic reading and are less exact.";

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

// Mostly: what a comparison finds where something else is said.
bool isDoubtful(const Timing& timing)
{
    double sum = 0;
    for (const Word& word : timing.words)
        sum += static_cast<double>(word.confidence);
    return sum < kDoubtfulWord * static_cast<double>(timing.words.size());
}

} // namespace

bool isNoisy(const AudioBlock& mono)
{
    return loudnessRange(frameEnergies(mono)) < kNoisyRange;
}

bool isVeryNoisy(const AudioBlock& mono)
{
    const float range = loudnessRange(frameEnergies(mono));
    return range >= kSmallestRange && range < kVeryNoisyRange;
}

AlignStream::AlignStream(std::unique_ptr<WindowAligner> windows, std::string language, std::vector<std::string> warnings, Other other)
    : m_aligner(std::move(windows)), m_other(std::move(other)), m_language(std::move(language)), m_warnings(std::move(warnings))
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

void AlignStream::tell(std::string warning)
{
    if (std::find(m_told.begin(), m_told.end(), warning) != m_told.end())
        return;
    m_told.push_back(warning);
    m_warnings.push_back(std::move(warning));
}

// A window without words; true when it was the last one that is waited for.
bool AlignStream::isLost(double seconds)
{
    if (m_misses++ == 0)
        m_missedFrom = m_start;
    return m_misses >= kMostMisses || seconds <= 0;
}

void AlignStream::giveUp()
{
    m_over = true;
    tell("From " + clock(m_missedFrom) + " on the text could not be found in the recording, so the lips "
                                         "follow the sound alone; check that the text is what is said.");
}

// The sound goes on behind a window; what was missed is kept for another try.
void AlignStream::pass(std::size_t samples)
{
    const auto end = m_sound.begin() + static_cast<std::ptrdiff_t>(samples);
    if (m_misses == 0)
        m_missed.clear();
    else if (m_other)
        m_missed.insert(m_missed.end(), m_sound.begin(), end);
    m_sound.erase(m_sound.begin(), end);
    m_start += static_cast<double>(samples) / kRate;
    ++m_windows;
}

void AlignStream::takeOther(const std::string& why)
{
    for (std::string& warning : m_aligner->takeWarnings())
        tell(std::move(warning));
    tell("From " + clock(m_start) + " on " + why + ':' + kLessExact);
    m_aligner = std::exchange(m_other, {})(m_aligner->textAt());
    m_misses = 0;
}

// Back to where the text was lost, in the other way. False: there is none, or nobody speaks there.
bool AlignStream::tryAgain()
{
    if (!m_other || loudnessRange(frameEnergies({kRate, 1, m_missed})) < kSmallestRange)
        return false;
    m_start = m_missedFrom;
    m_sound.insert(m_sound.begin(), m_missed.begin(), m_missed.end());
    m_missed.clear();
    m_isSecondTry = true;
    takeOther("the acoustic model could not find the text");
    return true;
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
    if (m_other && !m_aligner->isFitFor(sound)) {
        m_sound = std::move(sound.samples);
        takeOther("the recording is very noisy");
        out.end = m_start;
        return out;
    }
    auto window = m_aligner->next(sound, plan, isLast, cancel);
    m_sound = std::move(sound.samples);
    if (!window && (window.error().isCancelled() || window.error().code() == ErrorCode::Internal))
        return fail(std::move(window).error());
    if (!window) // the words were lost on the way
        log(LogLevel::Info, "speech", window.error().logText());
    const std::size_t samples = window ? std::min(window->samples, m_sound.size())
                                       : std::min(m_sound.size(), static_cast<std::size_t>(plan.limits.shortest * kRate));
    bool lost = false;
    if (window && window->words > 0 && !(m_isSecondTry && isDoubtful(window->timing))) {
        m_misses = 0;
        out.timing = std::move(window->timing);
        shift(out.timing, m_start);
        judge(out.timing);
    } else {
        lost = isLost(isLast ? 0 : static_cast<double>(samples) / kRate);
    }
    out.timing.language = m_language;
    out.timing.source = TimingSource::Alignment;
    pass(samples);
    for (std::string& warning : m_aligner->takeWarnings())
        tell(std::move(warning));
    if (lost && !tryAgain())
        giveUp();
    out.end = m_misses > 0 && m_other && !m_over ? m_missedFrom : m_start; // what is missed may be found yet
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
