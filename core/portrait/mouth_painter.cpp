#include "core/portrait/mouth_painter.h"

#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

constexpr std::size_t kTableSize = 512;
constexpr float kCavityRed = 34.f / 16; // of the reference's cavity against green, in white light
constexpr float kTintRange = 1.25f, kFalloffRange = 8.f;
// Wet lip in view when the mouth is wide open: share of the lip's height, and its limits in u.
constexpr float kLowerRing = .18f, kLowerRingMin = .010f, kLowerRingMax = .022f;
constexpr float kUpperRing = .15f, kUpperRingMin = .005f, kUpperRingMax = .012f;

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

float lookUp(const std::vector<float>& table, float x, float range)
{
    const float at = std::clamp(x / range, 0.f, 1.f) * static_cast<float>(kTableSize - 2);
    const auto i = static_cast<std::size_t>(at);
    return mix(table[i], table[i + 1], at - static_cast<float>(i));
}

Vec3 colorAt(const std::vector<float>& colors, float sample)
{
    const float at = std::clamp(sample, 0.f, static_cast<float>(kLipSamples - 1) - 1e-3f);
    const auto i = static_cast<std::size_t>(at);
    const float t = at - static_cast<float>(i);
    Vec3 out{};
    for (std::size_t c = 0; c < 3; ++c)
        out[c] = mix(colors[3 * i + c], colors[3 * i + 3 + c], t);
    return out;
}

} // namespace

struct MouthPainter::Frame
{
    Contour upper{}, lower{};
    Box box;
    float gap = 0;      // px, the widest
    float open = 0;     // gap / u
    float shown = 0;    // 0..1: how much of the wet lip is in view
    float narrow = 1;   // light that a rounded mouth lets in
    float bright = 1;   // light of the opening
    float tongueHeight = 0, pucker = 0, funnel = 0, rounding = 0;
    float seamActive = 1;
    float rolled = 0;   // of lipRoll, the larger side
    Sheet tongue, lowerTeeth, upperTeeth;
    std::vector<float> upperY, lowerY, side;       // per column; side: 0 middle .. 1 corner
    std::vector<Vec3> lowerLip, upperLip;          // per column, vermilion colour
};

MouthPainter::MouthPainter(PortraitModelPtr model) : m_model(std::move(model))
{
    m_lowerLip = rimColors(m_model->lowerInner, m_model->lipColorLower, 1.f);
    m_upperLip = rimColors(m_model->upperInner, m_model->lipColorUpper, -1.f);
    const auto& lips = m_model->neutralContour;
    const float upperHeight = lips[kUpperInner][kLipKnots / 2][1] - lips[kUpperOuter][kLipKnots / 2][1];
    const float lowerHeight = lips[kLowerOuter][kLipKnots / 2][1] - lips[kLowerInner][kLipKnots / 2][1];
    m_upperRing = std::clamp(kUpperRing * upperHeight, kUpperRingMin, kUpperRingMax);
    m_lowerRing = std::clamp(kLowerRing * lowerHeight, kLowerRingMin, kLowerRingMax);
    // The cavity is red in white light, and of the light's hue where the photo has no other.
    const Vec3 &white = m_model->whiteColor, &cavity = m_model->cavityColor;
    if (white[0] > 0 && cavity[1] > 0) {
        const float red = cavity[0] * white[1] / (white[0] * cavity[1]);
        m_colorful = std::clamp((red - 1) / (kCavityRed - 1), 0.f, 1.f);
        for (std::size_t c = 0; c < 3; ++c)
            m_hue[c] = white[c] / (.299f * white[0] + .587f * white[1] + .114f * white[2]);
    }
    m_tint.resize(2 * kTableSize);
    m_falloff.resize(kTableSize);
    for (std::size_t i = 0; i < kTableSize; ++i) {
        const float t = static_cast<float>(i) / static_cast<float>(kTableSize - 2);
        m_tint[i] = std::pow(kTintRange * t, 1.22f);
        m_tint[kTableSize + i] = std::pow(kTintRange * t, 1.32f);
        m_falloff[i] = std::exp(-kFalloffRange * t);
    }
}

