#include "core/portrait/lip_shape.h"

#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

constexpr float kJawAngle = 11.f * 3.14159265f / 180.f;
// How far the fully open jaw takes the lower lip down on every photo, u, and how much the angle may
// change for it. The hinge's depth behind the lips comes from the landmarks' depth, which differs by
// half between photos of like heads. Mouths that smile in the photo stay wide and look less open.
constexpr float kJawDrop = .134f, kJawDropSmiling = .150f, kJawGainMin = .75f, kJawGainMax = 1.4f;
constexpr float kJawSideShift = .055f;  // u at JawSide = 1
constexpr float kMouthShift = .05f;     // u at MouthX = 1
constexpr float kTuckRaise = .016f;     // u of the upper lip for f and v
constexpr float kTuckTeeth = .040f;     // u of teeth in view then

// Parameters as the lip formulas use them: sides blended along s = -1 (image left) .. 1.
struct LipParams
{
    float pucker, funnel, press, tuck, close, upperRaise, lowerDepress, mouthX, chinRaise, sneer, roll;
    float stretchRight, stretchLeft, smileRight, smileLeft;

    explicit LipParams(const Motion& m)
        : pucker(m[Param::Pucker]), funnel(m[Param::Funnel]), press(m[Param::Press]),
          tuck(m[Param::Tuck]), close(m[Param::Close]), upperRaise(m[Param::UpperRaise]),
          lowerDepress(m[Param::LowerDepress]), mouthX(m[Param::MouthX]),
          chinRaise(m[Param::ChinRaise]), sneer(m[Param::NoseSneer]), roll(m[Param::UpperLipRoll]),
          stretchRight(m[Param::StretchR]), stretchLeft(m[Param::StretchL]),
          smileRight(m[Param::SmileR]), smileLeft(m[Param::SmileL])
    {
        const float jaw = std::min(1.f, m[Param::Jaw]);
        upperRaise += .40f * jaw * (1 - .6f * std::min(1.f, pucker + .5f * funnel));
        lowerDepress += .40f * jaw;
    }
    float rounding() const { return std::clamp(pucker + .5f * funnel, 0.f, 1.f); }
    // The subject's left is at +s.
    float stretch(float s) const { return mix(stretchRight, stretchLeft, side(s)); }
    float smile(float s) const { return mix(smileRight, smileLeft, side(s)); }
    static float side(float s) { return smoothstep(-.5f, .5f, s); }
};

// Shape change of one contour by the muscles around the mouth, before jaw and contact.
void shapeContour(std::size_t contour, const LipParams& p, const Vec3& centre, float halfWidth,
                  float pinch, const std::array<float, kLipKnots>& curve,
                  std::array<Vec3, kLipKnots>& knots)
{
    for (std::size_t i = 0; i < kLipKnots; ++i) {
        Vec3& a = knots[i];
        const float s = (a[0] - centre[0]) / halfWidth;
        const float inside = std::clamp(1.f - s * s, 0.f, 1.f);
        const float P = std::pow(inside, .75f), Q = std::pow(inside, .4f);
        const float s2 = s * s, stretch = p.stretch(s), smile = p.smile(s);
        const float width = 1 - pinch * p.pucker - .16f * p.funnel + .11f * stretch + .09f * smile;
        a[0] = centre[0] + (a[0] - centre[0]) * width + kMouthShift * p.mouthX;
        a[2] += -(.10f * p.pucker + .06f * p.funnel) * (1 - .4f * s2) +
                .03f * (stretch + smile) * s2;
        a[1] += (-.055f * smile + .012f * stretch) * s2;
        // Rounded lips lie level, whatever curve the smile of the photo has left in them.
        a[1] -= .75f * p.rounding() * curve[i];
        switch (contour) {
        case kUpperInner:
            a[1] += P * (-.026f * p.funnel + .010f * p.pucker - .050f * p.upperRaise -
                         .020f * p.sneer);
            break;
        case kLowerInner:
            a[1] += P * (.032f * p.funnel + .012f * p.pucker + .055f * p.lowerDepress -
                         .022f * p.chinRaise);
            break;
        case kUpperOuter:
            a[1] += -Q * .020f * p.pucker +
                    P * (-.034f * p.funnel - .006f * p.pucker - .042f * p.upperRaise +
                         .006f * stretch + .022f * p.press + .010f * smile - .026f * p.sneer +
                         .020f * p.roll);
            a[2] += .015f * (p.press + p.roll) * P;
            break;
        default:
            a[1] += Q * .030f * p.pucker +
                    P * (.036f * p.funnel + .006f * p.pucker + .050f * p.lowerDepress -
                         .006f * stretch - .026f * p.press - .006f * smile - .028f * p.chinRaise);
            a[2] += (.015f * p.press - .020f * p.chinRaise) * P;
            break;
        }
    }
}

