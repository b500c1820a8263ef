#include "core/evaluate/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "core/evaluate/bands.h"
#include "core/evaluate/face_points.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

// Linear interpolation over frames without a face.
std::vector<Landmarks> fillGaps(const Track& track, const Mask& found)
{
    std::vector<std::size_t> good;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i])
            good.push_back(i);
    std::vector<Landmarks> out;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto next = std::lower_bound(good.begin(), good.end(), i);
        const std::size_t after = next == good.end() ? good.back() : *next;
        const std::size_t before = next == good.begin() ? after : (after == i ? i : *(next - 1));
        Landmarks face = track.frames[after].landmarks;
        if (before != after) {
            const double part = static_cast<double>(std::min(i, after) - before) / static_cast<double>(after - before);
            for (std::size_t p = 0; p < kLandmarks; ++p)
                for (std::size_t k = 0; k < 3; ++k)
                    face[p][k] = (1 - part) * track.frames[before].landmarks[p][k] + part * face[p][k];
        }
        out.push_back(face);
    }
    return out;
}

double distance(const Point3& a, const Point3& b, std::size_t dimensions)
{
    double sum = 0;
    for (std::size_t k = 0; k < dimensions; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
}

void reportFace(Measuring& m)
{
    FaceMeasures& face = m.out.face;
    const auto lost = [&] {
        Mask mask = m.found;
        mask.flip();
        return runs(mask);
    }();
    face.foundFraction = static_cast<double>(count(m.found)) / static_cast<double>(m.frames());
    for (const auto& [begin, end] : lost)
        face.longestLoss = std::max(face.longestLoss, static_cast<double>(end - begin) / m.fps);
    m.valid = m.found;
    for (const auto& [begin, end] : lost)
        if (end - begin <= 3)
            std::fill(m.valid.begin() + static_cast<std::ptrdiff_t>(begin), m.valid.begin() + static_cast<std::ptrdiff_t>(end), true);
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (std::size_t i = 0; i < m.frames(); ++i)
        if (m.found[i])
            for (const Point3& p : m.clip.track.frames[i].landmarks) {
                left = std::min(left, p[0]);
                right = std::max(right, p[0]);
                top = std::min(top, p[1]);
                bottom = std::max(bottom, p[1]);
            }
    if (left < right)
        face.region = {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left), static_cast<int>(bottom - top)};
}

void lipSignals(Measuring& m)
{
    for (const Landmarks& face : m.face.points) {
        double gap = 0;
        for (const auto& [upper, lower] : kLipPairs)
            gap += distance(face[static_cast<std::size_t>(upper)], face[static_cast<std::size_t>(lower)], 2);
        m.opening.push_back(gap / static_cast<double>(kLipPairs.size()));
        m.mouthWidth.push_back(distance(face[61], face[291], 3));
        m.jaw.push_back(distance(face[152], face[2], 3));
    }
}

void makeGrids(Measuring& m)
{
    for (std::size_t i = 0; i < m.frames(); ++i)
        if (m.knotTimes.empty() || m.times[i] > m.knotTimes.back()) {
            m.knotTimes.push_back(m.times[i]);
            m.knots.push_back(i);
        }
    m.motionTimes = grid(m.times.front(), m.times.back(), 1 / kMotionRate);
    m.fineTimes = grid(m.times.front(), m.times.back(), 0.01);
    const Series valid = toSeries(m.valid);
    const auto whole = [&](const Series& at) {
        Mask mask;
        for (const double v : interpolate(at, m.times, valid))
            mask.push_back(v > 0.99);
        return mask;
    };
    m.motionValid = whole(m.motionTimes);
    m.fineValid = whole(m.fineTimes);
    m.seconds = m.times.back() - m.times.front();
}

void hearSpeech(Measuring& m)
{
    const double seconds = static_cast<double>(m.clip.mono16k.size()) / kSpeechRate;
    if (seconds > 0.5)
        m.speech = analyseSpeech(m.clip.mono16k, m.clip.facts.audioStart);
    m.motionSpeech.assign(m.motionTimes.size(), false);
    if (m.speech) {
        m.motionSpeech = m.speechAt(m.motionTimes);
        m.fineSpeech = m.speechAt(m.fineTimes);
    }
    m.speechSeconds = static_cast<double>(count(m.motionSpeech)) / kMotionRate;
    m.set("dur_s", m.seconds);
    m.set("speech_frac", m.speech ? Value(mean(toSeries(m.motionSpeech))) : Value());
    m.set("audio_contrast_db", m.speech ? Value(m.speech->contrast) : Value());
}

