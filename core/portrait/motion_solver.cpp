#include "core/portrait/motion_solver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "core/base/check.h"
#include "core/portrait/articulation.h"
#include "core/portrait/solver_state.h"

namespace loquor::portrait {

namespace {

// Lips lead the sound they make (people: some 0 to 100 ms, by sound); what counts is that the lag
// measured on the rendered video against the sound is 0 within 20 ms. Set by that measure.
constexpr double kVisualLead = .015;
// The ear's levels lag less than lips do: loudness and spectrum are read this much ahead.
constexpr double kEarLead = .040;

constexpr double kEaseIn = .7, kEaseOut = .5;      // s: head and eyes leave and reach the photo's pose
constexpr double kLastFrameMax = .1;               // s: with kEaseOut within the look-ahead, so that the end is known
constexpr double kMouthIn = .08, kMouthOut = .12;  // s: the mouth does so faster
constexpr double kSeedBlend = 1.0;                 // s
constexpr double kStyleRate = .03;                 // per tick
constexpr double kActivityHalf = .45;              // s, window of "is speaking"
constexpr double kLoudRangeDb = 26;

// Mouth amplitude. Chosen so that lips and jaw of the rendered video move as far and as fast as
// people's (lip range .12 - .23 eye distances, jaw .055 - .149, speed p95 .99 - 1.56 per second).
constexpr double kJawScale = 1.39;
constexpr double kJawKnee = .6;                    // above it the jaw gives way: nobody unhinges it
constexpr double kJawQuiet = .80, kJawLoud = .25;  // jaw gain = quiet + loud * loudness
constexpr double kRoundScale = .85, kSpreadScale = .9;
constexpr double kLowerWithJaw = .26, kUpperWithJaw = .17;
constexpr double kChinWithPress = .35, kIdlePress = .2;
constexpr double kSmileDrift = .05;                // the corners of the mouth are never quite still

// Idle head motion, degrees; spectrum and sizes of people in conversation, in the lower half of what
// they do because the picture is right to about 6 degrees.
constexpr double kHeadSlowest = 3.2, kHeadPersistence = .72;
constexpr double kNoiseYaw = 2.9, kNoisePitch = 2.35, kNoiseRoll = 1.9;
constexpr double kIdleShare = .55;                 // of head motion while silent
constexpr double kProsodyPitch = 2.4;              // deg over the range of loudness
constexpr double kShiftX = .008, kShiftY = .005, kShiftZ = .012;
constexpr double kAngleLimit = 6, kShiftLimit = .03;
// Where yaw, pitch and roll turn back at the same moment, one frame would equal the one before, which
// reads as a dropped frame. There the head gives way a little.
constexpr double kStillStep = .04;   // s: what a frame lasts
constexpr double kLeastStep = .42;   // of the steps around
constexpr double kAside = 1.2;       // of what is missing
// Eyes counter-rotate: radius 12 mm, eye distance 90 mm, shift scale of GazeX .075 and GazeY .045.
constexpr double kVorX = .031, kVorY = .052;
constexpr double kBreathHz = .26;

double smoothStep(double x)
{
    x = std::clamp(x, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

// Leaves 0 at once and arrives at 1 softly: at the ends of a run no two frames may be the same.
double easeOut(double x)
{
    x = 1 - std::clamp(x, 0.0, 1.0);
    return 1 - x * x;
}

double softLimit(double x, double limit)
{
    return limit * std::tanh(x / limit);
}

// The first tick at or behind a time.
std::int64_t firstTickAt(double time)
{
    return std::isfinite(time) ? static_cast<std::int64_t>(std::ceil(time * kTicksPerSecond - 1e-6))
                               : std::numeric_limits<std::int64_t>::max();
}

float unit(double x)
{
    return static_cast<float>(std::clamp(x, 0.0, 1.0));
}

std::uint64_t checksumOf(const std::uint8_t* bytes, std::size_t size)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL; // FNV-1a
    for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * 0x100000001B3ULL;
    return hash;
}

} // namespace

struct MotionSolver::Impl
{
    Impl(std::uint64_t seed, Rational fps, Style wanted)
        : behaviour(seed), style(wanted), wantedSeed(seed), frameSeconds(1 / fps.toDouble())
    {
        state.seed = state.formerSeed = seed;
        state.fps = fps;
        state.style = {style.energy, style.headMotion, style.smile};
    }

