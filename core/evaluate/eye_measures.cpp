// Blinks, gaze and brows.
#include <algorithm>
#include <cmath>

#include "core/evaluate/face_points.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

double span(const Landmarks& face, int a, int b, std::size_t dimensions)
{
    double sum = 0;
    for (std::size_t k = 0; k < dimensions; ++k) {
        const double d = face[static_cast<std::size_t>(a)][k] - face[static_cast<std::size_t>(b)][k];
        sum += d * d;
    }
    return std::sqrt(sum);
}

// Height of the eye over its width.
double aspect(const Landmarks& face, const std::array<int, 6>& eye)
{
    return (span(face, eye[1], eye[5], 3) + span(face, eye[2], eye[4], 3)) / (2 * span(face, eye[0], eye[3], 3) + 1e-9);
}

// Against the usual opening (85th percentile) of the three seconds around.
Series relativeOpening(const Measuring& m)
{
    Series aspects;
    for (std::size_t i = 0; i < m.frames(); ++i) {
        const double right = aspect(m.face.points[i], kRightEye);
        const double left = aspect(m.face.points[i], kLeftEye);
        const bool frontal = std::abs(m.face.angles[0][i] + m.face.meanPose[0]) < 18;
        aspects.push_back(frontal ? (right + left) / 2 : std::max(right, left)); // turned: the nearer eye
    }
    const std::size_t half = (static_cast<std::size_t>(3 * m.fps) | 1) / 2;
    Series out;
    for (std::size_t i = 0; i < aspects.size(); ++i) {
        const auto begin = aspects.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, half));
        const auto end = aspects.begin() + static_cast<std::ptrdiff_t>(std::min(aspects.size(), i + half + 1));
        out.push_back(aspects[i] / (percentile(Series(begin, end), 85) + 1e-9));
    }
    return out;
}

void measureBlinks(Measuring& m)
{
    Series closing;
    for (const double v : m.eyeOpening)
        closing.push_back(1 - v);
    for (const Peak& peak : findPeaks(closing, {0.25, 0.22, std::max(1.0, 0.05 * m.fps), 0.6 * m.fps})) {
        bool tracked = true;
        for (std::size_t k = peak.index - std::min<std::size_t>(peak.index, 2); k < std::min(m.frames(), peak.index + 3); ++k)
            tracked = tracked && m.valid[k];
        if (tracked)
            m.out.blinks.push_back({m.times[peak.index], peak.width / m.fps, 1 - peak.height});
    }
    const auto& blinks = m.out.blinks;
    Series lengths, times;
    std::size_t full = 0;
    for (const Blink& b : blinks) {
        lengths.push_back(b.seconds);
        times.push_back(b.time);
        full += b.depth < 0.5 ? 1 : 0;
    }
    const auto number = static_cast<double>(blinks.size());
    m.set("blink_per_min", m.seconds >= 4 ? Value(60 * number / m.seconds) : Value());
    m.set("blink_full_frac", blinks.empty() ? Value() : Value(static_cast<double>(full) / number));
    m.set("blink_dur_ms", blinks.empty() ? Value() : Value(1000 * median(lengths)));
    if (blinks.size() >= 3) {
        const Series steps = difference(times);
        m.set("blink_interval_cv", standardDeviation(steps) / mean(steps));
    }
    if (m.seconds > 12 && blinks.empty())
        m.flag("NO_BLINK", false, format("no blink in %.0f s", m.seconds));
}

struct Gaze
{
    Series x, y;
};

// Iris centre against the middle of the corners, in widths of the eye; x towards the image's right.
Gaze gazeOf(const Measuring& m, std::size_t iris, std::size_t inner, std::size_t outer, double sign)
{
    Gaze out;
    for (const Landmarks& face : m.face.points) {
        const double vx = face[outer][0] - face[inner][0];
        const double vy = face[outer][1] - face[inner][1];
        const double dx = face[iris][0] - (face[inner][0] + face[outer][0]) / 2;
        const double dy = face[iris][1] - (face[inner][1] + face[outer][1]) / 2;
        const double size = vx * vx + vy * vy;
        out.x.push_back(sign * (dx * vx + dy * vy) / size);
        out.y.push_back(dy / std::sqrt(size));
    }
    return out;
}

void measureGaze(Measuring& m)
{
    const Gaze right = gazeOf(m, 468, 133, 33, -1);
    const Gaze left = gazeOf(m, 473, 362, 263, 1);
    Gaze both = right;
    Mask open(m.frames());
    for (std::size_t i = 0; i < m.frames(); ++i) {
        both.x[i] = (right.x[i] + left.x[i]) / 2;
        both.y[i] = (right.y[i] + left.y[i]) / 2;
        open[i] = m.eyeOpening[i] > 0.75 && m.valid[i];
    }
    m.out.curves.gaze = both.x;
    if (count(open) <= 20)
        return;
    m.set("gaze_h_std", standardDeviation(select(both.x, open)));
    m.set("gaze_v_std", standardDeviation(select(both.y, open)));
    m.set("gaze_agree", correlation(select(right.x, open), select(left.x, open)));
    const Series steps = difference(smooth(both.x, 3));
    Mask fast(steps.size());
    for (std::size_t i = 0; i < fast.size(); ++i)
        fast[i] = std::abs(steps[i]) * m.fps > 0.35 && open[i] && open[i + 1];
    m.set("saccades_per_s", static_cast<double>(runs(fast).size()) / m.seconds);
}

} // namespace

void measureEyes(Measuring& m)
{
    m.eyeOpening = relativeOpening(m);
    measureBlinks(m);
    measureGaze(m);
}

void measureBrows(Measuring& m)
{
    Series height, knit;
    for (const Landmarks& face : m.face.points) {
        double brow = 0;
        for (const int p : kBrows)
            brow += face[static_cast<std::size_t>(p)][1] / static_cast<double>(kBrows.size());
        height.push_back(brow - (face[33][1] + face[263][1] + face[133][1] + face[362][1]) / 4);
        knit.push_back(span(face, 107, 336, 3));
    }
    Mask open;
    for (const double v : m.eyeOpening)
        open.push_back(v > 0.75);
    Mask mask = m.motionValid;
    const Series openMotion = interpolate(m.motionTimes, m.times, toSeries(open));
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = mask[i] && openMotion[i] > 0.5;
    if (count(mask) <= 50)
        return;
    const Series brow = m.toMotionRate(height);
    m.set("brow_std", standardDeviation(select(brow, mask)));
    m.set("brow_motion", standardDeviation(select(bandPass(brow, kMotionRate, 0.2, 4.0), mask)));
    m.set("brow_knit_std", standardDeviation(select(m.toMotionRate(knit), mask)));
    const Series bends = difference(brow, 2);
    m.set("brow_noise", robustSigma(std::span(bends).subspan(1, bends.size() - 2)) / std::sqrt(6.0));
}

} // namespace loquor::evaluate
