// Lengths, time stamps, frozen, repeated, black and noisy frames.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

// Median of the eight neighbours of each value.
Series neighbourMedian(const Series& x, std::size_t first)
{
    Series out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        Series around;
        for (std::size_t k = std::max(first, i - std::min<std::size_t>(i, 4)); k < std::min(x.size(), i + 5); ++k)
            if (k != i)
                around.push_back(x[k]);
        out.push_back(nanMedian(around));
    }
    return out;
}

// A frame repeats when it is bit-identical, or changes far less than its neighbours in frame and face.
Mask findRepeats(const std::vector<FrameTrack>& frames)
{
    Series change, faceChange;
    for (const FrameTrack& f : frames) {
        change.push_back(f.change);
        faceChange.push_back(f.faceChange);
    }
    const Series around = neighbourMedian(change, 1);
    const Series faceAround = neighbourMedian(faceChange, 1);
    Mask repeated(frames.size(), false);
    for (std::size_t i = 1; i < frames.size(); ++i) {
        const bool noFace = !std::isfinite(faceChange[i]);
        const bool near = change[i] < 0.18 * around[i] && (noFace || faceChange[i] < 0.22 * faceAround[i]);
        const bool still = change[i] < 0.06 && (noFace || faceChange[i] < 0.06); // live cameras stay above 0.1
        repeated[i] = frames[i].identical || near || still;
    }
    return repeated;
}

std::optional<int> findPeriod(const Mask& repeated)
{
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < repeated.size(); ++i)
        if (repeated[i])
            at.push_back(i);
    if (at.size() <= 6)
        return std::nullopt;
    std::map<std::size_t, std::size_t> steps;
    for (std::size_t i = 0; i + 1 < at.size(); ++i)
        ++steps[at[i + 1] - at[i]];
    const auto common = std::max_element(steps.begin(), steps.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const double share = static_cast<double>(common->second) / static_cast<double>(at.size() - 1);
    if (share > 0.6 && common->first > 1)
        return static_cast<int>(common->first);
    return std::nullopt;
}

void takeTimes(Measuring& m, Series& whole)
{
    const std::size_t n = m.clip.track.frames.size();
    whole = m.clip.facts.times;
    const bool usable = whole.size() >= n && std::all_of(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n),
                                                         [](double t) { return std::isfinite(t); });
    if (!usable) {
        whole.clear();
        for (std::size_t i = 0; i < n; ++i)
            whole.push_back(static_cast<double>(i) / m.clip.facts.fps);
    }
    m.times.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
}

void measureTimes(Measuring& m, const Series& whole)
{
    ContainerMeasures& c = m.out.container;
    const Series steps = difference(m.times);
    const double step = median(steps);
    // Where the header's rate is wrong or varies, the time stamps are trusted.
    m.fps = step > 0 && std::abs(1 / step - m.clip.facts.fps) / m.clip.facts.fps > 0.02 ? 1 / step : m.clip.facts.fps;
    c.fps = m.fps;
    c.frames = whole.size();
    c.framesAnalysed = m.frames();
    double last = whole.front();
    for (const double t : whole)
        last = std::isfinite(t) ? std::max(last, t) : last;
    c.videoSeconds = last - whole.front() + step;
    c.audioSeconds = static_cast<double>(m.clip.mono16k.size()) / kSpeechRate;
    if (m.clip.facts.hasAudio) {
        c.startDifferenceMs = 1000 * (m.clip.facts.audioStart - m.times.front());
        c.endDifferenceMs = 1000 * ((m.clip.facts.audioStart + c.audioSeconds) - (m.times.front() + c.videoSeconds));
        if (c.audioSeconds > 0)
            c.framesMinusAudio = static_cast<double>(c.frames) - c.audioSeconds * m.fps;
    }
    for (const double s : steps) {
        c.variableRate = c.variableRate || std::abs(s - step) > 0.25 * step;
        c.longestStepMs = std::max(c.longestStepMs, 1000 * s);
    }
}