    // `window` seen once per call: its sounds and where the run ends.
    struct View
    {
        const SpeechWindow& window;
        Articulation articulation;
        double runEnd; // infinite while it is not in sight
        double restAt; // when the last frame is shown: everything is at rest again
        std::int64_t lineEndTick; // the first one behind the line
    };

    void advance(const View& view, std::int64_t lastTick);
    void runTick(const View& view, std::int64_t tick);
    void takeSeed();
    Motion frame(const View& view, double time) const;
    MouthShape mouth(const View& view, double time) const;
    MouthShape heardMouth(double time) const;
    void drawMouth(const View& view, double time, Motion& motion) const;
    void drawFace(double time, double presence, const BehaviourValues& values, Motion& motion) const;
    void drawHead(const View& view, double time, const BehaviourValues& values, Motion& motion) const;
    double noise(Stream stream, double time, double slowest, double persistence) const;

    // What sets the size of head motion at a moment.
    struct HeadDrive
    {
        double amount, idle, prosody;
    };
    struct HeadTurn // degrees
    {
        double yaw = 0, pitch = 0, roll = 0;
        friend HeadTurn operator+(const HeadTurn& a, const HeadTurn& b)
        {
            return {a.yaw + b.yaw, a.pitch + b.pitch, a.roll + b.roll};
        }
        friend HeadTurn operator-(const HeadTurn& a, const HeadTurn& b) { return a + b * -1; }
        friend HeadTurn operator*(const HeadTurn& a, double k) { return {a.yaw * k, a.pitch * k, a.roll * k}; }
        double dot(const HeadTurn& b) const { return yaw * b.yaw + pitch * b.pitch + roll * b.roll; }
        double length() const { return std::sqrt(dot(*this)); }
    };
    static double presenceAt(const View& view, double time);
    HeadDrive headDrive(const View& view, double time) const;
    HeadTurn headTurn(double time, const HeadDrive& drive, const BehaviourValues& values) const;
    HeadTurn headTurn(const View& view, double time, const HeadDrive& drive) const;
    HeadTurn keepMoving(const View& view, double time, int stepsBack) const;

    // Weighted mean of a per-tick value around `time`; only ticks up to .5 s ahead exist.
    template<class F>
    double around(double time, double half, F&& valueOf) const
    {
        const auto from = static_cast<std::int64_t>(std::ceil((time - half) * kTicksPerSecond));
        const auto to = static_cast<std::int64_t>(std::floor((time + half) * kTicksPerSecond));
        double sum = 0, weight = 0;
        for (std::int64_t k = std::max<std::int64_t>(from, 0); k <= std::min(to, state.nextTick - 1); ++k) {
            const double u = (static_cast<double>(k) * kTickSeconds - time) / half;
            const double w = .5 + .5 * std::cos(std::numbers::pi * u);
            sum += w * valueOf(state.tickAt(k));
            weight += w;
        }
        return weight > 0 ? sum / weight : 0;
    }
    double loudnessOf(const TickMemory& tick) const
    {
        return std::clamp((tick.heard.levelDb - state.loudness + kLoudRangeDb) / kLoudRangeDb, 0.0, 1.0);
    }
    double loudnessAt(double time) const
    {
        return around(time, .05, [this](const TickMemory& t) { return loudnessOf(t); });
    }

    const std::array<float, 3>& styleAt(double time) const
    {
        return state.tickAt(static_cast<std::int64_t>(std::floor(time * kTicksPerSecond + 1e-6))).style;
    }

