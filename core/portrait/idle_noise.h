// Numbers out of nothing but (seed, stream, index): random processes without state, so that any frame
// can be computed alone and chunk borders change nothing.
#pragma once

#include <cstdint>

namespace loquor::portrait {

// Streams keep the processes independent of each other.
enum class Stream : std::uint32_t {
    Yaw = 1,
    Pitch,
    Roll,
    ShiftX,
    ShiftY,
    ShiftZ,
    BreathRate,
    BrowDrift,
    Expression,
    MouthSide,
    Blink,
    Gaze,
    Pose,
    Nod,
    BrowRaise,
    Asymmetry,
};

double hashUniform(std::uint64_t seed, Stream stream, std::int64_t index, int part = 0); // [0, 1)
double hashNormal(std::uint64_t seed, Stream stream, std::int64_t index, int part = 0);  // N(0, 1)

// Smooth noise (cubic B-spline through random knots), deviation about 1, nothing faster than
// 1/(2 spacing) Hz to speak of.
double smoothNoise(std::uint64_t seed, Stream stream, int octave, double time, double spacing);

// Six octaves, knots from `slowest` seconds apart down to 1/32 of it; each octave has `persistence` times
// the deviation of the one before. Deviation about 1 over a long time.
double fractalNoise(std::uint64_t seed, Stream stream, double time, double slowest, double persistence);

} // namespace loquor::portrait
