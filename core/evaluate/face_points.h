// Points of the 478-point mesh that the measures use. Left and right are the subject's: the
// right eye is on the image's left.
#pragma once

#include <array>
#include <utility>

namespace loquor::evaluate {

// Points that move with the skull.
// clang-format off
inline constexpr std::array<int, 32> kRigidPoints = {10,  109, 338, 67,  297, 103, 332, 54,  284, 21, 251,
                                                     127, 356, 234, 454, 162, 389, 151, 9,   8,   168, 6,
                                                     197, 195, 33,  133, 362, 263, 193, 417, 122, 351};
// clang-format on
// Outer corner, two upper, inner corner, two lower lid points (and mirrored).
inline constexpr std::array<int, 6> kRightEye = {33, 160, 158, 133, 153, 144};
inline constexpr std::array<int, 6> kLeftEye = {362, 385, 387, 263, 373, 380};
// Upper and lower inner lip.
inline constexpr std::array<std::pair<int, int>, 3> kLipPairs = {{{13, 14}, {82, 87}, {312, 317}}};
inline constexpr std::array<int, 10> kBrows = {105, 66, 107, 70, 63, 334, 296, 336, 300, 293};
// Outline of the face without mouth and jaw.
// clang-format off
inline constexpr std::array<int, 28> kSkinOutline = {10,  338, 297, 332, 284, 251, 389, 356, 454, 323,
                                                     361, 435, 358, 327, 2,   98,  129, 215, 132, 93,
                                                     234, 127, 162, 21,  54,  103, 67,  109};
// clang-format on

} // namespace loquor::evaluate