std::vector<float> MouthPainter::rimColors(const std::vector<int>& rim,
                                           const std::vector<float>& lip, float outward) const
{
    // Mostly what the photo shows at the very rim: on thin lips the model's colour is already skin.
    const PortraitModel& m = *m_model;
    std::vector<float> raw(lip), out(lip);
    for (std::size_t i = 0; i < kLipSamples; ++i)
        for (const float reach : {.008f, .014f, .020f}) {
            const float step = outward * reach * m.u;
            const float x = m.restXY[2 * index(rim[i])] + m.R[1] * step;
            const float y = m.restXY[2 * index(rim[i]) + 1] + m.R[4] * step;
            const std::uint8_t* pixel = m.canvas.row(std::clamp(static_cast<int>(y), 0,
                                                                m.height - 1)) +
                                        3 * std::clamp(static_cast<int>(x), 0, m.width - 1);
            for (std::size_t c = 0; c < 3; ++c)
                raw[3 * i + c] += (static_cast<float>(pixel[c]) - lip[3 * i + c]) * (.7f / 3);
        }
    constexpr int kReach = 3;
    for (int i = 0; i < kLipSamples; ++i)
        for (int c = 0; c < 3; ++c) {
            float sum = 0;
            for (int k = -kReach; k <= kReach; ++k)
                sum += raw[index(3 * std::clamp(i + k, 0, kLipSamples - 1) + c)];
            out[index(3 * i + c)] = sum / (2 * kReach + 1);
        }
    return out;
}

MouthPainter::Sheet MouthPainter::makeSheet(const Texture& texture, const Texture& gloss,
                                            const FrameGeometry& geometry, const Motion& motion,
                                            bool onJaw, Vec3 offset, float scaleX,
                                            float bend) const
{
    auto placed = [&](float x, float y, float z) {
        Vec3 p = offset + Vec3{x, y, z};
        if (onJaw)
            p = geometry.jaw.apply(p);
        const HeadPose::Placed at = geometry.pose.place(p);
        return Point2{at.x, at.y};
    };
    constexpr float kSpan = .2f;
    const Point2 origin = placed(0, 0, 0), deeper = placed(0, 0, .1f);
    Sheet sheet;
    sheet.texture = &texture;
    sheet.gloss = gloss.data.empty() ? nullptr : &gloss;
    const Affine toCanvas =
        Affine::fromCorners(kSpan, kSpan, origin, placed(kSpan, 0, 0), placed(0, kSpan, 0));
    sheet.toHead = toCanvas.inverse();
    const float dx = (deeper.x - origin.x) * 10 * bend, dy = (deeper.y - origin.y) * 10 * bend;
    sheet.bendX = sheet.toHead.a * dx + sheet.toHead.b * dy;
    sheet.bendY = sheet.toHead.d * dx + sheet.toHead.e * dy;
    sheet.scaleX = 1.f / scaleX;
    sheet.glossX = -m_model->glossShift * motion[Param::Yaw];
    sheet.glossY = m_model->glossShift * motion[Param::Pitch];
    return sheet;
}

void MouthPainter::sample(const Sheet& sheet, float x, float y, float* rgbag) const
{
    const PortraitModel& m = *m_model;
    Point2 head = sheet.toHead(x, y);
    const float squared = std::min(1.f, head.x * head.x);
    head.x = (head.x - sheet.bendX * squared) * sheet.scaleX;
    head.y -= sheet.bendY * squared;
    auto position = [&](const Texture& t, float hx, float hy) {
        return Point2{(hx - m.mouthX0) / (m.mouthX1 - m.mouthX0) * static_cast<float>(t.width),
                      (hy - m.mouthY0) / (m.mouthY1 - m.mouthY0) * static_cast<float>(t.height)};
    };
    const Point2 at = position(*sheet.texture, head.x, head.y);
    sampleLinear(*sheet.texture, at.x, at.y, rgbag);
    rgbag[4] = 0;
    if (sheet.gloss != nullptr) {
        const Point2 wet =
            position(*sheet.gloss, head.x - sheet.glossX, head.y - sheet.glossY);
        sampleLinear(*sheet.gloss, wet.x, wet.y, rgbag + 4);
    }
}

