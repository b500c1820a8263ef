// Zero-phase Butterworth filters as cascades of second-order sections.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/evaluate/numeric.h"

namespace loquor::evaluate {

namespace {

struct Section
{
    double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

// z-plane pole of an s-plane pole (bilinear transform, unit sampling at rate 2).
std::complex<double> toZ(std::complex<double> s)
{
    return (4.0 + s) / (4.0 - s);
}

std::complex<double> response(const std::vector<Section>& sections, double angle)
{
    const std::complex<double> z = std::polar(1.0, -angle);
    std::complex<double> out = 1;
    for (const Section& s : sections)
        out *= (s.b0 + s.b1 * z + s.b2 * z * z) / (1.0 + s.a1 * z + s.a2 * z * z);
    return out;
}

// Makes the gain at this angle (radians per sample) one.
void normalise(std::vector<Section>& sections, double angle)
{
    const double gain = 1 / std::abs(response(sections, angle));
    sections[0].b0 *= gain;
    sections[0].b1 *= gain;
    sections[0].b2 *= gain;
}

std::vector<Section> designLowPass4(double rate, double cut)
{
    const double warped = 4 * std::tan(std::numbers::pi * cut / rate);
    std::vector<Section> sections;
    for (const double k : {1.0, 3.0}) {
        const auto pole = toZ(std::polar(warped, std::numbers::pi / 2 + k * std::numbers::pi / 8));
        sections.push_back({1, 2, 1, -2 * pole.real(), std::norm(pole)});
    }
    normalise(sections, 0);
    return sections;
}

std::vector<Section> designBandPass2(double rate, double low, double high)
{
    const double w1 = 4 * std::tan(std::numbers::pi * low / rate);
    const double w2 = 4 * std::tan(std::numbers::pi * high / rate);
    const std::complex<double> half = std::polar(1.0, 3 * std::numbers::pi / 4) * (w2 - w1) / 2.0;
    const std::complex<double> root = std::sqrt(half * half - w1 * w2);
    std::vector<Section> sections;
    for (const auto& pole : {toZ(half + root), toZ(half - root)})
        sections.push_back({1, 0, -1, -2 * pole.real(), std::norm(pole)});
    normalise(sections, 2 * std::atan(std::sqrt(w1 * w2) / 4));
    return sections;
}

// Starts in the steady state of a constant input of the first value.
void filterInPlace(Series& x, const std::vector<Section>& sections)
{
    double level = x.empty() ? 0 : x[0];
    for (const Section& s : sections) {
        const double out = level * (s.b0 + s.b1 + s.b2) / (1 + s.a1 + s.a2);
        double z1 = s.b2 * level - s.a2 * out;
        double z0 = s.b1 * level - s.a1 * out + z1;
        for (double& v : x) {
            const double y = s.b0 * v + z0;
            z0 = s.b1 * v - s.a1 * y + z1;
            z1 = s.b2 * v - s.a2 * y;
            v = y;
        }
        level = out;
    }
}

// Forwards and backwards over the signal continued by its mirror image through the end points.
Series filterBothWays(std::span<const double> x, const std::vector<Section>& sections, std::size_t padding)
{
    if (x.size() < 2)
        return {x.begin(), x.end()};
    padding = std::min(padding, x.size() - 1);
    Series out;
    out.reserve(x.size() + 2 * padding);
    for (std::size_t i = padding; i > 0; --i)
        out.push_back(2 * x.front() - x[i]);
    out.insert(out.end(), x.begin(), x.end());
    for (std::size_t i = 1; i <= padding; ++i)
        out.push_back(2 * x.back() - x[x.size() - 1 - i]);
    for (int way = 0; way < 2; ++way) {
        filterInPlace(out, sections);
        std::reverse(out.begin(), out.end());
    }
    return {out.begin() + static_cast<std::ptrdiff_t>(padding), out.end() - static_cast<std::ptrdiff_t>(padding)};
}

} // namespace

Series bandPass(std::span<const double> x, double rate, double low, double high)
{
    high = std::min(high, 0.49 * rate);
    if (x.size() < 16) {
        Series out(x.begin(), x.end());
        const double m = mean(x);
        for (double& v : out)
            v -= m;
        return out;
    }
    return filterBothWays(x, designBandPass2(rate, low, high), static_cast<std::size_t>(rate));
}

Series lowPass(std::span<const double> x, double rate, double cut)
{
    return filterBothWays(x, designLowPass4(rate, cut), 15);
}

} // namespace loquor::evaluate
