// How far, how fast and how completely the lips move.
#include <algorithm>
#include <cmath>

#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

// Share of the opening's motion in two bands, over stretches of at least a second.
void measureBands(Measuring& m, const Series& opening, const Mask& mask)
{
    Series frequency, power;
    for (const auto& [begin, end] : runs(mask)) {
        const std::size_t length = end - begin;
        if (length < 24)
            continue;
        const std::span<const double> part(opening.data() + begin, length);
        const Spectrum spectrum = welch(part, kMotionRate, std::min<std::size_t>(length, 50), 64, Detrend::Line);
        frequency = spectrum.frequency;
        power.resize(spectrum.power.size(), 0.0);
        for (std::size_t k = 0; k < power.size(); ++k)
            power[k] += spectrum.power[k] * static_cast<double>(length);
    }
    if (power.empty())
        return;
    double total = 1e-12, high = 0, middle = 0;
    for (std::size_t k = 0; k < power.size(); ++k) {
        total += frequency[k] >= 0.5 ? power[k] : 0;
        high += frequency[k] >= 8 && frequency[k] <= 12.4 ? power[k] : 0;
        middle += frequency[k] >= 3 && frequency[k] < 8 ? power[k] : 0;
    }
    m.set("lip_hf_ratio", high / total);
    m.set("lip_mid_ratio", middle / total);
}

// Closures: below the threshold, with clearly open lips within six frames on both sides, in speech.
std::size_t countClosures(const Measuring& m, double threshold)
{
    Mask closed;
    for (const double v : m.opening)
        closed.push_back(v < threshold);
    std::size_t closures = 0;
    const std::size_t n = m.frames();
    const auto at = [](const Series& x, std::size_t i) { return x.begin() + static_cast<std::ptrdiff_t>(i); };
    for (const auto& [begin, end] : runs(closed)) {
        if (begin == 0 || end >= n)
            continue;
        const bool tracked = std::all_of(m.valid.begin() + static_cast<std::ptrdiff_t>(begin) - 1,
                                         m.valid.begin() + static_cast<std::ptrdiff_t>(end) + 1, [](bool v) { return v; });
        const double before = *std::max_element(at(m.opening, begin - std::min<std::size_t>(begin, 6)), at(m.opening, begin));
        const double after = *std::max_element(at(m.opening, end), at(m.opening, std::min(n, end + 6)));
        const double time = m.times[(begin + end) / 2];
        const bool spoken = !m.speech || interpolate(Series{time}, m.speech->times, toSeries(m.speech->speech))[0] > 0.5;
        if (tracked && spoken && before > threshold * 1.6 && after > threshold * 1.6)
            ++closures;
    }
    return closures;
}

Series lipSpeed(const Series& opening)
{
    Series speed = gradient(smoothParabola5(opening), 1 / kMotionRate);
    for (double& v : speed)
        v = std::abs(v);
    return speed;
}

void measureSilence(Measuring& m, const Series& opening, const Mask& speaking)
{
    if (!m.speech || m.speechSeconds <= 1.5)
        return;
    Mask silence = widen(m.motionSpeech, 9);
    for (std::size_t i = 0; i < silence.size(); ++i)
        silence[i] = !silence[i] && m.motionValid[i];
    if (count(silence) < 12)
        return;
    const Series speed = lipSpeed(opening);
    m.set("silence_s", static_cast<double>(count(silence)) / kMotionRate);
    m.set("lip_speed_silence_ratio", mean(select(speed, silence)) / (mean(select(speed, speaking)) + 1e-6));
    m.set("lip_open_silence", median(select(opening, silence)));
}

} // namespace

void measureLips(Measuring& m)
{
    const Series opening = m.toMotionRate(m.opening);
    Mask mask = m.motionValid;
    if (m.speechSeconds > 1)
        for (std::size_t i = 0; i < mask.size(); ++i)
            mask[i] = mask[i] && m.motionSpeech[i];
    const Series spoken = select(opening, mask);
    if (spoken.size() > 20) {
        const double p5 = percentile(spoken, 5);
        const double p50 = median(spoken);
        const double p95 = percentile(spoken, 95);
        m.set("lip_open_p5", p5);
        m.set("lip_open_p50", p50);
        m.set("lip_open_p95", p95);
        m.set("lip_range", p95 - p5);
        const Series width = select(m.toMotionRate(m.mouthWidth), mask);
        m.set("mouth_width_std", standardDeviation(width));
        m.set("mouth_width_range", percentile(width, 95) - percentile(width, 5));
        const Series jaw = select(m.toMotionRate(m.jaw), mask);
        m.set("jaw_range", percentile(jaw, 95) - percentile(jaw, 5));
        const double speed = percentile(select(lipSpeed(opening), mask), 95);
        m.set("lip_speed_p95", speed);
        m.set("lip_speed_rel", speed / (p95 - p5 + 1e-6));
        measureBands(m, opening, mask);
        const double threshold = std::max(0.016, std::min(0.030, p5 + 0.12 * (p95 - p5)));
        m.set("closure_thr", threshold);
        m.set("closures_per_s", static_cast<double>(countClosures(m, threshold)) / std::max(m.speech ? m.speechSeconds : m.seconds, 0.5));
        const auto closed = std::count_if(spoken.begin(), spoken.end(), [&](double v) { return v < threshold; });
        m.set("closed_frac_speech", static_cast<double>(closed) / static_cast<double>(spoken.size()));
        Series tilt;
        for (const Landmarks& face : m.face.points)
            tilt.push_back(std::abs(face[61][1] - face[291][1]));
        m.set("lip_asym", median(tilt));
    }
    measureSilence(m, opening, mask);
}

} // namespace loquor::evaluate
