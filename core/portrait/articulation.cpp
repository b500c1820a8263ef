#include "core/portrait/articulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace loquor::portrait {

namespace {

// Fall of dominance with distance, 1/s. Lips look ahead further than the jaw, and everything is
// prepared a little earlier than it is released.
constexpr double kJawFall = 20, kLipFall = 14;
constexpr double kBeforeFactor = .85, kAfterFactor = 1.1;
constexpr double kRounding = .012;      // s: takes the kink out of the exponential
constexpr double kSteadyMax = .08;      // s at either end of a sound over which dominance falls to the edge
constexpr double kSilenceSteadyMax = .05;
constexpr double kSilencePull = 1.2;    // of a pause of kFullPause and longer
constexpr double kFullPause = .12;      // s: shorter pauses hardly close the mouth
// Gestures: ramps before and after a plateau over the sound.
constexpr double kCloseRamp = .056, kPressRamp = .045;
constexpr double kGestureEarly = .005, kGestureRelease = .015, kPlateauMin = .065;
// Lips that meet bring the jaw along and lose some of their rounding.
constexpr float kCloseLiftsJaw = .10f, kCloseFlattens = .35f;
constexpr double kPauseCloseDelay = .04, kPauseOpenEarly = .03, kPauseRamp = .10;
constexpr float kStressedJaw = 1.12f;    // stressed vowels are opener
constexpr double kMinSound = .004;      // s: shorter sounds are noise of the aligner

double smoothStep(double x)
{
    x = std::clamp(x, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

struct Channel
{
    float Viseme::* target;
    float MouthShape::* value;
    enum Kind {
        Jaw,
        Lips,
        RoundLips,
        Tongue,
    } kind;
};
constexpr std::array<Channel, 8> kChannels{{
    {&Viseme::jaw, &MouthShape::jaw, Channel::Jaw},
    {&Viseme::pucker, &MouthShape::pucker, Channel::RoundLips},
    {&Viseme::funnel, &MouthShape::funnel, Channel::RoundLips},
    {&Viseme::stretch, &MouthShape::stretch, Channel::Lips},
    {&Viseme::upperRaise, &MouthShape::upperRaise, Channel::Lips},
    {&Viseme::lowerDepress, &MouthShape::lowerDepress, Channel::Lips},
    {&Viseme::tongueHeight, &MouthShape::tongueHeight, Channel::Tongue},
    {&Viseme::tongueTip, &MouthShape::tongueTip, Channel::Tongue},
}};

double strengthOf(const Viseme& v, Channel::Kind kind, float target, double duration)
{
    if (v.kind == SoundClass::Silence)
        return kSilencePull * std::min(1.0, duration / kFullPause);
    if (kind == Channel::Tongue)
        return 1;
    if (v.kind == SoundClass::Vowel)
        return kind == Channel::Jaw || target > 0 ? 1 : .5;
    if (kind == Channel::Jaw)
        return v.jawPull;
    return target > 0 ? v.lipPull : .3 * v.lipPull;
}

// 1 over [start, end], smooth ramps outside.
double plateau(double time, double start, double end, double ramp)
{
    return smoothStep(std::min((time - start + ramp) / ramp, (end + ramp - time) / ramp));
}

} // namespace

Articulation::Articulation(const std::vector<Sound>& sounds, double frameSeconds)
    : m_frameSeconds(frameSeconds)
{
    std::vector<const Sound*> order;
    for (const Sound& sound : sounds)
        if (std::isfinite(sound.start) && std::isfinite(sound.end) && sound.end - sound.start >= kMinSound)
            order.push_back(&sound);
    std::stable_sort(order.begin(), order.end(), [](const Sound* a, const Sound* b) {
        return std::pair(a->start, a->end) < std::pair(b->start, b->end);
    });
    for (const Sound* sound : order) {
        const double from = m_segments.empty() ? sound->start : m_segments.back().end;
        const double start = std::max(sound->start, from);
        if (sound->end - start < kMinSound)
            continue;
        if (start > from)
            addSilence(from, start, false);
        const auto parts = visemesOf(sound->symbol);
        double at = start;
        for (const VisemePart& part : parts) {
            const double end = &part == &parts.back() ? sound->end : at + part.share * (sound->end - start);
            if (part.viseme.kind == SoundClass::Silence)
                addSilence(at, end, true);
            else
                m_segments.push_back({part.viseme, at, end, sound->stressed && part.viseme.kind == SoundClass::Vowel, true});
            at = end;
        }
        if (parts.empty() && !m_segments.empty())
            m_segments.back().end = sound->end; // a flag: the sound before it lasts on
    }
    if (m_segments.empty())
        return;
    // silence without end on both sides: a window that stops in a gap says the same as one that holds
    // the sound after the gap
    constexpr double kForever = std::numeric_limits<double>::infinity();
    m_segments.insert(m_segments.begin(), Segment{Viseme{}, -kForever, m_segments.front().start, false, false});
    m_segments.push_back(Segment{Viseme{}, m_segments.back().end, kForever, false, false});
}

void Articulation::addSilence(double start, double end, bool given)
{
    if (!m_segments.empty() && m_segments.back().viseme.kind == SoundClass::Silence &&
        m_segments.back().given == given) {
        m_segments.back().end = end;
        return;
    }
    m_segments.push_back({Viseme{}, start, end, false, given});
}

std::pair<std::size_t, std::size_t> Articulation::range(double from, double to) const
{
    const auto first = std::partition_point(m_segments.begin(), m_segments.end(),
                                            [from](const Segment& s) { return s.end < from; });
    const auto last = std::partition_point(first, m_segments.end(),
                                           [to](const Segment& s) { return s.start <= to; });
    return {static_cast<std::size_t>(first - m_segments.begin()),
            static_cast<std::size_t>(last - m_segments.begin())};
}

void Articulation::blend(double time, MouthShape& shape) const
{
    std::array<double, kChannels.size()> sum{}, weight{};
    weight.fill(1e-4); // far from every sound: rest
    const auto [first, last] = range(time - kArticulationReach, time + kArticulationReach);
    for (std::size_t i = first; i < last; ++i) {
        const Segment& s = m_segments[i];
        const double duration = s.end - s.start;
        const bool silence = s.viseme.kind == SoundClass::Silence;
        const double steady = std::min(duration / 4, silence ? kSilenceSteadyMax : kSteadyMax);
        const bool before = time < (s.start + s.end) / 2;
        const double off = std::max({s.start + steady - time, time - (s.end - steady), 0.0});
        const double soft = std::sqrt(off * off + kRounding * kRounding) - kRounding;
        const double taper = smoothStep(2 * (1 - off / kArticulationReach)); // nothing beyond the reach
        for (std::size_t c = 0; c < kChannels.size(); ++c) {
            const Channel& channel = kChannels[c];
            float target = s.viseme.*channel.target;
            if (s.stressed && channel.kind == Channel::Jaw)
                target = std::min(1.f, target * kStressedJaw);
            const double fall = (channel.kind == Channel::RoundLips ? kLipFall : kJawFall) *
                                (before ? kBeforeFactor : kAfterFactor);
            const double d = strengthOf(s.viseme, channel.kind, target, duration) * std::exp(-fall * soft) * taper;
            sum[c] += d * target;
            weight[c] += d;
        }
    }
    for (std::size_t c = 0; c < kChannels.size(); ++c)
        shape.*kChannels[c].value = static_cast<float>(sum[c] / weight[c]);
}

void Articulation::addGestures(double time, MouthShape& shape) const
{
    const double minPlateau = std::max(kPlateauMin, 1.05 * m_frameSeconds);
    const double reach = kPauseRamp + minPlateau + .1;
    double close = 0, press = 0, tuck = 0;
    const auto [first, last] = range(time - reach, time + reach);
    for (std::size_t i = first; i < last; ++i) {
        const Segment& s = m_segments[i];
        const Viseme& v = s.viseme;
        if (v.kind == SoundClass::Silence) {
            if (s.end - s.start < kFullPause)
                continue;
            // given silence and a gap beside it are one pause
            const bool goesBack = i > 0 && m_segments[i - 1].viseme.kind == SoundClass::Silence;
            const bool goesOn = i + 1 < m_segments.size() && m_segments[i + 1].viseme.kind == SoundClass::Silence;
            const double rest = plateau(time, s.start + (goesBack ? 0 : kPauseCloseDelay),
                                        s.end - (goesOn ? 0 : kPauseOpenEarly), kPauseRamp);
            close = std::max(close, rest);
            press = std::max(press, kPausePress * rest);
            continue;
        }
        if (v.close == 0 && v.tuck == 0 && v.press == 0)
            continue;
        const double start = s.start - kGestureEarly;
        const double end = std::max(s.end - kGestureRelease, start + minPlateau);
        close = std::max(close, v.close * plateau(time, start, end, kCloseRamp));
        tuck = std::max(tuck, v.tuck * plateau(time, start, end, kCloseRamp));
        press = std::max(press, v.press * plateau(time, start, end, kPressRamp));
    }
    shape.close = static_cast<float>(close);
    shape.jaw *= 1 - kCloseLiftsJaw * shape.close;
    shape.pucker *= 1 - kCloseFlattens * shape.close;
    shape.funnel *= 1 - kCloseFlattens * shape.close;
    shape.press = static_cast<float>(press);
    shape.tuck = static_cast<float>(tuck * (1 - close));
}

MouthShape Articulation::at(double time) const
{
    MouthShape shape;
    blend(time, shape);
    addGestures(time, shape);
    return shape;
}

double Articulation::distanceToGiven(double time, double reach) const
{
    double distance = 1;
    const auto [first, last] = range(time - reach, time + reach);
    for (std::size_t i = first; i < last; ++i)
        if (m_segments[i].given)
            distance = std::min(distance, std::max({m_segments[i].start - time, time - m_segments[i].end, 0.0}));
    return distance;
}

float Articulation::coverage(double time) const
{
    return static_cast<float>(1 - smoothStep((distanceToGiven(time, .3) - .1) / .2));
}

bool Articulation::knows(double time) const
{
    return distanceToGiven(time, .08) <= .08;
}

bool Articulation::isSpeech(double time) const
{
    const auto [first, last] = range(time, time);
    for (std::size_t i = first; i < last; ++i) {
        const Segment& s = m_segments[i];
        if (s.viseme.kind != SoundClass::Silence || s.end - s.start < kFullPause)
            return true;
    }
    return false;
}

float Articulation::expectedEnergy(double time) const
{
    const auto [first, last] = range(time, time);
    float energy = 0;
    for (std::size_t i = first; i < last; ++i) {
        const Segment& s = m_segments[i];
        const bool vowel = s.viseme.kind == SoundClass::Vowel;
        const float e = s.viseme.kind == SoundClass::Silence ? 0 : vowel ? (s.stressed ? 1.f : .75f)
                                                                         : .45f;
        energy = std::max(energy, e);
    }
    return energy;
}

bool Articulation::stressStarts(double from, double to) const
{
    const auto [first, last] = range(from, to);
    for (std::size_t i = first; i < last; ++i)
        if (m_segments[i].stressed && m_segments[i].start > from && m_segments[i].start <= to)
            return true;
    return false;
}

} // namespace loquor::portrait
