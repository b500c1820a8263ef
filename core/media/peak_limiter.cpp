#include "core/media/peak_limiter.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loquor::media {

namespace {

constexpr std::size_t kTaps = 8; // on each side of a place between two samples
constexpr std::size_t kPhases = 3;
using Kernel = std::array<std::array<float, 2 * kTaps>, kPhases>;

// The four-fold over-sampled curve through a short window.
Kernel makeKernel()
{
    Kernel kernel{};
    for (std::size_t p = 0; p < kPhases; ++p) {
        const double shift = static_cast<double>(p + 1) / 4.0;
        for (std::size_t k = 0; k < 2 * kTaps; ++k) {
            const double x = static_cast<double>(k) - (kTaps - 1) - shift;
            const double window = 0.5 + 0.5 * std::cos(M_PI * x / kTaps);
            kernel[p][k] = static_cast<float>(std::sin(M_PI * x) / (M_PI * x) * window);
        }
    }
    return kernel;
}

const Kernel& kernel()
{
    static const Kernel made = makeKernel();
    return made;
}

// No curve through samples below a third of the ceiling reaches it: the taps of a phase add up to less than three.
constexpr float kHarmless = 1.0f / 3;
constexpr std::size_t kStretch = 64; // frames that are looked at together

// Straight ramps in dB: down to a peak within 3 ms, up again within about 80 ms for 12 dB.
float ramp(double seconds, int sampleRate)
{
    return std::pow(10.0f, 12.0f / 20.0f / (static_cast<float>(seconds) * static_cast<float>(sampleRate)));
}

} // namespace

PeakLimiter::PeakLimiter(int sampleRate, int channels, double ceilingDb)
    : m_channels(static_cast<std::size_t>(channels)),
      m_ahead(static_cast<std::size_t>(std::ceil(.025 * sampleRate))), // the ramp goes down 100 dB in that time
      m_ceiling(static_cast<float>(std::pow(10.0, ceilingDb / 20.0))),
      m_down(ramp(.003, sampleRate)),
      m_up(ramp(.080, sampleRate))
{
}

// The curve between this frame and the next.
void PeakLimiter::comparePlaces(std::size_t frame)
{
    const std::size_t frames = m_peaks.size();
    for (std::size_t c = 0; c < m_channels; ++c) {
        for (const auto& taps : kernel()) {
            float sum = 0;
            for (std::size_t k = 0; k < taps.size(); ++k) {
                const std::size_t at = frame + k;
                if (at >= kTaps - 1 && at - (kTaps - 1) < frames)
                    sum += taps[k] * m_samples[(at - (kTaps - 1)) * m_channels + c];
            }
            m_peaks[frame] = std::max(m_peaks[frame], std::abs(sum));
            m_peaks[frame + 1] = std::max(m_peaks[frame + 1], std::abs(sum));
        }
    }
}

// Of the frames up to `end`, behind which there is another one.
void PeakLimiter::findPeaks(std::size_t end)
{
    const std::size_t frames = m_peaks.size();
    while (m_known < end) {
        const std::size_t stop = std::min(end, m_known + kStretch);
        const std::size_t first = m_known - std::min(m_known, kTaps), last = std::min(frames, stop + kTaps);
        float loudest = 0;
        for (std::size_t i = first * m_channels; i < last * m_channels; ++i)
            loudest = std::max(loudest, std::abs(m_samples[i]));
        if (loudest > m_ceiling * kHarmless) {
            for (std::size_t i = m_known; i < stop; ++i)
                comparePlaces(i);
        }
        m_known = stop;
    }
}

// Hands out `count` frames; the peaks before `end` are final.
void PeakLimiter::emit(std::size_t end, std::size_t count, std::vector<float>& out)
{
    std::vector<float> gain(m_peaks.begin() + static_cast<std::ptrdiff_t>(m_handedOut),
                            m_peaks.begin() + static_cast<std::ptrdiff_t>(end));
    for (float& value : gain)
        value = value > m_ceiling ? m_ceiling / value : 1.0f;
    for (std::size_t i = gain.size(); i-- > 1;)
        gain[i - 1] = std::min(gain[i - 1], gain[i] * m_down);
    for (std::size_t i = 0; i < count; ++i) {
        m_lastGain = gain[i] = std::min(gain[i], m_lastGain * m_up);
        const float* from = m_samples.data() + (m_handedOut + i) * m_channels;
        for (std::size_t c = 0; c < m_channels; ++c)
            out.push_back(gain[i] < 1.0f ? from[c] * gain[i] : from[c]);
    }
    m_handedOut += count;
}

void PeakLimiter::push(const float* samples, SampleIndex frames, std::vector<float>& out)
{
    constexpr std::size_t kKept = kTaps; // frames that the curve behind them needs
    if (m_handedOut > kKept) {
        const std::size_t gone = m_handedOut - kKept;
        m_samples.erase(m_samples.begin(), m_samples.begin() + static_cast<std::ptrdiff_t>(gone * m_channels));
        m_peaks.erase(m_peaks.begin(), m_peaks.begin() + static_cast<std::ptrdiff_t>(gone));
        m_handedOut -= gone;
        m_known -= gone;
    }
    m_samples.insert(m_samples.end(), samples, samples + static_cast<std::size_t>(frames) * m_channels);
    for (SampleIndex i = 0; i < frames; ++i, samples += m_channels) {
        float peak = 0;
        for (std::size_t c = 0; c < m_channels; ++c)
            peak = std::max(peak, std::abs(samples[c]));
        m_peaks.push_back(peak);
    }
    if (m_peaks.size() > kTaps)
        findPeaks(std::max(m_known, m_peaks.size() - kTaps));
    if (m_known > m_handedOut + m_ahead)
        emit(m_known, m_known - m_handedOut - m_ahead, out);
}

void PeakLimiter::finish(std::vector<float>& out)
{
    if (m_peaks.size() > 1)
        findPeaks(m_peaks.size() - 1);
    emit(m_peaks.size(), m_peaks.size() - m_handedOut, out);
}

} // namespace loquor::media