// f and v: the lower lip goes up to the upper incisal edge, tucked in.
void tuckLowerLip(const PortraitModel& model, float tuck, const std::array<float, kLipKnots>& P,
                  LipKnots& lips)
{
    for (std::size_t i = 0; i < kLipKnots; ++i) {
        // The teeth show in the middle only: towards the corners lip lies on lip.
        const float side = std::abs(static_cast<float>(i) / 5 - 1);
        const float meet = smoothstep(.30f, .75f, side);
        const float lift = smoothstep(.9f, .2f, side); // of the upper lip, off the teeth
        const float upper = lips[kUpperInner][i][1] - kTuckRaise * lift;
        const float edge =
            mix(std::min(model.incisalY + .008f, upper + kTuckTeeth), upper, meet);
        const float up = std::min(0.f, (edge - lips[kLowerInner][i][1]) * tuck *
                                           std::max(P[i], meet));
        lips[kLowerInner][i][1] += up;
        lips[kLowerInner][i][2] += .03f * tuck * P[i];
        lips[kLowerOuter][i][1] += .75f * up - .012f * tuck * P[i];
        lips[kUpperInner][i][1] -= kTuckRaise * tuck * lift;
        lips[kUpperOuter][i][1] -= .75f * kTuckRaise * tuck * lift;
    }
}

// Brings the lips together by `close`, and never lets them pass through each other. Rounded lips
// touch towards the corners whatever the jaw does: that makes the opening round.
void closeLips(float close, float rounding, LipKnots& lips)
{
    for (std::size_t i = 0; i < kLipKnots; ++i) {
        const float gap = lips[kLowerInner][i][1] - lips[kUpperInner][i][1];
        const float side = std::abs(static_cast<float>(i) / 5 - 1);
        const float touch = std::max(close, .9f * rounding * smoothstep(.35f, .95f, side));
        const float k = gap > 0 ? touch * gap : gap;
        lips[kUpperInner][i][1] += .34f * k;
        lips[kLowerInner][i][1] -= .66f * k;
        lips[kUpperOuter][i][1] += .20f * k;
        lips[kLowerOuter][i][1] -= .50f * k;
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{kLipKnots - 1}}) {
        const Vec3 mean = (lips[kUpperInner][i] + lips[kLowerInner][i]) * .5f;
        lips[kUpperInner][i] = lips[kLowerInner][i] = mean;
    }
}

} // namespace

JawMotion::JawMotion(const PortraitModel& model, const Motion& motion)
    : m_side(kJawSideShift * motion[Param::JawSide]), m_hinge(model.tmj)
{
    // The lips lie at y = z = 0 of the head frame.
    const float drop = m_hinge[2] * std::sin(kJawAngle) + m_hinge[1] * (1 - std::cos(kJawAngle));
    const float wanted = model.openMouth ? kJawDropSmiling : kJawDrop;
    const float gain = std::clamp(wanted / std::max(.01f, drop), kJawGainMin, kJawGainMax);
    const float angle = kJawAngle * gain * motion[Param::Jaw];
    m_cosMinusOne = std::cos(angle) - 1;
    m_sin = std::sin(angle);
}

