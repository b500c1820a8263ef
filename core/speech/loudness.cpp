#include "core/speech/loudness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <ebur128.h>

namespace loquor::speech {

namespace {

constexpr int kOversample = 4;
constexpr int kTaps = 12; // per phase
constexpr double kAheadSeconds = 0.004;
constexpr double kReleaseSeconds = 0.060;

using Phases = std::array<std::array<float, kTaps>, kOversample>;

// Windowed sinc: the sample values between two samples, for true peaks.
constexpr int kMiddle = kTaps / 2 - 1;

const Phases& interpolator()
{
    static const Phases table = [] {
        Phases p{};
        for (int phase = 0; phase < kOversample; ++phase) {
            double sum = 0;
            std::array<double, kTaps> h{};
            for (int k = 0; k < kTaps; ++k) {
                const double x = k - kMiddle - static_cast<double>(phase) / kOversample;
                const double sinc = x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
                const double w = std::cos(std::numbers::pi * x / (kTaps + 1));
                h[static_cast<std::size_t>(k)] = sinc * w * w;
                sum += h[static_cast<std::size_t>(k)];
            }
            for (int k = 0; k < kTaps; ++k)
                p[static_cast<std::size_t>(phase)][static_cast<std::size_t>(k)] =
                    static_cast<float>(h[static_cast<std::size_t>(k)] / sum);
        }
        return p;
    }();
    return table;
}

// For every sample the largest magnitude between it and its neighbours.
std::vector<float> truePeaks(const std::vector<float>& x)
{
    const auto n = static_cast<std::ptrdiff_t>(x.size());
    std::vector<float> peaks(x.size());
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        float peak = std::abs(x[static_cast<std::size_t>(i)]);
        for (std::size_t phase = 1; phase < kOversample; ++phase) {
            float sum = 0;
            for (int k = 0; k < kTaps; ++k) {
                const std::ptrdiff_t at = i + k - (kTaps / 2 - 1);
                if (at >= 0 && at < n)
                    sum += interpolator()[phase][static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(at)];
            }
            peak = std::max(peak, std::abs(sum));
        }
        peaks[static_cast<std::size_t>(i)] = peak;
    }
    return peaks;
}

struct CloseState
{
    void operator()(ebur128_state* s) const { ebur128_destroy(&s); }
};

} // namespace

std::optional<Loudness> measureLoudness(const AudioBlock& audio)
{
    if (audio.channels < 1 || audio.sampleRate < 1 || audio.samples.empty())
        return std::nullopt;
    const std::unique_ptr<ebur128_state, CloseState> state(
        ebur128_init(static_cast<unsigned>(audio.channels), static_cast<unsigned long>(audio.sampleRate),
                     EBUR128_MODE_I | EBUR128_MODE_TRUE_PEAK));
    if (!state || ebur128_add_frames_float(state.get(), audio.samples.data(),
                                           static_cast<std::size_t>(audio.frames())) != EBUR128_SUCCESS)
        return std::nullopt;
    Loudness out;
    if (ebur128_loudness_global(state.get(), &out.lufs) != EBUR128_SUCCESS || !std::isfinite(out.lufs))
        return std::nullopt;
    double highest = 0;
    for (unsigned c = 0; c < static_cast<unsigned>(audio.channels); ++c) {
        double peak = 0;
        if (ebur128_true_peak(state.get(), c, &peak) == EBUR128_SUCCESS)
            highest = std::max(highest, peak);
    }
    out.truePeakDb = 20 * std::log10(std::max(highest, 1e-9));
    return out;
}

void applyGainLimited(AudioBlock& audio, double gainDb)
{
    const float gain = static_cast<float>(std::pow(10.0, gainDb / 20));
    for (float& s : audio.samples)
        s *= gain;
    // A little under the ceiling: the interpolator above is shorter than the one that measures.
    const float ceiling = static_cast<float>(std::pow(10.0, (kCeilingDbtp - 0.3) / 20));
    const std::vector<float> peaks = truePeaks(audio.samples);
    const std::size_t n = peaks.size();
    if (n == 0 || *std::max_element(peaks.begin(), peaks.end()) <= ceiling)
        return;
    const auto ahead = static_cast<std::size_t>(std::max(1.0, kAheadSeconds * audio.sampleRate));
    // 1: needed gain, held `ahead` samples before and after each peak (a sliding minimum).
    std::vector<float> needed(n);
    for (std::size_t i = 0; i < n; ++i)
        needed[i] = peaks[i] > ceiling ? ceiling / peaks[i] : 1.0f;
    std::vector<float> held(n, 1.0f);
    std::vector<std::size_t> window; // indices with growing values; front is the minimum
    std::size_t front = 0;
    for (std::size_t i = 0; i < n + ahead; ++i) {
        if (i < n) {
            while (window.size() > front && needed[window.back()] >= needed[i])
                window.pop_back();
            window.push_back(i);
        }
        if (i < ahead)
            continue;
        const std::size_t at = i - ahead;
        while (window[front] + ahead < at)
            ++front;
        held[at] = needed[window[front]];
    }
    // 2: slow way back up, 3: smoothing by a moving average of the same reach, which never rises above
    // what is needed at the peak, because the minimum was held that long.
    const float release = static_cast<float>(1.0 - std::exp(-1.0 / (kReleaseSeconds * audio.sampleRate)));
    float level = 1.0f;
    for (std::size_t i = 0; i < n; ++i) {
        level = std::min(held[i], level + (1.0f - level) * release);
        held[i] = level;
    }
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < std::min(ahead, n); ++i, ++count)
        sum += static_cast<double>(held[i]);
    for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) {
            sum += static_cast<double>(held[i + ahead]);
            ++count;
        }
        if (i > ahead) {
            sum -= static_cast<double>(held[i - ahead - 1]);
            --count;
        }
        audio.samples[i] *= static_cast<float>(sum / static_cast<double>(count));
    }
}

} // namespace loquor::speech
