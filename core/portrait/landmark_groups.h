// Index lists of the 478-point face mesh, ordered image left -> right for lips and outer -> inner
// for eyes and brows. "right" is the subject's right, on the image's left. Internal to
// core/portrait.
#pragma once

#include <array>

namespace loquor::portrait::landmark {

inline constexpr std::array<int, 11> kUpperInner{78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308};
inline constexpr std::array<int, 11> kLowerInner{78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308};
inline constexpr std::array<int, 11> kUpperOuter{61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291};
inline constexpr std::array<int, 11> kLowerOuter{61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291};

// [eye][knot], eye 0 = image left
inline constexpr std::array<std::array<int, 9>, 2> kUpperLid{
    {{33, 246, 161, 160, 159, 158, 157, 173, 133}, {263, 466, 388, 387, 386, 385, 384, 398, 362}}};
inline constexpr std::array<std::array<int, 9>, 2> kLowerLid{
    {{33, 7, 163, 144, 145, 153, 154, 155, 133}, {263, 249, 390, 373, 374, 380, 381, 382, 362}}};
inline constexpr std::array<std::array<int, 6>, 2> kLidCrease{
    {{247, 30, 29, 27, 28, 56}, {467, 260, 259, 257, 258, 286}}};
inline constexpr std::array<std::array<int, 5>, 2> kBrowUpper{
    {{70, 63, 105, 66, 107}, {300, 293, 334, 296, 336}}};
inline constexpr std::array<std::array<int, 5>, 2> kBrowLower{
    {{46, 53, 52, 65, 55}, {276, 283, 282, 295, 285}}};
inline constexpr std::array<int, 2> kIrisCenter{468, 473};

// clang-format off
inline constexpr std::array<int, 36> kOval{
    10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109};
// clang-format on

inline constexpr int kNoseTip = 4;
inline constexpr int kNoseBase = 2;
inline constexpr int kNoseRoot = 168;
inline constexpr int kChin = 152;
inline constexpr int kForehead = 10;
inline constexpr int kEarRight = 234;
inline constexpr int kEarLeft = 454;
inline constexpr int kOuterEyeRight = 33;
inline constexpr int kOuterEyeLeft = 263;
inline constexpr int kUpperLipCenter = 13;
inline constexpr int kLowerLipCenter = 14;

} // namespace loquor::portrait::landmark
