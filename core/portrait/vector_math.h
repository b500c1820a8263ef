// Small vector helpers of the portrait engine: values only, no allocation.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

inline Vec3 operator+(const Vec3& a, const Vec3& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator*(const Vec3& a, float s)
{
    return {a[0] * s, a[1] * s, a[2] * s};
}
inline float dot(const Vec3& a, const Vec3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec3 operator*(const Mat3& m, const Vec3& v)
{
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}
inline Mat3 multiply(const Mat3& a, const Mat3& b)
{
    Mat3 out{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c)
            out[3 * r + c] =
                a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
    return out;
}
inline Mat3 transpose(const Mat3& m)
{
    return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}
inline float smoothstep(float from, float to, float x)
{
    const float t = std::clamp((x - from) / (to - from), 0.f, 1.f);
    return t * t * (3.f - 2.f * t);
}
inline float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

// Rz Ry Rx of angles in radians.
inline Mat3 rotation(float x, float y, float z)
{
    const float cx = std::cos(x), sx = std::sin(x), cy = std::cos(y), sy = std::sin(y);
    const float cz = std::cos(z), sz = std::sin(z);
    const Mat3 rx{1, 0, 0, 0, cx, -sx, 0, sx, cx};
    const Mat3 ry{cy, 0, sy, 0, 1, 0, -sy, 0, cy};
    const Mat3 rz{cz, -sz, 0, sz, cz, 0, 0, 0, 1};
    return multiply(multiply(rz, ry), rx);
}

} // namespace loquor::portrait
