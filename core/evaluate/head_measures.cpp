// How the head moves.
#include <algorithm>
#include <cmath>

#include "core/evaluate/coupling.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

constexpr std::array<const char*, 3> kAxes = {"yaw", "pitch", "roll"};

// Median over windows of five seconds of the deviation inside the window.
void measureWindows(Measuring& m, const std::array<Series, 3>& angles)
{
    const std::size_t n = m.motionTimes.size();
    constexpr std::size_t kLength = 125, kStep = 62;
    std::array<Series, 3> deviations;
    for (std::size_t begin = 0; begin == 0 || begin + kLength <= n; begin += kStep) {
        const std::size_t end = std::min(n, begin + kLength);
        const auto part = [&](const auto& x) { return std::vector(x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(end)); };
        const Mask valid = part(m.motionValid);
        if (!(mean(toSeries(valid)) > 0.8))
            continue;
        for (std::size_t k = 0; k < 3; ++k)
            deviations[k].push_back(standardDeviation(select(part(angles[k]), valid)));
    }
    double together = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const double typical = median(deviations[k]);
        together += std::isfinite(typical) ? typical * typical : 0;
        m.set(std::string(kAxes[k]) + "_std_5s", typical);
        m.set(std::string(kAxes[k]) + "_std", standardDeviation(select(angles[k], m.motionValid)));
    }
    m.set("head_std_5s", std::sqrt(together));
}

Series speedOf(const std::vector<Series>& axes)
{
    Series out(axes[0].size(), 0.0);
    for (const Series& axis : axes) {
        const Series change = gradient(axis, 1 / kMotionRate);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += change[i] * change[i];
    }
    for (double& v : out)
        v = std::sqrt(v);
    return out;
}

void measureSlope(Measuring& m)
{
    if (m.motionTimes.size() < 75)
        return;
    Series slopes;
    for (const Series& angle : m.motionAngles) {
        const std::size_t length = std::min<std::size_t>(angle.size(), 100);
        const Spectrum spectrum = welch(angle, kMotionRate, length, length, Detrend::Line);
        Series x, y;
        for (std::size_t k = 0; k < spectrum.frequency.size(); ++k)
            if (spectrum.frequency[k] >= 0.4 && spectrum.frequency[k] <= 5) {
                x.push_back(std::log10(spectrum.frequency[k]));
                y.push_back(std::log10(spectrum.power[k] + 1e-9));
            }
        if (x.size() > 4)
            slopes.push_back(slope(x, y));
    }
    if (!slopes.empty())
        m.set("head_slope", mean(slopes));
    Series jitter(m.motionTimes.size() - 2, 0.0);
    for (const Series& angle : m.motionAngles) {
        const Series bends = difference(angle, 2);
        for (std::size_t i = 0; i < jitter.size(); ++i)
            jitter[i] += bends[i] * bends[i];
    }
    for (double& v : jitter)
        v = std::sqrt(v);
    m.set("head_jitter", median(select(jitter, Mask(m.motionValid.begin() + 1, m.motionValid.end() - 1))));
}

void measureSpeechLink(Measuring& m)
{
    if (!m.speech || m.speechSeconds <= 3 || m.seconds <= 5)
        return;
    const Series loudness = interpolate(m.motionTimes, m.speech->times, smooth(m.speech->decibels, 21));
    if (const auto lag = findLag(loudness, m.headSpeed, kMotionRate, m.motionValid, {0.6, 1.2, 0.15, 3.0})) {
        m.set("head_speech_r", lag->r);
        m.set("head_speech_z", lag->z);
    }
    Mask speaking = m.motionValid, silent = m.motionValid;
    for (std::size_t i = 0; i < speaking.size(); ++i) {
        speaking[i] = speaking[i] && m.motionSpeech[i];
        silent[i] = silent[i] && !m.motionSpeech[i];
    }
    if (count(m.motionSpeech) > 25 && count(silent) > 15)
        m.set("head_speech_ratio", mean(select(m.headSpeed, speaking)) / (mean(select(m.headSpeed, silent)) + 1e-6));
}

} // namespace

void measureHead(Measuring& m)
{
    std::array<Series, 3> smoothed;
    for (std::size_t k = 0; k < 3; ++k) {
        m.motionAngles[k] = m.toMotionRate(m.face.angles[k]);
        smoothed[k] = smooth(m.motionAngles[k], 5);
    }
    measureWindows(m, smoothed);
    m.headSpeed = speedOf({smoothed[0], smoothed[1], smoothed[2]});
    m.set("head_speed_p50", median(select(m.headSpeed, m.motionValid)));
    m.set("head_speed_p95", percentile(select(m.headSpeed, m.motionValid), 95));
    const Series shift = speedOf({smooth(m.toMotionRate(m.face.shift[0]), 5), smooth(m.toMotionRate(m.face.shift[1]), 5)});
    m.set("head_shift_p95", percentile(select(shift, m.motionValid), 95));
    Series still;
    for (std::size_t i = 0; i < shift.size(); ++i)
        still.push_back(m.headSpeed[i] < 2 && shift[i] < 0.04 ? 1 : 0);
    m.set("head_still_frac", mean(select(still, m.motionValid)));
    measureSlope(m);
    measureSpeechLink(m);
}

} // namespace loquor::evaluate
