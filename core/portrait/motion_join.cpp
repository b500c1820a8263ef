#include "core/portrait/motion_join.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace loquor::portrait {

namespace {

constexpr float kLidsOpen = .05f;      // below it nobody sees a blink
constexpr float kLidsClosePerFrame = .3f; // a blink is brought to its closed point at least this fast
constexpr int kFramesToShut = 2;       // to get into a blink that has to be on its way at once

double smoothStep(double x)
{
    x = std::clamp(x, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

bool isOneOf(std::size_t index, Param first, Param last)
{
    return index >= static_cast<std::size_t>(first) && index <= static_cast<std::size_t>(last);
}

// Slow, heavy things keep their speed; what speaks or looks jumps anyway.
bool keepsSpeed(std::size_t index)
{
    return isOneOf(index, Param::Pitch, Param::Breath) || isOneOf(index, Param::CheekL, Param::CheekR) || isOneOf(index, Param::SquintL, Param::BrowDown);
}

struct Range
{
    float low, high;
};

// What the solver itself would give.
Range rangeOf(std::size_t index)
{
    if (isOneOf(index, Param::Pitch, Param::Roll))
        return {-6, 6};
    if (isOneOf(index, Param::Tx, Param::Tz))
        return {-.031f, .031f};
    if (index >= static_cast<std::size_t>(Param::Residual0))
        return {-4, 4};
    const auto param = static_cast<Param>(index);
    const bool isSigned = param == Param::JawSide || param == Param::MouthX || param == Param::Breath || isOneOf(index, Param::GazeX, Param::GazeY);
    return {isSigned ? -1.f : 0.f, 1};
}

// Cubic from (value, speed) at 0 to (0, 0) at `length`.
double faded(double value, double speed, int frame, int length)
{
    const double s = static_cast<double>(frame) / length;
    return value * (2 * s * s * s - 3 * s * s + 1) + speed * length * (s * s * s - 2 * s * s + s);
}

void joinLinear(std::span<const Motion> left, std::span<const Motion> right, std::size_t index,
                std::vector<Motion>& out)
{
    const int length = static_cast<int>(out.size());
    const double value = double{left[0].value[index]} - right[0].value[index];
    const double speed = keepsSpeed(index) && right.size() > 1
                             ? double{left[1].value[index]} - right[1].value[index] - value
                             : 0;
    if (value == 0 && speed == 0)
        return;
    const Range range = rangeOf(index);
    for (int k = 0; k < length; ++k) {
        float& at = out[static_cast<std::size_t>(k)].value[index];
        const auto wanted = static_cast<float>(at + faded(value, speed, k, length));
        at = std::clamp(wanted, std::min(at, range.low), std::max(at, range.high));
    }
}

// The left neighbour's blink, brought to its end within the join.
float endOfBlink(float start, float next, int frame, int length)
{
    const float speed = next - start;
    if (speed <= 0 || start >= 1)
        return start * static_cast<float>(1 - smoothStep(static_cast<double>(frame) / length));
    const auto toShut = static_cast<int>(std::ceil((1 - start) / std::max(speed, kLidsClosePerFrame)));
    const int shut = std::clamp(toShut, 0, std::max(0, length - 2));
    if (frame < shut)
        return start + (1 - start) * static_cast<float>(frame) / static_cast<float>(shut);
    return static_cast<float>(1 - smoothStep(static_cast<double>(frame - shut) / (length - shut)));
}

// Right begins inside a blink that the left neighbour did not begin: it begins here, or is left out.
void beginBlink(std::span<const Motion> right, std::size_t index, float start, std::vector<Motion>& out)
{
    const std::size_t length = out.size();
    std::size_t peak = 0, over = 0;
    for (std::size_t k = 0; k < length; ++k)
        if (right[k].value[index] > right[peak].value[index])
            peak = k;
    while (over < length && right[over].value[index] > kLidsOpen)
        ++over;
    if (peak == 0 && over < length) { // it is opening already, and done soon: nobody misses it
        for (std::size_t k = 0; k < over; ++k)
            out[k].value[index] = std::min(right[k].value[index], start);
        return;
    }
    const std::size_t shut = std::min(length, std::max<std::size_t>(peak, kFramesToShut));
    const float goal = shut < right.size() ? right[shut].value[index] : 1.f;
    for (std::size_t k = 0; k < shut; ++k)
        out[k].value[index] = start + (goal - start) * static_cast<float>(k) / static_cast<float>(shut);
}

void joinLids(std::span<const Motion> left, std::span<const Motion> right, Param lid, std::vector<Motion>& out)
{
    const auto index = static_cast<std::size_t>(lid);
    const float start = left[0].value[index], next = left[1].value[index];
    const bool same = start == right[0].value[index] && (right.size() < 2 || next == right[1].value[index]);
    if (same)
        return;
    if (start <= kLidsOpen && right[0].value[index] > kLidsOpen)
        return beginBlink(right, index, start, out);
    if (start <= kLidsOpen)
        return;
    for (std::size_t k = 0; k < out.size(); ++k) {
        float& at = out[k].value[index];
        at = std::max(at, endOfBlink(start, next, static_cast<int>(k), static_cast<int>(out.size())));
    }
}

} // namespace

std::vector<Motion> joinMotion(std::span<const Motion> left, std::span<const Motion> right,
                               std::span<const std::uint8_t> lipsShut, int frames)
{
    LOQUOR_CHECK(left.size() >= kJoinAnchors, "a join knows how its left side goes on");
    LOQUOR_CHECK(lipsShut.empty() || lipsShut.size() == right.size(), "one mark for each frame");
    const std::size_t length = std::min(static_cast<std::size_t>(std::max(0, frames)), right.size());
    std::vector<Motion> out(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(length));
    if (out.empty())
        return out;
    for (std::size_t index = 0; index < kParamCount; ++index)
        if (!isOneOf(index, Param::BlinkL, Param::BlinkR))
            joinLinear(left, right, index, out);
    joinLids(left, right, Param::BlinkL, out);
    joinLids(left, right, Param::BlinkR, out);
    constexpr auto kClose = static_cast<std::size_t>(Param::Close);
    for (std::size_t k = 0; k < length && !lipsShut.empty(); ++k)
        if (lipsShut[k])
            out[k].value[kClose] = std::max(out[k].value[kClose], right[k].value[kClose]);
    return out;
}

} // namespace loquor::portrait
