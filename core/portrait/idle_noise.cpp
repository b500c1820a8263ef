#include "core/portrait/idle_noise.h"

#include <cmath>
#include <numbers>

#include "core/base/random.h"

namespace loquor::portrait {

namespace {

std::uint64_t bitsOf(std::uint64_t seed, Stream stream, std::int64_t index, int part)
{
    const std::uint64_t channel = mixSeed(seed, (static_cast<std::uint64_t>(stream) << 16) + static_cast<std::uint64_t>(part));
    return mixSeed(channel, static_cast<std::uint64_t>(index));
}

constexpr int kOctaves = 6;
constexpr double kSplineGain = 1.445;  // 1 / deviation of a cubic B-spline of unit normals

} // namespace

double hashUniform(std::uint64_t seed, Stream stream, std::int64_t index, int part)
{
    return static_cast<double>(bitsOf(seed, stream, index, part) >> 11) * 0x1.0p-53;
}

double hashNormal(std::uint64_t seed, Stream stream, std::int64_t index, int part)
{
    const std::uint64_t bits = bitsOf(seed, stream, index, part);
    const double u = static_cast<double>(bits >> 32) * 0x1.0p-32;
    const double v = static_cast<double>(bits & 0xFFFFFFFFu) * 0x1.0p-32;
    return std::sqrt(-2 * std::log(1 - u)) * std::cos(2 * std::numbers::pi * v);
}

double smoothNoise(std::uint64_t seed, Stream stream, int octave, double time, double spacing)
{
    const double x = time / spacing;
    const double cell = std::floor(x);
    const double f = x - cell, g = 1 - f;
    const auto i = static_cast<std::int64_t>(cell);
    const double weights[4] = {g * g * g / 6, (4 - 6 * f * f + 3 * f * f * f) / 6,
                               (4 - 6 * g * g + 3 * g * g * g) / 6, f * f * f / 6};
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += weights[k] * hashNormal(seed, stream, i - 1 + k, octave + 1);
    return kSplineGain * sum;
}

double fractalNoise(std::uint64_t seed, Stream stream, double time, double slowest, double persistence)
{
    double sum = 0, variance = 0, amplitude = 1;
    double spacing = slowest;
    for (int octave = 0; octave < kOctaves; ++octave, spacing /= 2, amplitude *= persistence) {
        sum += amplitude * smoothNoise(seed, stream, octave, time, spacing);
        variance += amplitude * amplitude;
    }
    return sum / std::sqrt(variance);
}

} // namespace loquor::portrait
