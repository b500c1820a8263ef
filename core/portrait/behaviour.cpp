#include "core/portrait/behaviour.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/portrait/hearing.h"

namespace loquor::portrait {

namespace {

// Blinks: log-normal intervals (about 20 a minute), fast closing, slower opening.
constexpr double kBlinkMedian = 2.6, kBlinkSpread = .45, kBlinkMin = 1.1, kBlinkMax = 7;
constexpr double kBlinkWaitsForPause = .8; // s
constexpr double kDoubleBlinkShare = .05;
constexpr float kBlinkClose = .085f, kBlinkHold = .035f, kBlinkOpen = .170f;
// Gaze: looks away and comes back.
constexpr double kGazeHomeShare = .5, kGazeSigmaX = .36, kGazeSigmaY = .42, kGazeLimitX = .7, kGazeLimitY = .8;
constexpr double kSaccadeSeconds = .045;
constexpr double kBlinkWithGazeShare = .2, kBlinkWithGazeShift = .3;
// Poses: taken at the start of phrases and now and then within them.
constexpr double kPoseYaw = 2.2, kPosePitch = 1.3, kPoseRoll = 1.5, kPoseLimit = 2.2; // deg; limit in deviations
constexpr std::int64_t kPhrasePauseTicks = 25, kSentencePauseTicks = 40, kListenTicks = 90;
// Emphasis: peaks of the smoothed energy.
constexpr double kProsodyRate = .16, kProsodyMeanRate = .004;
constexpr int kPeakHalfTicks = 7;
constexpr double kProsodyLag = .06; // s, of the smoothing
constexpr double kProminenceMin = .05, kEmphasisGap = .32, kBrowGap = 1.1;
constexpr double kNodShare = .6, kBrowShare = .38;

double smoothStep(double x)
{
    x = std::clamp(x, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

// Minimum jerk: how people move a head from one rest to another.
double minimumJerk(double x)
{
    x = std::clamp(x, 0.0, 1.0);
    return x * x * x * (10 - 15 * x + 6 * x * x);
}

double earliest(double now)
{
    return now - static_cast<double>(kLookAheadTicks) * kTickSeconds + kTickSeconds;
}

} // namespace

void StepTrack::stepTo(const Value& target, double start, double duration)
{
    const Value now = this->target();
    Step& slot = m_steps[m_count++ % kSteps];
    for (std::size_t d = 0; d < kDims; ++d)
        m_base[d] += slot.delta[d]; // the oldest step, long finished
    slot.start = start;
    slot.duration = duration;
    for (std::size_t d = 0; d < kDims; ++d)
        slot.delta[d] = target[d] - now[d];
}

StepTrack::Value StepTrack::at(double time) const
{
    Value value = m_base;
    for (const Step& step : m_steps) {
        const auto e = static_cast<float>(minimumJerk((time - step.start) / step.duration));
        for (std::size_t d = 0; d < kDims; ++d)
            value[d] += e * step.delta[d];
    }
    return value;
}

StepTrack::Value StepTrack::target() const
{
    Value value = m_base;
    for (const Step& step : m_steps)
        for (std::size_t d = 0; d < kDims; ++d)
            value[d] += step.delta[d];
    return value;
}

double Pulse::envelope(double time) const
{
    const double u = time - start;
    if (u <= 0 || time >= end())
        return 0;
    if (u < rise)
        return smoothStep(u / rise);
    return u < rise + hold ? 1 : smoothStep((end() - time) / fall);
}

double Behaviour::uniform(Stream stream, std::int64_t index, int part, double lo, double hi) const
{
    return lo + (hi - lo) * hashUniform(m_seed, stream, index, part);
}

void Behaviour::add(const Pulse& pulse, double now, BehaviourState& state) const
{
    Pulse& slot = state.pulses[state.pulseCount++ % state.pulses.size()];
    slot = pulse;
    slot.start = std::max(pulse.start, earliest(now)); // frames already drawn must not change
}

void Behaviour::tick(const TickInput& input, BehaviourState& state) const
{
    const double now = static_cast<double>(input.tick) * kTickSeconds;
    if (state.blinkDue < 0) {
        state.blinkDue = uniform(Stream::Blink, -1, 0, .8, 2.4);
        state.gazeDue = uniform(Stream::Gaze, -1, 0, .8, 2.0);
        state.poseDue = uniform(Stream::Pose, -1, 0, 2, 4);
    }
    if (input.talking) {
        if (state.quietTicks >= kPhrasePauseTicks)
            phraseStarts(now, state);
        state.quietTicks = 0;
        ++state.talkTicks;
        state.expressionSpoken |= state.expressionHeld;
    } else {
        ++state.quietTicks;
        state.talkTicks = 0;
        if (state.quietTicks == kSentencePauseTicks && state.expressionSpoken) {
            // the sentence that a [smile] or [serious] was for is over
            state.expression.stepTo({}, now - static_cast<double>(kSentencePauseTicks) * kTickSeconds + .15, .7);
            state.expressionHeld = state.expressionSpoken = 0;
        }
        if (state.quietTicks == kListenTicks)
            newPose(now, .35, state);
    }
    if (input.talking && now >= state.poseDue)
        newPose(now, 1, state);
    detectEmphasis(input, now, state);
    if (now >= state.gazeDue)
        moveGaze(now, state);
    maybeBlink(input, now, state);
}

void Behaviour::phraseStarts(double now, BehaviourState& state) const
{
    newPose(now - .2, 1, state);
    if (uniform(Stream::BrowRaise, state.poseIndex, 7, 0, 1) < .45) {
        Pulse pulse{PulseKind::BrowRaise, .16f, .12f, .45f, now - .1, 0, 0};
        pulse.amount = static_cast<float>(uniform(Stream::BrowRaise, state.poseIndex, 8, .25, .55));
        pulse.side = static_cast<float>(uniform(Stream::BrowRaise, state.poseIndex, 9, -.2, .2));
        add(pulse, now, state);
        state.lastBrow = now;
    }
}

void Behaviour::newPose(double now, double scale, BehaviourState& state) const
{
    const std::int64_t i = state.poseIndex++;
    const auto draw = [&](int part, double sigma) {
        return static_cast<float>(scale * sigma * std::clamp(hashNormal(m_seed, Stream::Pose, i, part), -kPoseLimit, kPoseLimit));
    };
    const double duration = uniform(Stream::Pose, i, 3, .45, .95);
    state.pose.stepTo({draw(0, kPoseYaw), draw(1, kPosePitch), draw(2, kPoseRoll)}, now, duration);
    state.poseDue = now + duration + uniform(Stream::Pose, i, 4, 1.2, 3.6);
}

void Behaviour::detectEmphasis(const TickInput& input, double now, BehaviourState& state) const
{
    state.prosodyNow += kProsodyRate * (input.energy - state.prosodyNow);
    if (input.talking)
        state.prosodyMean += kProsodyMeanRate * (state.prosodyNow - state.prosodyMean);
    const auto size = static_cast<std::int64_t>(state.prosody.size());
    const auto slot = [&](std::int64_t tick) -> float& {
        return state.prosody[static_cast<std::size_t>(((tick % size) + size) % size)];
    };
    slot(input.tick) = static_cast<float>(state.prosodyNow);
    const float peak = slot(input.tick - kPeakHalfTicks);
    for (int d = 0; d <= 2 * kPeakHalfTicks; ++d)
        if (d != kPeakHalfTicks && slot(input.tick - d) >= peak)
            return;
    const double prominence = peak - state.prosodyMean + (input.stress ? .08 : 0);
    const double when = now - kPeakHalfTicks * kTickSeconds - kProsodyLag;
    if (prominence > kProminenceMin && when - state.lastEmphasis > kEmphasisGap) {
        state.lastEmphasis = when;
        emphasise(when, std::min(1.0, prominence * 3), now, state);
    }
}

void Behaviour::emphasise(double when, double prominence, double now, BehaviourState& state) const
{
    const std::int64_t i = state.emphasisIndex++;
    if (uniform(Stream::Nod, i, 0, 0, 1) < kNodShare) {
        Pulse nod{PulseKind::Nod, 0, 0, 0, 0, 0, 0};
        nod.rise = static_cast<float>(uniform(Stream::Nod, i, 1, .14, .22));
        nod.fall = static_cast<float>(uniform(Stream::Nod, i, 2, .26, .48));
        nod.start = when - nod.rise * .8;
        // mostly down, sometimes a lift of the chin
        const double sign = uniform(Stream::Nod, i, 3, 0, 1) < .78 ? 1 : -.7;
        nod.amount = static_cast<float>(sign * (1.0 + 2.0 * prominence) * uniform(Stream::Nod, i, 4, .6, 1.3));
        nod.side = static_cast<float>(hashNormal(m_seed, Stream::Nod, i, 5) * .4);
        add(nod, now, state);
    }
    if (when - state.lastBrow > kBrowGap && uniform(Stream::BrowRaise, i, 0, 0, 1) < kBrowShare) {
        Pulse brow{PulseKind::BrowRaise, 0, 0, 0, 0, 0, 0};
        brow.rise = static_cast<float>(uniform(Stream::BrowRaise, i, 1, .10, .18));
        brow.hold = static_cast<float>(uniform(Stream::BrowRaise, i, 2, .02, .2));
        brow.fall = static_cast<float>(uniform(Stream::BrowRaise, i, 3, .25, .5));
        brow.start = when - brow.rise;
        brow.amount = static_cast<float>(uniform(Stream::BrowRaise, i, 4, .2, .45) * (.7 + .6 * prominence));
        brow.side = static_cast<float>(uniform(Stream::BrowRaise, i, 5, -.25, .25));
        add(brow, now, state);
        state.lastBrow = when;
    }
}

void Behaviour::maybeBlink(const TickInput& input, double now, BehaviourState& state) const
{
    if (now < state.blinkDue)
        return;
    const bool pause = !input.talking && state.quietTicks >= 3;
    if (!pause && now < state.blinkDue + kBlinkWaitsForPause)
        return;
    addBlink(now, now, state);
}

void Behaviour::addBlink(double start, double now, BehaviourState& state) const
{
    const std::int64_t i = state.blinkIndex++;
    const auto speed = static_cast<float>(uniform(Stream::Blink, i, 0, .85, 1.2));
    add({PulseKind::Blink, kBlinkClose * speed, kBlinkHold * speed, kBlinkOpen * speed, start, 1, 0}, now, state);
    state.lastBlink = start;
    const double interval = kBlinkMedian * std::exp(kBlinkSpread * hashNormal(m_seed, Stream::Blink, i, 1));
    const bool twice = uniform(Stream::Blink, i, 2, 0, 1) < kDoubleBlinkShare;
    state.blinkDue = start + (twice ? .38 : std::clamp(interval, kBlinkMin, kBlinkMax));
}

void Behaviour::moveGaze(double now, BehaviourState& state) const
{
    const std::int64_t i = state.gazeIndex++;
    const StepTrack::Value old = state.gaze.target();
    StepTrack::Value next{};
    const bool away = std::hypot(old[0], old[1]) > 1e-4;
    const bool home = uniform(Stream::Gaze, i, 0, 0, 1) < (away ? kGazeHomeShare + .25 : kGazeHomeShare - .25);
    if (!home) {
        next[0] = static_cast<float>(std::clamp(kGazeSigmaX * hashNormal(m_seed, Stream::Gaze, i, 1), -kGazeLimitX, kGazeLimitX));
        next[1] = static_cast<float>(std::clamp(kGazeSigmaY * hashNormal(m_seed, Stream::Gaze, i, 2), -kGazeLimitY, kGazeLimitY));
    } else {
        next[0] = next[1] = 0;
    }
    state.gaze.stepTo(next, now, kSaccadeSeconds);
    state.gazeDue = now + (home ? uniform(Stream::Gaze, i, 3, .9, 2.8) : uniform(Stream::Gaze, i, 3, .4, 1.4));
    const double shift = std::hypot(next[0] - old[0], next[1] - old[1]);
    if (shift > kBlinkWithGazeShift && now - state.lastBlink > kBlinkMin &&
        uniform(Stream::Gaze, i, 4, 0, 1) < kBlinkWithGazeShare)
        addBlink(now, now, state);
}

void Behaviour::look(double x, double y, const Cue& cue, double now, BehaviourState& state) const
{
    constexpr float kHold = .9f;
    const double strength = std::clamp(cue.strength, 0.0, 1.0);
    const double start = std::max(cue.time, earliest(now));
    state.gaze.stepTo({static_cast<float>(x * strength), static_cast<float>(y * strength), 0}, start, kSaccadeSeconds);
    state.gazeDue = start + kHold + .25;
    // the head follows a little; face towards image left is positive yaw, chin down positive pitch
    if (x != 0)
        add({PulseKind::TurnYaw, .35f, kHold - .2f, .5f, start + .03, static_cast<float>(-2.6 * x * strength), 0}, now, state);
    if (y != 0)
        add({PulseKind::TurnPitch, .35f, kHold - .2f, .5f, start + .03, static_cast<float>(2.4 * y * strength), 0}, now, state);
}

void Behaviour::cue(const Cue& cue, double now, BehaviourState& state) const
{
    const auto strength = static_cast<float>(std::clamp(cue.strength, 0.0, 1.0));
    const double start = std::max(cue.time, earliest(now));
    const auto express = [&](float smile, float serious) {
        state.expression.stepTo({smile, serious, 0}, std::max(start - .1, earliest(now)), .5);
        state.expressionHeld = 1;
        state.expressionSpoken = 0;
    };
    switch (cue.kind) {
    case CueKind::None: return;
    case CueKind::Smile: return express(.55f * strength, 0);
    case CueKind::Serious: return express(0, strength);
    case CueKind::Nod:
        add({PulseKind::Nod, .20f, .04f, .30f, start, 4.2f * strength, 0}, now, state);
        return add({PulseKind::Nod, .18f, .03f, .36f, start + .50, 2.6f * strength, 0}, now, state);
    case CueKind::Shake: return add({PulseKind::Shake, .15f, .75f, .25f, start, 4.2f * strength, 0}, now, state);
    case CueKind::LookLeft: return look(-.75, 0, cue, now, state);
    case CueKind::LookRight: return look(.75, 0, cue, now, state);
    case CueKind::LookUp: return look(0, -.75, cue, now, state);
    case CueKind::LookDown: return look(0, .75, cue, now, state);
    case CueKind::LookCamera:
        state.gaze.stepTo({}, start, kSaccadeSeconds);
        state.gazeDue = start + 2;
        return;
    case CueKind::BrowUp: return add({PulseKind::BrowRaise, .18f, .5f, .5f, start, .8f * strength, 0}, now, state);
    case CueKind::BrowDown: return add({PulseKind::BrowFrown, .2f, .6f, .5f, start, .8f * strength, 0}, now, state);
    case CueKind::Blink: return addBlink(start, now, state);
    }
}

BehaviourValues Behaviour::at(double time, double runEnd, const BehaviourState& state) const
{
    BehaviourValues out;
    const auto pose = state.pose.at(time);
    out.yaw = pose[0];
    out.pitch = pose[1];
    out.roll = pose[2];
    const auto gaze = state.gaze.at(time);
    out.gazeX = gaze[0];
    out.gazeY = gaze[1];
    const auto expression = state.expression.at(time);
    out.smile = expression[0];
    out.serious = expression[1];
    for (const Pulse& pulse : state.pulses) {
        const double e = pulse.amount * pulse.envelope(time);
        if (e == 0)
            continue;
        switch (pulse.kind) {
        case PulseKind::None: break;
        case PulseKind::Blink:
            if (pulse.end() <= runEnd)
                out.blink = std::max(out.blink, e);
            break;
        case PulseKind::Nod:
            out.pitch += e;
            out.yaw += .5 * e * pulse.side;
            out.roll += .4 * e * pulse.side;
            break;
        case PulseKind::Shake: out.yaw += e * std::sin(2 * std::numbers::pi * 2.2 * (time - pulse.start)); break;
        case PulseKind::BrowRaise:
            if (e > out.browRaise) {
                out.browRaise = e;
                out.browSide = pulse.side;
            }
            break;
        case PulseKind::BrowFrown: out.browFrown = std::max(out.browFrown, e); break;
        case PulseKind::TurnYaw: out.yaw += e; break;
        case PulseKind::TurnPitch: out.pitch += e; break;
        }
    }
    return out;
}

} // namespace loquor::portrait