void MouthPainter::wetLip(const Frame& frame, int column, float distance, bool lower,
                          float* rgb) const
{
    // The inside of the lip rolls into view as the mouth opens: redder and darker inwards.
    const float width = (lower ? m_lowerRing : m_upperRing) * frame.shown + 1e-4f;
    const float t = distance / width;
    if (t >= 1)
        return;
    const float weight = smoothstep(1.f, .55f, t) * frame.shown *
                         smoothstep(1.02f, .75f, frame.side[index(column)]);
    const Vec3& lip = (lower ? frame.lowerLip : frame.upperLip)[index(column)];
    const float shade = .96f - .50f * t;
    const float peak = (t - .35f) / .22f;
    // dark lips shine less
    const float wet = lower ? .0007f * lip[0] * lookUp(m_falloff, peak * peak, kFalloffRange) : 0.f;
    constexpr float kInner[3] = {.96f, .82f, .84f};
    for (std::size_t c = 0; c < 3; ++c)
        rgb[c] = mix(rgb[c], lip[c] * kInner[c] * shade + m_model->whiteColor[c] * wet, weight);
}

void MouthPainter::insidePixel(const Frame& frame, int column, float x, float y, float* rgb) const
{
    const PortraitModel& m = *m_model;
    const float inverseU = 1.f / m.u;
    const float dU = std::max(0.f, y - frame.upperY[index(column)]) * inverseU;
    const float dL = std::max(0.f, frame.lowerY[index(column)] - y) * inverseU;
    auto falloff = [&](float d, float length) {
        return lookUp(m_falloff, d / length, kFalloffRange);
    };
    // Light in a mouth goes red, not grey.
    auto lay = [&](const Sheet& sheet, float light, float strength, float gloss) {
        float texel[5];
        sample(sheet, x, y, texel);
        const float alpha = texel[3] * (1.f / 255);
        if (alpha <= 0)
            return;
        const float green = lookUp(m_tint, light, kTintRange);
        const float blue = m_tint[kTableSize + static_cast<std::size_t>(
                                                   std::clamp(light / kTintRange, 0.f, 1.f) *
                                                   static_cast<float>(kTableSize - 2))];
        const float shade[3] = {light * strength, green * strength, blue * strength};
        for (std::size_t c = 0; c < 3; ++c) {
            const float wet = texel[4] * (1.f / 255) * m.whiteColor[c] * gloss * light;
            rgb[c] = mix(rgb[c], texel[c] * shade[c] + wet, alpha);
        }
    };
    const float depth = .55f + 1.3f * smoothstep(.02f, .22f, dU);
    for (std::size_t c = 0; c < 3; ++c)
        rgb[c] = m.cavityColor[c] * depth;
    lay(frame.tongue,
        std::clamp(.30f + 2.4f * dU + .30f * frame.tongueHeight, .25f, .95f) * frame.narrow, 1.f,
        .35f);
    lay(frame.lowerTeeth,
        std::clamp(.38f + 2.6f * std::min(dU, .2f), .35f, .85f) *
            (1 - .35f * falloff(dL, .02f)) * frame.narrow,
        1.f, .8f);
    const float lipShade = (m.photoTeeth ? .18f : .30f) + .30f * frame.rounding;
    const float corner = 1 - .35f * smoothstep(.6f, 1.05f, frame.side[index(column)]);
    lay(frame.upperTeeth,
        (1 - lipShade * falloff(dU, .022f + .014f * frame.rounding)) * frame.bright *
            (.45f + .55f * frame.narrow),
        corner, .8f);
    if (frame.shown > 0) {
        wetLip(frame, column, dL, true, rgb);
        wetLip(frame, column, dU, false, rgb);
    }
    const float contact = 1 - .30f * falloff(std::min(dU, dL), .010f);
    for (std::size_t c = 0; c < 3; ++c)
        rgb[c] *= contact;
    // Flesh has its own hues; a photo of one hue has none of them.
    if (m_colorful >= 1)
        return;
    const float grey = .299f * rgb[0] + .587f * rgb[1] + .114f * rgb[2];
    for (std::size_t c = 0; c < 3; ++c)
        rgb[c] = mix(m_hue[c] * grey, rgb[c], m_colorful);
}

