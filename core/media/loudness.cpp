#include "core/media/loudness.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <ebur128.h>

#include "core/base/check.h"

namespace loquor::media {

namespace {

struct DestroyMeter
{
    void operator()(ebur128_state* state) const { ebur128_destroy(&state); }
};
using Meter = std::unique_ptr<ebur128_state, DestroyMeter>;

double fromDb(double db)
{
    return std::pow(10.0, db / 20.0);
}

double toDb(double factor)
{
    return factor > 1e-10 ? 20.0 * std::log10(factor) : -200.0;
}

// Peak of each sample frame between its neighbours too: the four-fold over-sampled curve through a
// short window, so that a peak between two samples counts for both.
std::vector<float> framePeaks(const AudioBlock& block)
{
    const auto frames = static_cast<std::size_t>(block.frames());
    const auto channels = static_cast<std::size_t>(block.channels);
    constexpr int kTaps = 8; // on each side
    constexpr int kPhases = 3;
    float kernel[kPhases][2 * kTaps];
    for (int p = 0; p < kPhases; ++p) {
        const double shift = (p + 1) / 4.0;
        for (int k = 0; k < 2 * kTaps; ++k) {
            const double x = k - (kTaps - 1) - shift;
            const double window = 0.5 + 0.5 * std::cos(M_PI * x / kTaps);
            kernel[p][k] = static_cast<float>(std::sin(M_PI * x) / (M_PI * x) * window);
        }
    }
    std::vector<float> peaks(frames, 0.0f);
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t i = 0; i < frames; ++i) {
            peaks[i] = std::max(peaks[i], std::abs(block.samples[i * channels + c]));
            if (i + 1 == frames)
                continue;
            for (const auto& taps : kernel) {
                float sum = 0;
                for (std::size_t k = 0; k < std::size(taps); ++k) {
                    const std::size_t at = i + k;
                    if (at >= kTaps - 1 && at - (kTaps - 1) < frames)
                        sum += taps[k] * block.samples[(at - (kTaps - 1)) * channels + c];
                }
                peaks[i] = std::max(peaks[i], std::abs(sum));
                peaks[i + 1] = std::max(peaks[i + 1], std::abs(sum));
            }
        }
    return peaks;
}

} // namespace

Loudness measureLoudness(const AudioBlock& block)
{
    Loudness result;
    if (block.samples.empty())
        return result;
    const Meter meter(ebur128_init(static_cast<unsigned int>(block.channels),
                                   static_cast<unsigned long>(block.sampleRate),
                                   EBUR128_MODE_I | EBUR128_MODE_TRUE_PEAK));
    LOQUOR_CHECK(meter != nullptr, "no loudness meter for this rate");
    if (block.channels == 1) // one channel that is heard from two speakers
        ebur128_set_channel(meter.get(), 0, EBUR128_DUAL_MONO);
    ebur128_add_frames_float(meter.get(), block.samples.data(),
                             static_cast<std::size_t>(block.frames()));
    double lufs = 0;
    if (ebur128_loudness_global(meter.get(), &lufs) == EBUR128_SUCCESS && std::isfinite(lufs))
        result.integratedLufs = std::max(lufs, -70.0);
    double peak = 0;
    for (unsigned int c = 0; c < static_cast<unsigned int>(block.channels); ++c) {
        double value = 0;
        if (ebur128_true_peak(meter.get(), c, &value) == EBUR128_SUCCESS)
            peak = std::max(peak, value);
    }
    result.truePeakDb = toDb(peak);
    return result;
}

void limitPeaks(AudioBlock& block, double ceilingDb)
{
    const auto frames = static_cast<std::size_t>(block.frames());
    const auto channels = static_cast<std::size_t>(block.channels);
    const auto ceiling = static_cast<float>(fromDb(ceilingDb));
    std::vector<float> gain = framePeaks(block);
    bool isAnyOver = false;
    for (float& value : gain) {
        isAnyOver = isAnyOver || value > ceiling;
        value = value > ceiling ? ceiling / value : 1.0f;
    }
    if (!isAnyOver)
        return;
    // Straight ramps in dB: down to a peak within 3 ms, up again within about 80 ms for 12 dB.
    const auto rate = static_cast<float>(block.sampleRate);
    const float down = std::pow(10.0f, 12.0f / 20.0f / (0.003f * rate));
    const float up = std::pow(10.0f, 12.0f / 20.0f / (0.080f * rate));
    for (std::size_t i = frames - 1; i-- > 0;)
        gain[i] = std::min(gain[i], gain[i + 1] * down);
    for (std::size_t i = 1; i < frames; ++i)
        gain[i] = std::min(gain[i], gain[i - 1] * up);
    for (std::size_t i = 0; i < frames; ++i)
        if (gain[i] < 1.0f)
            for (std::size_t c = 0; c < channels; ++c)
                block.samples[i * channels + c] *= gain[i];
}

LoudnessChange normaliseLoudness(AudioBlock& block, double targetLufs, double ceilingDb,
                                 double mostGainDb)
{
    LoudnessChange change;
    const Loudness before = measureLoudness(block);
    if (before.integratedLufs <= -70)
        return change;
    change.gainDb = std::min(targetLufs - before.integratedLufs, mostGainDb);
    const auto factor = static_cast<float>(fromDb(change.gainDb));
    for (float& sample : block.samples)
        sample *= factor;
    const double peakDb = before.truePeakDb + change.gainDb;
    limitPeaks(block, ceilingDb);
    change.limitedDb = std::max(0.0, peakDb - ceilingDb);
    return change;
}

} // namespace loquor::media
