// Exact time: integers of samples and frames, and the rational rates between them. No function here
// rounds through floating point; see the title "Time and identity" in core/DESIGN.md.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loquor {

using SampleIndex = std::int64_t; // position or count in samples of one channel
using FrameIndex = std::int64_t;  // position or count in video frames

// A non-negative fraction in lowest terms; den > 0. Used for frame rates (30000/1001).
struct Rational
{
    std::int64_t num = 0;
    std::int64_t den = 1;

    // Reduces; LOQUOR_CHECKs den > 0.
    static Rational make(std::int64_t num, std::int64_t den);
    double toDouble() const { return static_cast<double>(num) / static_cast<double>(den); }
    // "25", "30000/1001"
    std::string toString() const;
    // Accepts "25", "29.97" (becomes 30000/1001; likewise 23.976, 59.94), "30000/1001", "12.5".
    static std::optional<Rational> parse(std::string_view text);

    friend bool operator==(const Rational&, const Rational&) = default;
    friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
};

// a * b / c with a 128-bit product, rounded down / up / to nearest (half up). c > 0, results fit.
std::int64_t mulDivFloor(std::int64_t a, std::int64_t b, std::int64_t c);
std::int64_t mulDivCeil(std::int64_t a, std::int64_t b, std::int64_t c);
std::int64_t mulDivRound(std::int64_t a, std::int64_t b, std::int64_t c);

// Frames needed to cover `samples` at `sampleRate`: ceil(samples * fps / rate).
FrameIndex framesCovering(SampleIndex samples, int sampleRate, Rational fps);
// First sample that belongs to `frame`: ceil(frame * rate / fps). Every sample has exactly one frame.
SampleIndex firstSampleOf(FrameIndex frame, int sampleRate, Rational fps);
// The frame that `sample` belongs to: floor(sample * fps / rate).
FrameIndex frameOf(SampleIndex sample, int sampleRate, Rational fps);
// Seconds at the start of a frame, for display and for timing look-ups only.
double secondsOf(FrameIndex frame, Rational fps);

// A place in a sound or video, as people write it: "12.5", "1:02.25", "1:02:03.456". Behind a colon comes less than 60;
// of the fraction, behind a point in every country, six digits count. Nothing when the text is anything else.
std::optional<std::chrono::microseconds> clockTimeFrom(std::string_view text);
// "12.500 s", "1:02.250", "1:02:03.456"; rounded down.
std::string clockText(std::chrono::microseconds time);

} // namespace loquor
