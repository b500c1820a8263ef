#include "core/speech/acoustic_windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/log.h"
#include "core/speech/align.h"
#include "core/speech/align_words.h"
#include "core/speech/denoise.h"

namespace loquor::speech {

namespace {

constexpr std::size_t kLinesAtOnce = 24; // whose pronunciations are asked for together
constexpr double kWordsPerSecond = 4.5;  // nobody reads faster

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

} // namespace

AcousticWindows::AcousticWindows(Script script, SphinxAligner& sphinx, std::shared_ptr<PhonemeClient> phonemes, Denoiser* denoiser)
    : m_script(std::move(script)), m_sphinx(sphinx), m_phonemes(std::move(phonemes)), m_denoiser(denoiser)
{
}

WindowPlan AcousticWindows::plan(int number) const
{
    if (number == 0)
        return {{4, 11}, 0};
    if (number == 1)
        return {{8, 20}, 0};
    return {};
}

Result<void> AcousticWindows::haveWords(std::size_t count, const CancelToken& cancel)
{
    while (m_words.size() < count && m_line < m_script.lines.size()) {
        const std::size_t end = std::min(m_script.lines.size(), m_line + kLinesAtOnce);
        LQ_TRY(auto words, alignWordsOf(m_script, m_line, end, *m_phonemes, cancel));
        std::move(words.begin(), words.end(), std::back_inserter(m_words));
        m_line = end;
    }
    return {};
}

Result<bool> AcousticWindows::hasWords(const CancelToken& cancel)
{
    LQ_CHECKED(haveWords(1, cancel));
    return !m_words.empty();
}

// In noise the decoder finds nothing, words with little confidence, or some of them and no more: then the window is tried
// without it, and the denser reading counts. Where one window was noisy, the next ones are tried without noise first.
Result<AlignWindow> AcousticWindows::alignWindow(const AudioBlock& sound, const std::vector<AlignWord>& words,
                                                 WindowLimits limits, bool isLast, const CancelToken& cancel)
{
    const bool noisy = m_denoiser != nullptr && isNoisy(sound);
    const auto asItIs = [&] { return m_sphinx.alignWindow(sound, words, limits, isLast, cancel); };
    const auto withoutNoise = [&]() -> Result<AlignWindow> {
        LQ_TRY(const AudioBlock quiet, m_denoiser->run(sound, cancel));
        return m_sphinx.alignWindow(quiet, words, limits, isLast, cancel);
    };
    const bool quietFirst = noisy && m_noisy;
    auto first = quietFirst ? withoutNoise() : asItIs();
    const bool isOurs = !first && (first.error().isCancelled() || first.error().code() == ErrorCode::Internal);
    if (m_denoiser == nullptr || isOurs || (first && sureness(*first) >= kDoubtfulWord && (quietFirst || !noisy)))
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
        m_warnings.push_back(kNoisyNote);
    return second;
}

Result<AlignWindow> AcousticWindows::next(const AudioBlock& sound, const WindowPlan& plan, bool isLast, const CancelToken& cancel)
{
    const auto wanted = static_cast<std::size_t>(std::min(sound.seconds(), plan.limits.longest) * kWordsPerSecond) + 6;
    LQ_CHECKED(haveWords(wanted, cancel));
    const auto most = static_cast<std::ptrdiff_t>(std::min(wanted, m_words.size()));
    auto window = alignWindow(sound, {m_words.begin(), m_words.begin() + most}, plan.limits, isLast, cancel);
    if (window)
        m_words.erase(m_words.begin(), m_words.begin() + static_cast<std::ptrdiff_t>(window->words));
    return window;
}

std::int32_t AcousticWindows::textAt() const
{
    if (!m_words.empty())
        return m_words.front().begin;
    return m_line < m_script.lines.size() ? static_cast<std::int32_t>(m_script.lines[m_line].sourceBegin) : 0;
}

std::vector<std::string> AcousticWindows::takeWarnings()
{
    return std::exchange(m_warnings, {});
}

} // namespace loquor::speech