void measureRepeats(Measuring& m)
{
    ContainerMeasures& c = m.out.container;
    m.repeated = findRepeats(m.clip.track.frames);
    c.repeatedFraction = static_cast<double>(count(m.repeated)) / static_cast<double>(m.frames());
    c.repeatPeriod = findPeriod(m.repeated);
    for (const auto& [begin, end] : runs(m.repeated)) {
        const double length = static_cast<double>(end - begin) / m.fps;
        c.longestFreeze = std::max(c.longestFreeze, length);
        if (length > 0.25)
            c.freezes.emplace_back(m.times[begin], m.times[std::min(end, m.frames()) - 1]);
        if (end - begin <= 2) {
            ++c.isolatedRepeats;
            c.repeatTimes.push_back(m.times[begin]);
        }
    }
}

void flagContainer(Measuring& m)
{
    const ContainerMeasures& c = m.out.container;
    if (!m.clip.facts.hasAudio)
        m.flag("NO_AUDIO", true, "no audio stream");
    else if (c.audioSeconds > 0 && std::abs(*c.endDifferenceMs) > std::max(120.0, 2200 / m.fps))
        m.flag("AV_LENGTH", true, format("audio ends %+.0f ms from the picture", *c.endDifferenceMs));
    else if (c.audioSeconds > 0 && std::abs(*c.framesMinusAudio) >= 0.9)
        m.flag("AV_LENGTH", false, format("audio ends %+.0f ms from the picture", *c.endDifferenceMs));
    if (m.clip.facts.hasAudio && std::abs(*c.startDifferenceMs) > 30)
        m.flag("AV_START", std::abs(*c.startDifferenceMs) > 80, format("streams start %+.0f ms apart", *c.startDifferenceMs));
    if (c.variableRate)
        m.flag("VFR", false, format("uneven time stamps, largest gap %.0f ms", c.longestStepMs));
    for (std::size_t i = 0; i < std::min<std::size_t>(5, c.freezes.size()); ++i)
        m.flag("FROZEN", true, format("picture frozen %.2f-%.2f s", c.freezes[i].first, c.freezes[i].second), c.freezes[i].first);
    if (c.repeatPeriod) {
        m.flag("DUP_PERIODIC", false, format("one frame in %d repeats: rate conversion", *c.repeatPeriod));
    } else if (c.isolatedRepeats > 0) {
        std::string at;
        for (std::size_t i = 0; i < std::min<std::size_t>(6, c.repeatTimes.size()); ++i)
            at += format(i ? ", %.2f" : "%.2f", c.repeatTimes[i]);
        const double perSecond = static_cast<double>(c.isolatedRepeats) / (static_cast<double>(m.frames()) / m.fps);
        m.flag("DUP_FRAME", perSecond < 0.5, format("%zu repeated frame(s) at %s s", c.isolatedRepeats, at.c_str()), c.repeatTimes[0]);
    }
}

void measureSanity(Measuring& m)
{
    ContainerMeasures& c = m.out.container;
    const SmallPictures& small = m.clip.track.small;
    std::optional<double> firstBlack;
    std::size_t black = 0;
    for (std::size_t i = 0; i < small.frames.size(); ++i) {
        Series lightness;
        for (std::size_t p = 0; p < small.frames[i].size(); p += 3)
            lightness.push_back(small.frames[i][p]);
        if (mean(lightness) >= 10 && standardDeviation(lightness) >= 2)
            continue;
        ++black;
        if (!firstBlack)
            firstBlack = m.times[std::min(m.frames() - 1, i * small.step)];
    }
    c.blackFrames = black * small.step;
    Series detail;
    for (const FrameTrack& f : m.clip.track.frames)
        detail.push_back(f.detail);
    const double usual = nanMedian(detail) + 1e-6;
    std::optional<double> firstNoisy;
    for (std::size_t i = 0; i < detail.size(); ++i)
        if (detail[i] / usual > 2.5) {
            ++c.noisyFrames;
            firstNoisy = firstNoisy ? firstNoisy : m.times[i];
        }
    if (firstBlack)
        m.flag("BLACK", true, format("%zu black or flat frame(s), first at %.2f s", c.blackFrames, *firstBlack), firstBlack);
    if (firstNoisy)
        m.flag("NOISE", true, format("%zu frame(s) with exploding detail, first at %.2f s", c.noisyFrames, *firstNoisy), firstNoisy);
}

} // namespace

void measureContainer(Measuring& m)
{
    Series whole;
    takeTimes(m, whole);
    measureTimes(m, whole);
    measureRepeats(m);
    flagContainer(m);
    measureSanity(m);
}

} // namespace loquor::evaluate
