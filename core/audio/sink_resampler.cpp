#include "core/audio/sink_resampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/check.h"

namespace loquor::audio {

namespace {

constexpr double kHalfWidth = 24;   // zero crossings on each side
constexpr double kKaiserBeta = 8.6; // about 85 dB

double besselI0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 50; ++k) {
        term *= (x / (2 * k)) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

} // namespace

SinkResampler::SinkResampler(int fromRate, int toRate)
{
    LOQUOR_CHECK(fromRate > 0 && toRate > 0, "sample rates must be positive");
    const std::int64_t common = std::gcd(fromRate, toRate);
    m_up = toRate / common;
    m_down = fromRate / common;
    const double cutoff = std::min(1.0, static_cast<double>(toRate) / fromRate) * 0.95;
    const auto half = static_cast<std::size_t>(std::ceil(kHalfWidth / cutoff));
    m_taps = 2 * half;
    m_filter.resize(static_cast<std::size_t>(m_up) * m_taps);
    const double norm = besselI0(kKaiserBeta);
    for (std::size_t phase = 0; phase < static_cast<std::size_t>(m_up); ++phase) {
        double sum = 0;
        float* row = m_filter.data() + phase * m_taps;
        for (std::size_t tap = 0; tap < m_taps; ++tap) {
            // Distance of this input sample from the output instant, in input samples.
            const double x = static_cast<double>(tap) - static_cast<double>(half - 1) -
                             static_cast<double>(phase) / static_cast<double>(m_up);
            const double angle = std::numbers::pi * x * cutoff;
            const double sinc = std::abs(angle) < 1e-9 ? 1.0 : std::sin(angle) / angle;
            const double edge = std::min(1.0, std::abs(x) / static_cast<double>(half));
            const double window = besselI0(kKaiserBeta * std::sqrt(1 - edge * edge)) / norm;
            row[tap] = static_cast<float>(sinc * window);
            sum += sinc * window;
        }
        for (std::size_t tap = 0; tap < m_taps; ++tap)
            row[tap] = static_cast<float>(row[tap] / sum);
    }
    m_history.assign(half - 1, 0.0f);
}

void SinkResampler::process(const float* in, std::size_t count, std::vector<float>& out)
{
    m_history.insert(m_history.end(), in, in + count);
    std::size_t at = 0; // first input sample under the filter
    while (at + m_taps <= m_history.size()) {
        const float* row = m_filter.data() + static_cast<std::size_t>(m_phase) * m_taps;
        float sum = 0;
        for (std::size_t tap = 0; tap < m_taps; ++tap)
            sum += row[tap] * m_history[at + tap];
        out.push_back(sum);
        m_phase += m_down;
        at += static_cast<std::size_t>(m_phase / m_up);
        m_phase %= m_up;
    }
    // `at` may point past what is here when going down by a large ratio: then nothing was left
    // over.
    m_history.erase(m_history.begin(), m_history.begin() + static_cast<std::ptrdiff_t>(
                                                               std::min(at, m_history.size())));
}

} // namespace loquor::audio
