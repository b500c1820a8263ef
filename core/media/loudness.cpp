#include "core/media/loudness.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <ebur128.h>

#include "core/base/check.h"
#include "core/media/peak_limiter.h"

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

Loudness resultOf(ebur128_state* meter)
{
    Loudness result;
    double lufs = 0;
    if (ebur128_loudness_global(meter, &lufs) == EBUR128_SUCCESS && std::isfinite(lufs))
        result.integratedLufs = std::max(lufs, -70.0);
    double peak = 0;
    for (unsigned int c = 0; c < meter->channels; ++c) {
        double value = 0;
        if (ebur128_true_peak(meter, c, &value) == EBUR128_SUCCESS)
            peak = std::max(peak, value);
    }
    result.truePeakDb = toDb(peak);
    return result;
}

Meter makeMeter(int sampleRate, int channels, int mode)
{
    Meter meter(ebur128_init(static_cast<unsigned int>(channels), static_cast<unsigned long>(sampleRate), mode));
    LOQUOR_CHECK(meter != nullptr, "no loudness meter for this rate");
    if (channels == 1) // one channel that is heard from two speakers
        ebur128_set_channel(meter.get(), 0, EBUR128_DUAL_MONO);
    return meter;
}

} // namespace

Loudness measureLoudness(const AudioBlock& block)
{
    if (block.samples.empty())
        return {};
    const Meter meter = makeMeter(block.sampleRate, block.channels, EBUR128_MODE_I | EBUR128_MODE_TRUE_PEAK);
    ebur128_add_frames_float(meter.get(), block.samples.data(), static_cast<std::size_t>(block.frames()));
    return resultOf(meter.get());
}

struct LoudnessMeter::Impl
{
    Meter meter;
};

LoudnessMeter::LoudnessMeter(int sampleRate, int channels)
    : m(new Impl{makeMeter(sampleRate, channels, EBUR128_MODE_I | EBUR128_MODE_TRUE_PEAK | EBUR128_MODE_HISTOGRAM)})
{
}
LoudnessMeter::~LoudnessMeter() = default;

void LoudnessMeter::add(const float* samples, SampleIndex frames)
{
    ebur128_add_frames_float(m->meter.get(), samples, static_cast<std::size_t>(frames));
}

Loudness LoudnessMeter::result() const
{
    return resultOf(m->meter.get());
}

void limitPeaks(AudioBlock& block, double ceilingDb)
{
    std::vector<float> limited;
    limited.reserve(block.samples.size());
    PeakLimiter limiter(block.sampleRate, block.channels, ceilingDb);
    limiter.push(block.samples.data(), block.frames(), limited);
    limiter.finish(limited);
    block.samples = std::move(limited);
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
