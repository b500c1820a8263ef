#include "core/stages/face_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace loquor::stages {

using portrait::Landmarks;
using portrait::Point3;

namespace {

// Landmark numbers of the 478-point mesh; "right" is the subject's right, on the image's left.
constexpr int kEyeOuterRight = 33, kEyeOuterLeft = 263;
constexpr std::array<std::array<int, 2>, 5> kAcross{
    {{33, 263}, {234, 454}, {61, 291}, {70, 300}, {172, 397}}};
constexpr int kForehead = 10, kChin = 152;
constexpr std::array<std::array<int, 2>, 6> kLids{
    {{160, 144}, {159, 145}, {158, 153}, {387, 373}, {386, 374}, {385, 380}}};
// clang-format off
constexpr std::array<int, 36> kOval{10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288,
                                    397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
                                    172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109};
// clang-format on

struct Vec
{
    float x = 0, y = 0, z = 0;
};

Vec between(const Point3& a, const Point3& b)
{
    return {b.x - a.x, b.y - a.y, b.z - a.z};
}
float dot(const Vec& a, const Vec& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec unit(const Vec& v)
{
    const float length = std::max(1e-6f, std::sqrt(dot(v, v)));
    return {v.x / length, v.y / length, v.z / length};
}
float distance(const Landmarks& l, int a, int b)
{
    const Vec v = between(l[static_cast<std::size_t>(a)], l[static_cast<std::size_t>(b)]);
    return std::sqrt(dot(v, v));
}
float degrees(float radians)
{
    return radians * 180 / std::numbers::pi_v<float>;
}

} // namespace

FaceMeasures measureFace(const Landmarks& l)
{
    FaceMeasures out;
    out.eyeDistance = std::max(1e-3f, distance(l, kEyeOuterRight, kEyeOuterLeft));
    Vec across;
    for (const auto& [a, b] : kAcross) {
        const Vec u = unit(between(l[static_cast<std::size_t>(a)], l[static_cast<std::size_t>(b)]));
        across = {across.x + u.x, across.y + u.y, across.z + u.z};
    }
    const Vec ex = unit(across);
    Vec down = between(l[kForehead], l[kChin]);
    const float along = dot(down, ex);
    const Vec ey = unit({down.x - along * ex.x, down.y - along * ex.y, down.z - along * ex.z});
    // ez = ex x ey points away from the viewer.
    const Vec ez{ex.y * ey.z - ex.z * ey.y, ex.z * ey.x - ex.x * ey.z, ex.x * ey.y - ex.y * ey.x};
    out.yaw = degrees(std::atan2(-ez.x, ez.z));
    out.pitch = degrees(std::atan2(-ez.y, std::hypot(ez.x, ez.z)));
    out.roll = degrees(std::atan2(ex.y, ex.x));
    out.mouthGap = distance(l, 13, 14) / out.eyeDistance;
    out.mouthWidth = distance(l, 61, 291) / out.eyeDistance;
    for (const auto& [upper, lower] : kLids)
        out.eyeOpening += distance(l, upper, lower) / out.eyeDistance / static_cast<float>(kLids.size());
    return out;
}

pipeline::FaceInfo describeFace(const Landmarks& l, int width, int height, double filePixelsPerPixel)
{
    const FaceMeasures measures = measureFace(l);
    pipeline::FaceInfo out;
    const auto w = static_cast<float>(width), h = static_cast<float>(height);
    float x0 = w, y0 = h, x1 = 0, y1 = 0;
    for (const int index : kOval) {
        const Point3& p = l[static_cast<std::size_t>(index)];
        out.outline.push_back({p.x / w, p.y / h});
        x0 = std::min(x0, p.x);
        y0 = std::min(y0, p.y);
        x1 = std::max(x1, p.x);
        y1 = std::max(y1, p.y);
    }
    x0 = std::clamp(x0, 0.f, w);
    y0 = std::clamp(y0, 0.f, h);
    out.x = x0 / w;
    out.y = y0 / h;
    out.width = std::max(0.f, std::min(x1, w) - x0) / w;
    out.height = std::max(0.f, std::min(y1, h) - y0) / h;
    out.eyeDistancePx = measures.eyeDistance * static_cast<float>(filePixelsPerPixel);
    out.yawDegrees = measures.yaw;
    out.pitchDegrees = measures.pitch;
    out.rollDegrees = measures.roll;
    out.mouthOpen = measures.mouthGap > .022f;
    return out;
}

double suitability(const FaceMeasures& face, double sharpness, double best)
{
    const auto bell = [](double value, double width) { return std::exp(-value * value / (width * width)); };
    const double frontal = bell(face.yaw, 18) * bell(face.pitch, 18) * bell(face.roll, 25);
    const double neutral = bell(std::max(0.0, static_cast<double>(face.mouthGap) - .015), .06);
    const double open = std::clamp((static_cast<double>(face.eyeOpening) - .035) / .05, 0.0, 1.0);
    const double sharp = best > 0 ? std::clamp(sharpness / best, 0.0, 1.0) : 0.0;
    return frontal * (.3 + .7 * neutral) * (.1 + .9 * open) * (.3 + .7 * sharp);
}

} // namespace loquor::stages
