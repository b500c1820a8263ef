#include "core/pipeline/line_grid.h"

#include <algorithm>
#include <vector>

#include "core/base/check.h"

namespace loquor::pipeline {

FrameIndex framesOfLine(SampleIndex samples, int sampleRate, Rational fps)
{
    return samples > 0 ? frameOf(samples - 1, sampleRate, fps) + 1 : 0;
}

SampleIndex samplesOfLine(FrameIndex frames, int sampleRate, Rational fps)
{
    return firstSampleOf(frames, sampleRate, fps);
}

SampleIndex paddingToFrame(SampleIndex start, SampleIndex samples, int sampleRate, Rational fps)
{
    const SampleIndex end = start + samples;
    return firstSampleOf(frameOf(end - 1, sampleRate, fps) + 1, sampleRate, fps) - end;
}

namespace {

// Sum of squares before each sample, so that any window is one subtraction.
std::vector<double> cumulativeEnergy(std::span<const float> mono)
{
    std::vector<double> sum(mono.size() + 1, 0.0);
    for (std::size_t i = 0; i < mono.size(); ++i)
        sum[i + 1] = sum[i] + static_cast<double>(mono[i]) * static_cast<double>(mono[i]);
    return sum;
}

} // namespace

SampleIndex cutAtPause(std::span<const float> mono, SampleIndex start, int sampleRate, Rational fps,
                       CutLimits limits)
{
    LOQUOR_CHECK(sampleRate > 0 && fps.num > 0, "rates must be positive");
    const auto total = static_cast<SampleIndex>(mono.size());
    const auto minimum = static_cast<SampleIndex>(limits.minSeconds * sampleRate);
    const auto maximum = static_cast<SampleIndex>(limits.maxSeconds * sampleRate);
    if (total <= maximum && total < minimum * 2)
        return total;
    const std::vector<double> energy = cumulativeEnergy(mono);
    const SampleIndex half = std::max<SampleIndex>(1, sampleRate / 20); // 50 ms to each side
    const SampleIndex last = std::min(maximum, total - 1);
    SampleIndex best = 0;
    double quietest = 0;
    for (FrameIndex frame = framesCovering(start + minimum, sampleRate, fps);; ++frame) {
        const SampleIndex cut = firstSampleOf(frame, sampleRate, fps) - start;
        if (cut > last)
            break;
        const auto from = static_cast<std::size_t>(std::max<SampleIndex>(0, cut - half));
        const auto to = static_cast<std::size_t>(std::min(total, cut + half));
        const double around = (energy[to] - energy[from]) / static_cast<double>(to - from);
        if (best == 0 || around < quietest) {
            best = cut;
            quietest = around;
        }
    }
    return best > 0 ? best : total; // a frame longer than the limits: no boundary inside
}

} // namespace loquor::pipeline