void MouthPainter::paintInside(const Frame& frame, Image& out)
{
    std::array<Point2, 2 * kLipSamples> outline{};
    std::copy(frame.upper.begin(), frame.upper.end(), outline.begin());
    std::copy(frame.lower.rbegin(), frame.lower.rend(), outline.begin() + kLipSamples);
    m_mask.reset(frame.box);
    fillPolygon(outline, m_mask);
    blur(m_mask.value, frame.box.width(), frame.box.height(), 1, .35f + .35f * m_model->softness);
    m_patch.load(out, frame.box);
    for (int y = 0; y < frame.box.height(); ++y) {
        const float* mask = m_mask.row(y);
        float* pixel = m_patch.row(y);
        for (int x = 0; x < frame.box.width(); ++x, pixel += 3) {
            if (mask[x] < 2e-3f)
                continue;
            float rgb[3];
            insidePixel(frame, x, static_cast<float>(frame.box.left + x) + .5f,
                        static_cast<float>(frame.box.top + y) + .5f, rgb);
            for (int c = 0; c < 3; ++c)
                pixel[c] = mix(pixel[c], std::clamp(rgb[c], 0.f, 255.f), mask[x]);
        }
    }
    m_patch.store(out);
}

void MouthPainter::paintSeam(const Frame& frame, Image& out)
{
    // Where the lips touch: the cut is smoothed and, where the photo had no seam, darkened.
    const float u = m_model->u;
    const float sigma = std::max(.9f, .0088f * u);
    const float touch = 1.f / (.014f * u);
    // Rolled lips have taken the photo's own seam line out of sight.
    const float own = m_model->openMouth ? 1.f : std::clamp(2.f * frame.rolled, 0.f, 1.f);
    const float dark = mix(.12f, .54f, own) *
                       (1 - .5f * smoothstep(.03f, .09f, frame.open)) * frame.seamActive;
    if (frame.seamActive <= 0)
        return;
    std::array<Point2, kLipSamples> middle{};
    for (std::size_t i = 0; i < kLipSamples; ++i)
        middle[i] = {.5f * (frame.upper[i].x + frame.lower[i].x),
                     .5f * (frame.upper[i].y + frame.lower[i].y)};
    const Box box = boundsOf(middle, 3 * sigma + 2, out.width, out.height);
    if (box.isEmpty())
        return;
    std::vector<float> heights(static_cast<std::size_t>(box.width())), samples(heights.size());
    columnHeights(middle, box.left, heights);
    columnSamples(middle, box.left, samples);
    m_patch.load(out, box);
    m_blurred = m_patch;
    blur(m_blurred.rgb, box.width(), box.height(), 3, .4f + .5f * m_model->softness);
    const float x0 = middle.front().x, x1 = middle.back().x;
    const float red = mix(1.f, .86f, m_colorful);
    for (int x = 0; x < box.width(); ++x) {
        const float px = static_cast<float>(box.left + x) + .5f;
        const float along = (px - x0) / std::max(1.f, x1 - x0) * 2 - 1;
        const auto i = static_cast<std::size_t>(
            std::clamp(samples[index(x)] + .5f, 0.f, static_cast<float>(kLipSamples - 1)));
        const float gap = std::hypot(frame.upper[i].x - frame.lower[i].x,
                                     frame.upper[i].y - frame.lower[i].y) *
                          touch;
        const float column = std::exp(-gap * gap) * smoothstep(1.06f, .9f, std::abs(along));
        if (column < .004f)
            continue;
        for (int y = 0; y < box.height(); ++y) {
            const float d =
                (static_cast<float>(box.top + y) + .5f - heights[index(x)]) / sigma;
            const float weight = lookUp(m_falloff, .5f * d * d, kFalloffRange) * column;
            if (weight < .004f)
                continue;
            float* pixel = m_patch.row(y) + 3 * x;
            const float* soft = m_blurred.row(y) + 3 * x;
            const float smooth = std::min(1.f, 1.2f * weight) * frame.seamActive;
            const float shade[3] = {1 - red * dark * weight, 1 - dark * weight,
                                    1 - dark * weight};
            for (int c = 0; c < 3; ++c)
                pixel[c] = mix(pixel[c], soft[c], smooth) * shade[c];
        }
    }
    m_patch.store(out);
}

