// The state of a MotionSolver, as it is saved: plain values of fixed size, no pointers.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/portrait/behaviour.h"
#include "core/portrait/hearing.h"

namespace loquor::portrait {

// What is kept of a tick for the frames around it.
struct TickMemory
{
    HeardTick heard;
    float talking = 0;
    std::array<float, 3> style{}; // energy, head motion, smile: following the wanted ones
};

// What ticks change: as it was before the first tick behind a line's end. The ticks there were heard in
// the silence that the line ends in; the line that follows hears them anew.
struct LineEnd
{
    std::int64_t tick = -1;
    HearingState hearing;
    BehaviourState behaviour;
    std::array<double, 3> style{};
    double loudness = -62;
};

struct SolverState
{
    static constexpr std::uint32_t kMagic = 0x4D4F5433; // bump when a field or its meaning changes
    static constexpr std::size_t kRing = 128;           // > 1 s of ticks: .5 s on either side of a frame

    std::uint64_t seed = 0, formerSeed = 0; // idle noise moves from the former to the present one
    double seedChange = -10;                // s of the run
    Rational fps;
    FrameIndex nextFrame = 0;
    std::int64_t nextTick = 0;
    HearingState hearing;
    BehaviourState behaviour;
    std::array<double, 3> style{};          // as of the last tick
    double loudness = -62;                  // the hearing's reference, smoothed
    std::array<TickMemory, kRing> ring{};
    LineEnd lineEnd;

    const TickMemory& tickAt(std::int64_t tick) const { return ring[static_cast<std::size_t>(tick) % kRing]; }
    TickMemory& tickAt(std::int64_t tick) { return ring[static_cast<std::size_t>(tick) % kRing]; }
    void rememberLineEnd() { lineEnd = {nextTick, hearing, behaviour, style, loudness}; }
    void returnToLineEnd()
    {
        nextTick = lineEnd.tick;
        hearing = lineEnd.hearing;
        behaviour = lineEnd.behaviour;
        style = lineEnd.style;
        loudness = lineEnd.loudness;
    }
};
static_assert(std::is_trivially_copyable_v<SolverState>);

} // namespace loquor::portrait