    Behaviour behaviour;
    Style style;
    std::uint64_t wantedSeed; // becomes the state's with the next frame
    double frameSeconds;
    Hearing hearing;
    SolverState state;
};

void MotionSolver::Impl::advance(const View& view, std::int64_t lastTick)
{
    while (state.nextTick <= lastTick) {
        if (state.nextTick == view.lineEndTick)
            state.rememberLineEnd();
        runTick(view, state.nextTick++);
    }
}

// Moves idle noise from the former seed to the wanted one, from the next frame on.
void MotionSolver::Impl::takeSeed()
{
    if (wantedSeed == state.seed)
        return;
    state.formerSeed = state.seed;
    state.seed = wantedSeed;
    state.seedChange = secondsOf(state.nextFrame, state.fps);
}

void MotionSolver::Impl::runTick(const View& view, std::int64_t tick)
{
    const double now = static_cast<double>(tick) * kTickSeconds;
    TickMemory& memory = state.tickAt(tick);
    memory.heard = hearing.hear(view.window.audio, view.window.audioStart, tick, state.hearing);
    const bool silentFilm = view.window.audio.samples.empty();
    const bool talking = view.articulation.knows(now) ? view.articulation.isSpeech(now) : memory.heard.voice > .5f;
    if (silentFilm) // no sound to hear: as loud as such speech usually is
        memory.heard.levelDb = static_cast<float>(state.hearing.referenceDb - kLoudRangeDb * (1 - view.articulation.expectedEnergy(now)));
    memory.talking = talking ? 1.f : 0.f;
    state.loudness += (tick == 0 ? 1 : .08) * (state.hearing.referenceDb - state.loudness);
    const double wanted[3] = {style.energy, style.headMotion, style.smile};
    for (std::size_t i = 0; i < 3; ++i) {
        state.style[i] += kStyleRate * (wanted[i] - state.style[i]);
        memory.style[i] = static_cast<float>(state.style[i]);
    }

    TickInput input;
    input.tick = tick;
    input.talking = talking;
    input.energy = static_cast<float>(talking ? loudnessOf(memory) : 0);
    input.stress = view.articulation.stressStarts(now - .24, now);
    for (const Cue& cue : view.window.cues) {
        const bool due = cue.time <= now && (cue.time > now - kTickSeconds || tick == 0);
        if (due && std::isfinite(cue.strength))
            behaviour.cue(cue, now, state.behaviour);
    }
    behaviour.tick(input, state.behaviour);
}

double MotionSolver::Impl::noise(Stream stream, double time, double slowest, double persistence) const
{
    const double now = fractalNoise(state.seed, stream, time, slowest, persistence);
    const double share = smoothStep((time - state.seedChange) / kSeedBlend);
    if (share >= 1)
        return now;
    return share * now + (1 - share) * fractalNoise(state.formerSeed, stream, time, slowest, persistence);
}

// A mouth from the sound alone: open with loudness and first formant, spread or rounded by the balance
// of the bands, shut in dips and pauses.
MouthShape MotionSolver::Impl::heardMouth(double time) const
{
    MouthShape shape;
    const double half = .075;
    const auto mean = [&](float HeardTick::* field) {
        return around(time, half, [&](const TickMemory& t) { return t.heard.*field * t.heard.voice; });
    };
    const double voice = around(time, .06, [](const TickMemory& t) { return t.heard.voice; });
    const double loud = around(time, half, [this](const TickMemory& t) { return loudnessOf(t); });
    const double open = mean(&HeardTick::open), wide = mean(&HeardTick::wide), round = mean(&HeardTick::round),
                 hiss = mean(&HeardTick::hiss);
    const double vowel = smoothStep((loud - .2) / .75) * (1 - .8 * hiss);
    shape.jaw = unit(voice * (vowel * (.18 + .48 * open) + .10 * hiss));
    shape.stretch = unit(voice * (.65 * vowel * wide * (1 - open) + .3 * hiss));
    shape.pucker = unit(voice * .8 * vowel * round * (1 - wide));
    shape.funnel = unit(voice * .35 * vowel * round);
    shape.upperRaise = unit(.12 * hiss * voice);
    shape.lowerDepress = unit(.2 * hiss * voice);
    shape.tongueHeight = unit(voice * (.15 + .4 * hiss));
    // a dip between voiced sounds, without hiss: most likely the lips or the tongue shut
    const double dip = smoothStep((.26 - loud) / .26) * voice * (1 - hiss);
    const double pause = 1 - smoothStep(voice * 2.2);
    shape.close = unit(std::max(dip, pause));
    shape.press = unit(kPausePress * pause);
    return shape;
}

MouthShape MotionSolver::Impl::mouth(const View& view, double time) const
{
    const float known = view.articulation.coverage(time);
    if (known >= 1)
        return view.articulation.at(time);
    MouthShape heard = heardMouth(time);
    if (known <= 0)
        return heard;
    const MouthShape told = view.articulation.at(time);
    for (float MouthShape::* field :
         {&MouthShape::jaw, &MouthShape::pucker, &MouthShape::funnel, &MouthShape::stretch, &MouthShape::upperRaise,
          &MouthShape::lowerDepress, &MouthShape::tongueHeight, &MouthShape::tongueTip, &MouthShape::close,
          &MouthShape::press, &MouthShape::tuck})
        heard.*field += known * (told.*field - heard.*field);
    return heard;
}

void MotionSolver::Impl::drawMouth(const View& view, double time, Motion& motion) const
{
    const MouthShape shape = mouth(view, time + kVisualLead);
    const double loud = loudnessAt(time + kEarLead);
    const double present = smoothStep(time / kMouthIn) *
                           smoothStep((view.restAt - time) / kMouthOut);
    const double wanted = styleAt(time)[0];
    const double energy = wanted <= 1 ? .4 + .6 * wanted : .65 + .35 * wanted;
    const double gain = present * energy;
    double jaw = gain * kJawScale * (kJawQuiet + kJawLoud * loud) * shape.jaw;
    if (jaw > kJawKnee)
        jaw = kJawKnee + softLimit(jaw - kJawKnee, 1 - kJawKnee);
    motion[Param::Jaw] = unit(jaw);
    motion[Param::Pucker] = unit(present * kRoundScale * shape.pucker);
    motion[Param::Funnel] = unit(gain * kRoundScale * shape.funnel);
    motion[Param::UpperRaise] = unit(gain * kSpreadScale * shape.upperRaise + kUpperWithJaw * jaw);
    motion[Param::LowerDepress] = unit(gain * kSpreadScale * shape.lowerDepress + kLowerWithJaw * jaw);
    motion[Param::TongueHeight] = unit(present * shape.tongueHeight);
    motion[Param::TongueTip] = unit(present * shape.tongueTip);
    motion[Param::Close] = unit(present * shape.close);
    // closed lips are not frozen: they press and ease a little while nothing is said
    const double talking = around(time, .2, [](const TickMemory& t) { return t.talking; });
    const double idlePress = kIdlePress * (1 - talking) * std::max(0.0, noise(Stream::MouthSide, time + 100, 1.6, .5));
    const double press = present * std::max<double>(shape.press, idlePress);
    motion[Param::Press] = unit(press);
    motion[Param::Tuck] = unit(present * shape.tuck);
    motion[Param::ChinRaise] = unit(kChinWithPress * press);
    // nobody's mouth is symmetric: the sides differ by a few percent, slowly changing
    const double lean = .06 * noise(Stream::MouthSide, time, 2.5, .4);
    const double stretch = gain * kSpreadScale * shape.stretch;
    motion[Param::StretchL] = unit(stretch * (1 + lean));
    motion[Param::StretchR] = unit(stretch * (1 - lean));
    motion[Param::MouthX] = static_cast<float>(std::clamp(gain * lean * shape.jaw, -1.0, 1.0));
    motion[Param::JawSide] = static_cast<float>(std::clamp(.5 * gain * lean * shape.jaw, -1.0, 1.0));
}

void MotionSolver::Impl::drawFace(double time, double presence, const BehaviourValues& values, Motion& motion) const
{
    const std::array<float, 3>& look = styleAt(time);
    const double liveliness = std::min<double>(look[1], 1.6);
    const double smileDrift = kSmileDrift * presence * liveliness * (1 - values.serious) *
                              std::max(0.0, .5 + noise(Stream::Expression, time + 100, 2.2, .5));
    const double smile = std::clamp(look[2] * (1 - values.serious) + values.smile + smileDrift, 0.0, 1.0);
    const double tilt = .05 * noise(Stream::Expression, time, 4, .4);
    motion[Param::SmileL] = unit(smile * (1 + tilt));
    motion[Param::SmileR] = unit(smile * (1 - tilt));
    motion.setPair(Param::CheekL, Param::CheekR, unit(.6 * smile));
    motion.setPair(Param::SquintL, Param::SquintR, unit(.25 * smile + .12 * values.browFrown));
    motion.setPair(Param::BlinkL, Param::BlinkR, unit(values.blink));
    const double raise = liveliness * values.browRaise;
    const double drift = liveliness * .09 * (1 + noise(Stream::BrowDrift, time, 2.6, .5)) * presence;
    motion[Param::BrowOutL] = unit(raise * (1 + values.browSide) + .6 * drift);
    motion[Param::BrowOutR] = unit(raise * (1 - values.browSide) + .6 * drift);
    motion.setPair(Param::BrowInL, Param::BrowInR, unit(.85 * raise + drift));
    motion[Param::BrowDown] = unit(.25 * values.serious + values.browFrown);
    motion[Param::Wide] = unit(.15 * raise);
}

double MotionSolver::Impl::presenceAt(const View& view, double time)
{
    return easeOut(time / kEaseIn) * easeOut((view.restAt - time) / kEaseOut);
}

MotionSolver::Impl::HeadDrive MotionSolver::Impl::headDrive(const View& view, double time) const
{
    const double activity = around(time, kActivityHalf, [](const TickMemory& t) { return t.talking; });
    const double loud = around(time, .22, [this](const TickMemory& t) { return t.talking * loudnessOf(t); });
    const double amount = presenceAt(view, time) * styleAt(time)[1];
    return {amount, amount * (kIdleShare + (1 - kIdleShare) * activity),
            amount * kProsodyPitch * activity * (loud - .5)};
}

MotionSolver::Impl::HeadTurn MotionSolver::Impl::headTurn(double time, const HeadDrive& drive,
                                                          const BehaviourValues& values) const
{
    const auto angle = [&](Stream stream, double size) { return size * noise(stream, time, kHeadSlowest, kHeadPersistence); };
    const double yaw = drive.idle * angle(Stream::Yaw, kNoiseYaw) + drive.amount * values.yaw;
    const double pitch = drive.idle * angle(Stream::Pitch, kNoisePitch) + drive.amount * values.pitch + drive.prosody;
    const double roll = drive.idle * angle(Stream::Roll, kNoiseRoll) + drive.amount * values.roll;
    return {softLimit(yaw, kAngleLimit), softLimit(pitch, kAngleLimit), softLimit(roll, kAngleLimit)};
}

MotionSolver::Impl::HeadTurn MotionSolver::Impl::headTurn(const View& view, double time, const HeadDrive& drive) const
{
    return headTurn(time, drive, behaviour.at(time, view.runEnd, state.behaviour));
}

// What is added to a step that would be too small. A function of time alone like everything else: it
// compares moments, not frames. `stepsBack`: how many steps before had theirs considered.
MotionSolver::Impl::HeadTurn MotionSolver::Impl::keepMoving(const View& view, double time, int stepsBack) const
{
    const double before = time - kStillStep;
    const HeadDrive drive = headDrive(view, time);
    if (before < 0 || drive.amount == 0)
        return {};
    HeadTurn own = headTurn(view, time, drive) - headTurn(view, before, headDrive(view, before));
    if (stepsBack > 0)
        own = own - keepMoving(view, before, stepsBack - 1);
    double usual = 0;
    for (const double begin : {-3 * kStillStep, -2 * kStillStep, 0.0, kStillStep})
        usual += .25 * (headTurn(view, time + begin + kStillStep, drive) - headTurn(view, time + begin, drive)).length();
    const double missing = kLeastStep * usual - own.length();
    if (!(missing > 0))
        return {};
    // Across the way that the head is about to take, so that the step that follows does not undo it.
    const HeadTurn next = headTurn(view, time + kStillStep, drive) - headTurn(view, time, drive);
    const double square = std::max(next.dot(next), 1e-12);
    const HeadTurn across{-next.pitch, next.yaw, 0};
    const HeadTurn aside = own - next * (own.dot(next) / square) + across * 1e-3;
    return aside * (kAside * missing / std::max(aside.length(), 1e-9));
}

void MotionSolver::Impl::drawHead(const View& view, double time, const BehaviourValues& values, Motion& motion) const
{
    const double presence = presenceAt(view, time);
    const double liveliness = styleAt(time)[1];
    const HeadDrive drive = headDrive(view, time);
    const double idle = drive.idle;
    const HeadTurn turn = headTurn(time, drive, values) + keepMoving(view, time, 2);
    const double yaw = std::clamp(turn.yaw, -kAngleLimit, kAngleLimit);
    const double pitch = std::clamp(turn.pitch, -kAngleLimit, kAngleLimit);
    const double roll = std::clamp(turn.roll, -kAngleLimit, kAngleLimit);
    motion[Param::Yaw] = static_cast<float>(yaw);
    motion[Param::Pitch] = static_cast<float>(pitch);
    motion[Param::Roll] = static_cast<float>(roll);
    const auto shift = [&](Stream stream, double size) { return size * idle * noise(stream, time, 4, .45); };
    // the neck bends below the head: turning and nodding carry it along
    motion[Param::Tx] = static_cast<float>(softLimit(shift(Stream::ShiftX, kShiftX) - .0012 * yaw + .0015 * roll, kShiftLimit));
    motion[Param::Ty] = static_cast<float>(softLimit(shift(Stream::ShiftY, kShiftY) + .0015 * pitch, kShiftLimit));
    motion[Param::Tz] = static_cast<float>(softLimit(shift(Stream::ShiftZ, kShiftZ), kShiftLimit));
    const double eyes = presence * std::min(1.0, .4 + .6 * liveliness);
    motion[Param::GazeX] = static_cast<float>(std::clamp(eyes * values.gazeX + kVorX * yaw, -1.0, 1.0));
    motion[Param::GazeY] = static_cast<float>(std::clamp(eyes * values.gazeY - kVorY * pitch, -1.0, 1.0));
    const double phase = kBreathHz * time + .25 * noise(Stream::BreathRate, time, 8, .5);
    motion[Param::Breath] = static_cast<float>(.9 * presence * std::sin(2 * std::numbers::pi * phase));
}

Motion MotionSolver::Impl::frame(const View& view, double time) const
{
    Motion motion;
    const double presence = presenceAt(view, time);
    BehaviourValues values = behaviour.at(time, view.runEnd, state.behaviour);
    drawMouth(view, time, motion);
    drawHead(view, time, values, motion);
    values.browRaise *= presence;
    values.browFrown *= presence;
    drawFace(time, presence, values, motion);
    return motion;
}

MotionSolver::MotionSolver(std::uint64_t seed, Rational fps, Style style)
    : m(std::make_unique<Impl>(seed, fps, style))
{
    LOQUOR_CHECK(fps.num > 0 && fps.den > 0, "frame rate must be positive");
}

MotionSolver::~MotionSolver() = default;
MotionSolver::MotionSolver(MotionSolver&&) noexcept = default;
MotionSolver& MotionSolver::operator=(MotionSolver&&) noexcept = default;

std::vector<Motion> MotionSolver::solve(const SpeechWindow& window, FrameIndex first, int count)
{
    LOQUOR_CHECK(first == m->state.nextFrame, "motion chunks must follow each other");
    // in whole samples, so that every window of the run gives the same end
    const int rate = window.audio.sampleRate;
    const double audioEnd = rate <= 0
                                ? 0
                                : static_cast<double>(std::llround(window.audioStart * rate) + window.audio.frames()) / rate;
    double soundEnd = window.audio.samples.empty() ? 0 : audioEnd;
    if (window.audio.samples.empty())
        for (const Sound& sound : window.sounds)
            if (std::isfinite(sound.end))
                soundEnd = std::max(soundEnd, sound.end);
    const double runEnd = window.isLast ? soundEnd : std::numeric_limits<double>::infinity();
    const Impl::View view{window, Articulation(window.sounds, m->frameSeconds), runEnd,
                          runEnd - std::min(m->frameSeconds, kLastFrameMax), firstTickAt(window.lineEnd)};
    LOQUOR_CHECK(m->state.nextTick <= view.lineEndTick || m->state.lineEnd.tick == view.lineEndTick,
                 "a window that reaches the end of its line tells so");
    m->takeSeed();
    std::vector<Motion> frames;
    frames.reserve(static_cast<std::size_t>(std::max(0, count)));
    for (FrameIndex i = first; i < first + count; ++i) {
        const double time = secondsOf(i, m->state.fps);
        LOQUOR_CHECK(window.isLast || window.audio.samples.empty() || audioEnd >= time + kLookAheadSeconds - 1e-6,
                     "the speech window ends too early");
        const auto tick = static_cast<std::int64_t>(std::floor(time * kTicksPerSecond + 1e-6));
        m->advance(view, tick + kLookAheadTicks);
        frames.push_back(m->frame(view, time));
        m->state.nextFrame = i + 1;
    }
    // frames farther apart than the look-ahead: the end itself has not been heard yet
    if (view.lineEndTick == firstTickAt(secondsOf(first + count, m->state.fps)) && m->state.nextTick <= view.lineEndTick) {
        m->advance(view, view.lineEndTick - 1);
        m->state.rememberLineEnd();
    }
    return frames;
}

Result<void> MotionSolver::beginLine(std::uint64_t seed, Style style)
{
    if (m->state.nextFrame > 0) {
        if (m->state.lineEnd.tick != firstTickAt(secondsOf(m->state.nextFrame, m->state.fps)))
            return fail(ErrorCode::InvalidArgument,
                        "The saved motion is not that of the end of a line; render the line before it again.");
        m->state.returnToLineEnd();
    }
    m->wantedSeed = seed;
    m->behaviour = Behaviour(seed);
    m->style = style;
    if (m->state.nextFrame == 0) {
        m->state.seed = m->state.formerSeed = seed;
        m->state.style = {style.energy, style.headMotion, style.smile};
    }
    return {};
}

std::vector<Motion> MotionSolver::preview(const SpeechWindow& window, int count)
{
    const SolverState kept = m->state;
    std::vector<Motion> frames = solve(window, kept.nextFrame, count);
    m->state = kept;
    return frames;
}

FrameIndex MotionSolver::nextFrame() const
{
    return m->state.nextFrame;
}

std::vector<std::uint8_t> MotionSolver::saveState() const
{
    const std::uint32_t header[2] = {SolverState::kMagic, static_cast<std::uint32_t>(sizeof(SolverState))};
    std::vector<std::uint8_t> bytes(sizeof header + sizeof(SolverState) + sizeof(std::uint64_t));
    std::memcpy(bytes.data(), header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, &m->state, sizeof(SolverState));
    const std::uint64_t sum = checksumOf(bytes.data(), sizeof header + sizeof(SolverState));
    std::memcpy(bytes.data() + sizeof header + sizeof(SolverState), &sum, sizeof sum);
    return bytes;
}

Result<void> MotionSolver::restoreState(const std::vector<std::uint8_t>& bytes)
{
    std::uint32_t header[2] = {};
    constexpr std::size_t kSize = sizeof header + sizeof(SolverState) + sizeof(std::uint64_t);
    if (bytes.size() != kSize)
        return fail(ErrorCode::Corrupt, "The saved motion state has the wrong length; render the run from its start.");
    std::memcpy(header, bytes.data(), sizeof header);
    std::uint64_t sum = 0;
    std::memcpy(&sum, bytes.data() + kSize - sizeof sum, sizeof sum);
    if (header[0] != SolverState::kMagic || header[1] != sizeof(SolverState) ||
        sum != checksumOf(bytes.data(), kSize - sizeof sum))
        return fail(ErrorCode::Corrupt,
                    "The saved motion state is damaged or of another version; render the run from its start.");
    SolverState state;
    std::memcpy(&state, bytes.data() + sizeof header, sizeof state);
    if (state.fps != m->state.fps)
        return fail(ErrorCode::InvalidArgument, "The saved motion state was made at " + state.fps.toString() +
                                                    " frames per second, this run has " + m->state.fps.toString() + ".");
    m->state = state;
    return {};
}

} // namespace loquor::portrait
