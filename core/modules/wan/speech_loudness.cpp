#include "core/modules/wan/speech_loudness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace loquor::modules {

namespace {

constexpr double kBlockSeconds = 0.4, kStep = 0.25; // of a block
constexpr double kAbsoluteGate = -70, kRelativeGate = -10;
constexpr double kBeyondHearing = 100; // LUFS beyond which sound counts as none

double lufs(double power)
{
    return -0.691 + 10 * std::log10(power);
}

SpeechFilter scaled(const double (&b)[3], const double (&a)[3])
{
    return {{b[0] / a[0], b[1] / a[0], b[2] / a[0]}, {1, a[1] / a[0], a[2] / a[0]}};
}

void filter(const SpeechFilter& f, std::vector<double>& x)
{
    double first = 0, second = 0; // transposed direct form II
    for (double& value : x) {
        const double in = value, out = f.b[0] * in + first;
        first = f.b[1] * in - f.a[1] * out + second;
        second = f.b[2] * in - f.a[2] * out;
        value = out;
    }
}

// Mean power of each block of 0.4 s.
std::vector<double> blockPowers(const std::vector<double>& x, double rate)
{
    const double seconds = static_cast<double>(x.size()) / rate;
    const auto count = static_cast<long>(std::nearbyint((seconds - kBlockSeconds) / (kBlockSeconds * kStep))) + 1;
    std::vector<double> out;
    for (long j = 0; j < count; ++j) {
        const double at = static_cast<double>(j) * kStep;
        const auto from = static_cast<std::size_t>(kBlockSeconds * at * rate);
        const auto to = std::min(x.size(), static_cast<std::size_t>(kBlockSeconds * (at + 1) * rate));
        double sum = 0;
        for (std::size_t i = from; i < to; ++i)
            sum += x[i] * x[i];
        out.push_back(sum / (kBlockSeconds * rate));
    }
    return out;
}

double meanAbove(const std::vector<double>& powers, double gate, bool inclusive)
{
    double sum = 0;
    int count = 0;
    for (const double power : powers) {
        const double level = lufs(power);
        if (inclusive ? level >= gate : level > gate) {
            sum += power;
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

} // namespace

SpeechFilter highShelf(double rate)
{
    const double gain = std::pow(10.0, 4.0 / 40), w = 2 * std::numbers::pi * 1500 / rate;
    const double alpha = std::sin(w) / (2 / std::numbers::sqrt2), c = std::cos(w), root = 2 * std::sqrt(gain) * alpha;
    return scaled({gain * (gain + 1 + (gain - 1) * c + root), -2 * gain * (gain - 1 + (gain + 1) * c), gain * (gain + 1 + (gain - 1) * c - root)},
                  {gain + 1 - (gain - 1) * c + root, 2 * (gain - 1 - (gain + 1) * c), gain + 1 - (gain - 1) * c - root});
}

SpeechFilter highPass(double rate)
{
    const double w = 2 * std::numbers::pi * 38 / rate, alpha = std::sin(w), c = std::cos(w);
    return scaled({(1 + c) / 2, -(1 + c), (1 + c) / 2}, {1 + alpha, -2 * c, 1 - alpha});
}

double speechLoudness(std::span<const float> samples, double rate)
{
    if (static_cast<double>(samples.size()) < kBlockSeconds * rate)
        return -std::numeric_limits<double>::infinity();
    std::vector<double> x(samples.begin(), samples.end());
    filter(highShelf(rate), x);
    filter(highPass(rate), x);
    const std::vector<double> powers = blockPowers(x, rate);
    const double gate = lufs(meanAbove(powers, kAbsoluteGate, true)) + kRelativeGate;
    return lufs(meanAbove(powers, std::max(gate, kAbsoluteGate), false));
}

void toLoudness(std::vector<float>& samples, double rate, double target)
{
    const double now = speechLoudness(samples, rate);
    if (!(std::abs(now) <= kBeyondHearing))
        return;
    const double factor = std::pow(10.0, (target - now) / 20);
    for (float& sample : samples)
        sample = static_cast<float>(sample * factor);
}

} // namespace loquor::modules