Vec3 JawMotion::displacement(const Vec3& point) const
{
    const float y = point[1] - m_hinge[1], z = point[2] - m_hinge[2];
    return {m_side, m_cosMinusOne * y - m_sin * z, m_sin * y + m_cosMinusOne * z};
}

Vec3 JawMotion::apply(const Vec3& point) const
{
    return point + displacement(point);
}

LipKnots shapeLips(const PortraitModel& model, const Motion& motion, const JawMotion& jaw)
{
    const LipParams p(motion);
    LipKnots lips = model.neutralContour;
    const Vec3 centre = (lips[kUpperInner][5] + lips[kLowerInner][5]) * .5f;
    const float halfWidth =
        std::max(.05f, (lips[kUpperOuter][kLipKnots - 1][0] - lips[kUpperOuter][0][0]) * .5f);
    const float pinch =
        std::clamp(1.f - .40f / (2 * halfWidth), .26f, model.openMouth ? .32f : .40f);
    std::array<float, kLipKnots> P{}, curve{}; // curve: the resting seam against its middle
    for (std::size_t i = 0; i < kLipKnots; ++i)
        curve[i] = .5f * (lips[kUpperInner][i][1] + lips[kLowerInner][i][1]) - centre[1];
    for (std::size_t i = 0; i < kLipKnots; ++i) {
        const float s = (lips[kLowerInner][i][0] - centre[0]) / halfWidth;
        P[i] = std::pow(std::clamp(1.f - s * s, 0.f, 1.f), .75f);
    }
    for (std::size_t c = 0; c < kLipContours; ++c) {
        shapeContour(c, p, centre, halfWidth, pinch, curve, lips[c]);
        for (std::size_t i = 0; i < kLipKnots; ++i)
            lips[c][i] = lips[c][i] + jaw.displacement(lips[c][i]) * model.lipJawWeight[c][i];
    }
    if (p.tuck > 0)
        tuckLowerLip(model, p.tuck, P, lips);
    closeLips(p.close, p.rounding(), lips);
    return lips;
}

LipRoll lipRoll(const Motion& motion)
{
    LipRoll roll;
    roll.upper = motion[Param::Press] * .8f + motion[Param::UpperLipRoll];
    roll.lower = motion[Param::Press] + 1.0f * motion[Param::Tuck];
    // Rounded lips turn outwards: the wet side comes into view instead.
    const float out = .35f * motion[Param::Funnel];
    roll.upper = std::clamp(roll.upper - out, -.5f, 1.2f);
    roll.lower = std::clamp(roll.lower - out, -.5f, 1.2f);
    return roll;
}

float lipGap(const PortraitModel& model, const Motion& motion)
{
    const LipKnots lips = shapeLips(model, motion, JawMotion(model, motion));
    return std::max(0.f, lips[kLowerInner][kLipKnots / 2][1] - lips[kUpperInner][kLipKnots / 2][1]);
}

std::array<Vec3, kLipSamples> sampleContour(const std::array<Vec3, kLipKnots>& knots)
{
    constexpr std::size_t kSteps = 4;
    static_assert((kLipKnots - 1) * kSteps + 1 == kLipSamples);
    std::array<Vec3, kLipSamples> out{};
    for (std::size_t i = 0; i + 1 < kLipKnots; ++i) {
        const Vec3 b = knots[i], c = knots[i + 1];
        const Vec3 a = i > 0 ? knots[i - 1] : b * 2.f - c;
        const Vec3 d = i + 2 < kLipKnots ? knots[i + 2] : c * 2.f - b;
        for (std::size_t j = 0; j < kSteps; ++j) {
            const float t = static_cast<float>(j) / kSteps, t2 = t * t, t3 = t2 * t;
            out[i * kSteps + j] = a * (-.5f * t + t2 - .5f * t3) + b * (1 - 2.5f * t2 + 1.5f * t3) +
                                  c * (.5f * t + 2 * t2 - 1.5f * t3) + d * (-.5f * t2 + .5f * t3);
        }
    }
    out[kLipSamples - 1] = knots[kLipKnots - 1];
    return out;
}

} // namespace loquor::portrait