void keepCurves(Measuring& m)
{
    Curves& c = m.out.curves;
    c.times = m.times;
    c.opening = m.opening;
    c.jaw = m.jaw;
    c.eyes = m.eyeOpening;
    c.yaw = m.face.angles[0];
    c.pitch = m.face.angles[1];
    c.roll = m.face.angles[2];
    if (m.speech) {
        c.audioTimes = m.speech->times;
        c.loudness = m.speech->decibels;
        c.expected = expectedOpening(*m.speech, m.times);
        c.speech = m.speechAt(m.times);
    }
}

} // namespace

std::string format(const char* pattern, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

Series stepSizes(const std::vector<Point3>& values)
{
    Series out;
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
        out.push_back(distance(values[i + 1], values[i], 3));
    return out;
}

void Measuring::set(const std::string& name, Value value)
{
    if (const auto* number = std::get_if<double>(&value); number && !std::isfinite(*number))
        value = std::monostate();
    out.metrics.emplace_back(name, std::move(value));
}

void Measuring::flag(std::string code, bool hard, std::string message, std::optional<double> time)
{
    out.flags.push_back({std::move(code), hard, std::move(message), time});
}

Series Measuring::toMotionRate(const Series& perFrame) const
{
    if (fps > 26)
        return interpolate(motionTimes, fineTimes, lowPass(toFineRate(perFrame), 100, 12));
    Series y;
    for (const std::size_t k : knots)
        y.push_back(perFrame[k]);
    return interpolate(motionTimes, knotTimes, y);
}

Series Measuring::toFineRate(const Series& perFrame) const
{
    Series y;
    for (const std::size_t k : knots)
        y.push_back(perFrame[k]);
    return spline(fineTimes, knotTimes, y);
}

Mask Measuring::speechAt(const Series& at) const
{
    Mask spoken;
    for (const double v : interpolate(at, speech->times, toSeries(speech->speech), 0))
        spoken.push_back(v > 0.5);
    return spoken;
}

bool prepareFace(Measuring& m)
{
    for (const FrameTrack& frame : m.clip.track.frames)
        m.found.push_back(frame.found);
    reportFace(m);
    const double found = m.out.face.foundFraction;
    if (found < 0.3 || count(m.found) < 12) {
        m.flag("NO_FACE", true, format("face in only %.0f %% of frames", 100 * found));
        return false;
    }
    if (found < 0.97)
        m.flag("FACE_LOST", found < 0.9, format("face in %.1f %% of frames", 100 * found));
    m.points = fillGaps(m.clip.track, m.found);
    m.face = alignRigid(m.points);
    Series sizes;
    for (const double s : m.face.scale)
        sizes.push_back(1 / s);
    FaceMeasures& face = m.out.face;
    face.measured = true;
    face.eyeDistance = median(sizes) / m.clip.track.scale;
    face.meanPose = m.face.meanPose;
    face.residual = median(m.face.residual);
    if (face.eyeDistance < 45)
        m.flag("SMALL_FACE", false, format("eye distance %.0f px: lip and eye numbers are coarse", face.eyeDistance));
    lipSignals(m);
    makeGrids(m);
    if (m.knotTimes.size() < 8)
        return false;
    hearSpeech(m);
    return true;
}

std::optional<double> Evaluation::metric(const std::string& metricName) const
{
    for (const auto& [key, value] : metrics)
        if (key == metricName) {
            if (const auto* number = std::get_if<double>(&value))
                return *number;
            if (const auto* whole = std::get_if<std::int64_t>(&value))
                return static_cast<double>(*whole);
        }
    return std::nullopt;
}

bool Evaluation::hasFlag(const std::string& code) const
{
    return std::any_of(flags.begin(), flags.end(), [&](const Flag& f) { return f.code == code; });
}

std::size_t Evaluation::hardFlags() const
{
    return static_cast<std::size_t>(std::count_if(flags.begin(), flags.end(), [](const Flag& f) { return f.hard; }));
}

Result<Evaluation> measure(const Clip& clip)
{
    if (clip.track.frames.size() < 8)
        return fail(ErrorCode::Unreadable, clip.name + " has only " + std::to_string(clip.track.frames.size()) +
                                               " frames that can be decoded; at least 8 are needed");
    Evaluation out;
    out.name = clip.name;
    out.facts = clip.facts;
    Measuring m(clip, out);
    measureContainer(m);
    if (prepareFace(m)) {
        measureLips(m);
        measureSync(m);
        measureTiming(m);
        measureEyes(m);
        measureBrows(m);
        measureHead(m);
        measureIdentity(m);
        measureTexture(m);
        measureColour(m);
        measureDrops(m);
        keepCurves(m);
        m.set("dup_frac", out.container.repeatedFraction);
        m.set("longest_freeze_s", out.container.longestFreeze);
        m.set("face_frac", out.face.foundFraction);
    }
    out.scorecard = makeScorecard(out);
    return out;
}

} // namespace loquor::evaluate