void MouthPainter::paint(const Motion& motion, const FrameGeometry& geometry, Image& out)
{
    const PortraitModel& m = *m_model;
    Frame frame;
    for (std::size_t i = 0; i < kLipSamples; ++i) {
        const std::size_t a = index(m.upperInner[i]), b = index(m.lowerInner[i]);
        frame.upper[i] = {geometry.x[a], geometry.y[a]};
        frame.lower[i] = {geometry.x[b], geometry.y[b]};
        frame.gap = std::max(frame.gap, std::hypot(frame.upper[i].x - frame.lower[i].x,
                                                   frame.upper[i].y - frame.lower[i].y));
    }
    frame.open = frame.gap / m.u;
    frame.seamActive = seamActivity(motion, geometry);
    const LipRoll roll = lipRoll(motion);
    frame.rolled = std::max(roll.upper, roll.lower);
    if (frame.gap > .3f && prepareInside(motion, geometry, frame, out))
        paintInside(frame, out);
    paintSeam(frame, out);
}

float MouthPainter::seamActivity(const Motion& motion, const FrameGeometry& geometry) const
{
    // A closed photo at rest keeps its own seam to the last bit.
    const PortraitModel& m = *m_model;
    if (m.openMouth)
        return 1;
    float moved = 0;
    for (std::size_t c = 0; c < kLipContours; ++c)
        for (std::size_t i = 0; i < kLipKnots; ++i) {
            const Vec3 d = geometry.lips[c][i] - m.neutralContour[c][i];
            moved = std::max(moved, dot(d, d));
        }
    const LipRoll roll = lipRoll(motion);
    return smoothstep(.002f, .015f,
                      std::sqrt(moved) + .03f * (std::abs(roll.upper) + std::abs(roll.lower)));
}

bool MouthPainter::prepareInside(const Motion& motion, const FrameGeometry& geometry, Frame& frame,
                                 const Image& out)
{
    const PortraitModel& m = *m_model;
    std::array<Point2, 2 * kLipSamples> points{};
    std::copy(frame.upper.begin(), frame.upper.end(), points.begin());
    std::copy(frame.lower.begin(), frame.lower.end(), points.begin() + kLipSamples);
    frame.box = boundsOf(points, 5.f, out.width, out.height);
    if (frame.box.isEmpty())
        return false;
    frame.tongueHeight = motion[Param::TongueHeight];
    frame.pucker = motion[Param::Pucker];
    frame.funnel = motion[Param::Funnel];
    frame.rounding = std::clamp(frame.pucker + .5f * frame.funnel, 0.f, 1.f);
    frame.shown = smoothstep(.015f, .12f, frame.open);
    frame.narrow = std::clamp(1 - .30f * frame.pucker - .15f * frame.funnel, .3f, 1.1f);
    frame.bright = .88f + .12f * std::clamp(frame.open / .07f, 0.f, 1.f);

    const float tongueY = m.mouthCenter[1] - .030f - .085f * frame.tongueHeight +
                          .05f * frame.pucker;
    frame.tongue = makeSheet(m.tongue, m.tongueGloss, geometry, motion, true,
                             {0, tongueY, m.teethZ + .16f - .10f * motion[Param::TongueTip]}, .85f,
                             0);
    frame.lowerTeeth = makeSheet(
        m.lowerTeeth, m.lowerGloss, geometry, motion, true,
        {0, .022f + .035f * frame.pucker + .02f * frame.funnel, m.teethZ + .02f}, 1, m.archBend);
    frame.upperTeeth = makeSheet(m.upperTeeth, m.upperGloss, geometry, motion, false,
                                 {0, 0, m.teethZ}, 1, m.archBend);

    const auto columns = static_cast<std::size_t>(frame.box.width());
    frame.upperY.resize(columns);
    frame.lowerY.resize(columns);
    columnHeights(frame.upper, frame.box.left, frame.upperY);
    columnHeights(frame.lower, frame.box.left, frame.lowerY);
    std::vector<float> upperSample(columns), lowerSample(columns);
    columnSamples(frame.upper, frame.box.left, upperSample);
    columnSamples(frame.lower, frame.box.left, lowerSample);
    const float centre = .5f * (frame.upper.front().x + frame.upper.back().x);
    const float half = std::max(.5f, .5f * (frame.upper.back().x - frame.upper.front().x));
    for (std::size_t x = 0; x < columns; ++x) {
        const float px = static_cast<float>(frame.box.left) + static_cast<float>(x) + .5f;
        frame.side.push_back(std::abs(px - centre) / half);
        frame.upperLip.push_back(colorAt(m_upperLip, upperSample[x]));
        frame.lowerLip.push_back(colorAt(m_lowerLip, lowerSample[x]));
    }
    return true;
}

} // namespace loquor::portrait
