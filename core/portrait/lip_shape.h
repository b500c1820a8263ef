// Lip contours as a smooth function of the motion parameters: what moves the mouth of the mesh, and
// what a fitter inverts to read parameters from tracked video.
#pragma once

#include "core/portrait/motion.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

// Order of the four contours everywhere.
enum LipContour : std::size_t {
    kUpperInner = 0,
    kLowerInner,
    kUpperOuter,
    kLowerOuter,
    kLipContours,
};
using LipKnots = std::array<std::array<Vec3, kLipKnots>, kLipContours>; // head frame

// Rigid motion of the jaw about its hinge, head frame.
class JawMotion
{
public:
    JawMotion() = default;
    JawMotion(const PortraitModel& model, const Motion& motion);
    // How far the full jaw motion carries `point`.
    Vec3 displacement(const Vec3& point) const;
    Vec3 apply(const Vec3& point) const;

private:
    float m_cosMinusOne = 0, m_sin = 0, m_side = 0;
    Vec3 m_hinge{};
};

// How far the visible vermilion has rolled in over the lip, 0..1 (negative: rolled out).
struct LipRoll
{
    float upper = 0, lower = 0;
};

LipKnots shapeLips(const PortraitModel& model, const Motion& motion, const JawMotion& jaw);
LipRoll lipRoll(const Motion& motion);
// How far the inner lips are apart in the middle of the mouth, seen from the front, in eye distances.
float lipGap(const PortraitModel& model, const Motion& motion);

// `samples` values between the knots of a contour by Catmull-Rom (kLipSamples of them).
std::array<Vec3, kLipSamples> sampleContour(const std::array<Vec3, kLipKnots>& knots);

} // namespace loquor::portrait
