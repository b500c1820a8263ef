// What the person does besides articulating: blinks, looks, head poses, nods, brows, directed gestures.
// Decisions are taken every 10 ms of the run, kLookAheadTicks ahead of the frame that is drawn, and
// become events with a start time; a frame only sums the events. So a gesture may begin before the
// sound that causes it, and neither the frame rate nor chunk borders change anything.
#pragma once

#include <array>
#include <cstdint>

#include "core/portrait/idle_noise.h"
#include "core/portrait/motion_solver.h"

namespace loquor::portrait {

inline constexpr std::int64_t kLookAheadTicks = 50; // 0.5 s: no event starts earlier than this before its decision

// A quantity that is held and changes by smooth steps.
class StepTrack
{
public:
    static constexpr std::size_t kDims = 3;
    using Value = std::array<float, kDims>;

    void stepTo(const Value& target, double start, double duration);
    Value at(double time) const;
    Value target() const;

private:
    static constexpr std::size_t kSteps = 12; // older steps are folded into m_base
    struct Step
    {
        double start = 0, duration = 1;
        Value delta{};
        float unused = 0; // no padding: the bytes of a state are compared and hashed
    };
    Value m_base{};
    [[maybe_unused]] float m_unused = 0; // as above
    std::array<Step, kSteps> m_steps{};
    std::uint64_t m_count = 0;
};

enum class PulseKind : std::int32_t {
    None = 0,
    Blink,
    Nod,
    Shake,
    BrowRaise,
    BrowFrown,
    TurnYaw,
    TurnPitch,
};

// A gesture that comes and goes.
struct Pulse
{
    PulseKind kind = PulseKind::None;
    float rise = .1f, hold = 0, fall = .1f; // s
    double start = 0;
    float amount = 0;
    float side = 0; // -1..1, asymmetry
    double end() const { return start + rise + hold + fall; }
    // 0..1 over rise, hold, fall
    double envelope(double time) const;
};

// What happens at a tick, given by the solver.
struct TickInput
{
    std::int64_t tick = 0;
    bool talking = false;
    float energy = 0;     // 0..1, relative to the loud parts
    bool stress = false;  // a stressed vowel started within the last .24 s
};

// Survives from chunk to chunk. Plain values of fixed size.
struct BehaviourState
{
    std::array<Pulse, 48> pulses{};
    std::uint64_t pulseCount = 0;
    StepTrack pose, gaze, expression; // yaw pitch roll deg; x y; smile, serious
    std::array<float, 16> prosody{};  // smoothed energy of the last ticks, ring by tick
    double prosodyNow = 0, prosodyMean = .5;
    double blinkDue = -1, lastBlink = -10, gazeDue = -1, poseDue = -1;
    double lastEmphasis = -10, lastBrow = -10;
    std::int64_t blinkIndex = 0, gazeIndex = 0, poseIndex = 0, emphasisIndex = 0;
    std::int64_t quietTicks = 1000, talkTicks = 0;
    std::int32_t expressionHeld = 0; // a cue holds until the sentence that follows it ends
    std::int32_t expressionSpoken = 0;
};

// Values of the directed and spontaneous behaviour at one time; head angles in degrees.
struct BehaviourValues
{
    double yaw = 0, pitch = 0, roll = 0;
    double gazeX = 0, gazeY = 0;
    double blink = 0, browRaise = 0, browSide = 0, browFrown = 0;
    double smile = 0, serious = 0;
};

class Behaviour
{
public:
    explicit Behaviour(std::uint64_t seed) : m_seed(seed) {}

    void tick(const TickInput& input, BehaviourState& state) const;
    // A direction of the script; call once, at the first tick at or after its time.
    void cue(const Cue& cue, double now, BehaviourState& state) const;
    // Events summed at `time`. A blink that would not be over at `runEnd` is left out.
    BehaviourValues at(double time, double runEnd, const BehaviourState& state) const;

private:
    double uniform(Stream stream, std::int64_t index, int part, double lo, double hi) const;
    void add(const Pulse& pulse, double now, BehaviourState& state) const;
    void phraseStarts(double now, BehaviourState& state) const;
    void newPose(double now, double scale, BehaviourState& state) const;
    void detectEmphasis(const TickInput& input, double now, BehaviourState& state) const;
    void emphasise(double when, double prominence, double now, BehaviourState& state) const;
    void maybeBlink(const TickInput& input, double now, BehaviourState& state) const;
    void addBlink(double start, double now, BehaviourState& state) const;
    void moveGaze(double now, BehaviourState& state) const;
    void look(double x, double y, const Cue& cue, double now, BehaviourState& state) const;

    std::uint64_t m_seed;
};

} // namespace loquor::portrait
