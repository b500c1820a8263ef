// The motion latent of the portrait engine: 48 numbers a frame, what a learned model predicts and what
// the renderer draws. Values only; stages, tests and training share this header.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace loquor::portrait {

// Index of each parameter. Units: shape parameters 0..1 unless said otherwise; L/R are the *subject's*
// left and right; angles in degrees; translations in eye distances `u`.
// clang-format off
enum class Param : std::size_t {
    Jaw = 0,        // 0..1, 1 = about 11 degrees: what takes the lower lip .14 u down
    JawSide,        // -1..1, subject's left positive
    Close,          // lips brought together whatever the jaw does (p b m)
    Press,          // lips pressed
    Tuck,           // lower lip under the upper teeth (f v)
    Pucker,
    Funnel,
    StretchL, StretchR,
    SmileL, SmileR,
    UpperRaise,
    LowerDepress,
    MouthX,         // -1..1 sideways shift of the mouth
    TongueHeight,
    TongueTip,
    CheekL, CheekR,
    BlinkL, BlinkR, // 0 open .. 1 closed
    SquintL, SquintR,
    Wide,
    BrowInL, BrowInR,
    BrowOutL, BrowOutR,
    BrowDown,
    GazeX, GazeY,   // -1..1; +x towards image right, +y down
    Pitch, Yaw, Roll, // + = chin down, face towards image left, top of the head towards image right
    Tx, Ty, Tz,     // + = image right, down, away from the viewer
    Breath,         // -1..1
    NoseSneer,
    ChinRaise,
    UpperLipRoll,
    Residual0,      // 40..47: residual lip-contour components, zero until a model predicts them
    Count = 48
};
// clang-format on
inline constexpr std::size_t kParamCount = 48;

// One frame of motion. Zero is the rest pose: the photo with its lips closed.
struct Motion
{
    std::array<float, kParamCount> value{};

    float& operator[](Param p) { return value[static_cast<std::size_t>(p)]; }
    float operator[](Param p) const { return value[static_cast<std::size_t>(p)]; }
    // Sets both sides of a left/right pair to the same value.
    void setPair(Param left, Param right, float v)
    {
        (*this)[left] = v;
        (*this)[right] = v;
    }
    friend bool operator==(const Motion&, const Motion&) = default;
};

} // namespace loquor::portrait
