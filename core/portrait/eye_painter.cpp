#include "core/portrait/eye_painter.h"

#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

constexpr float kRimReach = .075f; // u

std::array<Point2, kLidSamples> lidPoints(const std::vector<int>& vertices,
                                          const FrameGeometry& geometry)
{
    std::array<Point2, kLidSamples> points{};
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {geometry.x[index(vertices[i])], geometry.y[index(vertices[i])]};
    return points;
}

} // namespace

EyePainter::EyePainter(PortraitModelPtr model) : m_model(std::move(model))
{
    // The photo itself around each eye: what shows while nothing has moved.
    for (std::size_t k = 0; k < 2; ++k) {
        const EyeModel& eye = m_model->eyes[k];
        Texture& photo = m_photo[k];
        photo.width = eye.photo.width;
        photo.height = eye.photo.height;
        photo.channels = 3;
        const Image& canvas = m_model->canvas;
        for (int y = 0; y < photo.height; ++y)
            for (int x = 0; x < photo.width; ++x) {
                const int cx = std::clamp(x + static_cast<int>(eye.x0), 0, canvas.width - 1);
                const int cy = std::clamp(y + static_cast<int>(eye.y0), 0, canvas.height - 1);
                for (int c = 0; c < 3; ++c)
                    photo.data.push_back(static_cast<float>(canvas.row(cy)[3 * cx + c]));
            }
        if (eye.photo.data.empty())
            continue;
        for (const std::size_t gazed : {0u, 1u}) {
            const auto weight = static_cast<float>(gazed);
            m_rims[k][gazed].upper = measureRim(k, weight, eye.upper, eye.lower);
            m_rims[k][gazed].lower = measureRim(k, weight, eye.lower, eye.upper);
        }
    }
}

EyePainter::Rim EyePainter::measureRim(std::size_t k, float gazed, const std::vector<int>& lid,
                                       const std::vector<int>& other) const
{
    const PortraitModel& m = *m_model;
    const EyeModel& eye = m.eyes[k];
    auto luminance = [&](float moved, float x, float y) {
        Look look;
        look.moved = moved;
        look.gazed = gazed;
        float rgb[3] = {};
        eyeColor(eye, look, {x, y}, rgb);
        return 8.f + .3f * rgb[0] + .59f * rgb[1] + .11f * rgb[2];
    };
    Rim raw{}, rim{};
    for (std::size_t i = 0; i < kLidSamples; ++i) {
        const float x = m.restXY[2 * index(lid[i])], y = m.restXY[2 * index(lid[i]) + 1];
        const float inward = m.restXY[2 * index(other[i]) + 1] - y;
        const float sign = inward < 0 ? -1.f : 1.f;
        for (std::size_t j = 0; j < kRimSteps; ++j) {
            const float d =
                kRimReach * m.u * static_cast<float>(j) / static_cast<float>(kRimSteps - 1);
            // Only within this half of the opening; nothing at the corners.
            const float half = std::max(1e-3f, .5f * std::abs(inward));
            const float inside = smoothstep(1.2f * half, .6f * half, d) * smoothstep(.5f, 2.f, half);
            const float ratio =
                luminance(0, x, y + sign * d) / luminance(1, x, y + sign * d);
            raw[i][j] = mix(1.f, std::clamp(ratio, .30f, 1.12f), inside);
        }
        raw[i][kRimSteps - 1] = 1;
    }
    for (std::size_t i = 0; i < kLidSamples; ++i) // the odd lash does not come along
        for (std::size_t j = 0; j < kRimSteps; ++j)
            rim[i][j] = .25f * raw[i > 0 ? i - 1 : 0][j] + .5f * raw[i][j] +
                        .25f * raw[std::min(i + 1, std::size_t{kLidSamples - 1})][j];
    return rim;
}

float EyePainter::rimShade(const Rim& rim, float sample, float distance) const
{
    const float at =
        std::max(0.f, distance) / (kRimReach * m_model->u) * static_cast<float>(kRimSteps - 1);
    if (at >= static_cast<float>(kRimSteps - 1))
        return 1;
    const auto j = static_cast<std::size_t>(at);
    const float s = std::clamp(sample, 0.f, static_cast<float>(kLidSamples - 1) - 1e-3f);
    const auto i = static_cast<std::size_t>(s);
    const float t = at - static_cast<float>(j), w = s - static_cast<float>(i);
    return mix(mix(rim[i][j], rim[i][j + 1], t), mix(rim[i + 1][j], rim[i + 1][j + 1], t), w);
}

float EyePainter::rimShade(std::size_t eye, float gazed, float upperSample, float below,
                           float lowerSample, float above) const
{
    auto shade = [&](const Rims& rims) {
        return rimShade(rims.upper, upperSample, below) *
               rimShade(rims.lower, lowerSample, above);
    };
    return mix(shade(m_rims[eye][0]), shade(m_rims[eye][1]), gazed);
}

EyePainter::Look EyePainter::lookOf(const Motion& motion, std::size_t eye) const
{
    const bool right = eye == 0;
    Look look;
    look.blink = motion[right ? Param::BlinkR : Param::BlinkL];
    const float gx = motion[Param::GazeX], gy = motion[Param::GazeY];
    const float reach = m_model->u * m_model->eyes[eye].gazeLimit;
    look.gazeX = std::clamp(gx, -1.5f, 1.5f) * .075f * reach;
    look.gazeY = std::clamp(gy, -1.5f, 1.5f) * .045f * reach;
    const float gaze = std::abs(gx) + std::abs(gy);
    look.gazed = std::min(1.f, 6.f * gaze);
    const float lids = std::abs(look.blink) + std::abs(motion[Param::Wide]) +
                       std::abs(motion[right ? Param::SquintR : Param::SquintL]);
    look.moved = std::min(1.f, 6.f * gaze + 8.f * lids);
    return look;
}

void EyePainter::eyeColor(const EyeModel& eye, const Look& look, Point2 photo, float* rgb) const
{
    const float x = photo.x - eye.x0, y = photo.y - eye.y0;
    float still[3] = {}, layered[3] = {};
    if (look.moved < 1)
        sampleCubic(m_photo[&eye == &m_model->eyes[0] ? 0 : 1], x, y, still);
    if (look.moved > 0) {
        float ball[3] = {};
        if (look.gazed < 1)
            sampleCubic(eye.photo, x, y, layered);
        if (look.gazed > 0) {
            float iris[4] = {};
            sampleLinear(eye.sclera, x, y, ball);
            sampleCubic(eye.iris, x - look.gazeX, y - look.gazeY, iris);
            for (int c = 0; c < 3; ++c)
                ball[c] = mix(ball[c], iris[c], iris[3] * (1.f / 255));
        }
        for (int c = 0; c < 3; ++c)
            layered[c] = mix(layered[c], ball[c], look.gazed);
    }
    for (int c = 0; c < 3; ++c)
        rgb[c] = mix(still[c], layered[c], look.moved);
}

void EyePainter::paintBall(std::size_t eye, const Look& look, const Lid& upper, const Lid& lower,
                           const Affine& toPhoto, Image& out)
{
    std::array<Point2, std::size_t{2} * kLidSamples> outline{};
    std::copy(upper.begin(), upper.end(), outline.begin());
    std::copy(lower.rbegin(), lower.rend(), outline.begin() + kLidSamples);
    const Box box = boundsOf(outline, 4.f, out.width, out.height);
    float gap = 0;
    for (std::size_t i = 0; i < kLidSamples; ++i)
        gap = std::max(gap, std::hypot(upper[i].x - lower[i].x, upper[i].y - lower[i].y));
    if (box.isEmpty() || gap < .4f)
        return;
    m_mask.reset(box);
    fillPolygon(outline, m_mask);
    blur(m_mask.value, box.width(), box.height(), 1, .6f * m_model->softness);
    const auto columns = static_cast<std::size_t>(box.width());
    std::vector<float> upperY(columns), lowerY(columns), upperAt(columns), lowerAt(columns);
    columnHeights(upper, box.left, upperY);
    columnHeights(lower, box.left, lowerY);
    columnSamples(upper, box.left, upperAt);
    columnSamples(lower, box.left, lowerAt);
    m_patch.load(out, box);
    const float shadow = .45f * std::min(1.f, 1.5f * std::max(0.f, look.blink));
    const float fall = 1.f / (.025f * m_model->u);
    for (int y = 0; y < box.height(); ++y) {
        const float* mask = m_mask.row(y);
        float* pixel = m_patch.row(y);
        for (int x = 0; x < box.width(); ++x, pixel += 3) {
            if (mask[x] < 1e-3f)
                continue;
            const float px = static_cast<float>(box.left + x) + .5f;
            const float py = static_cast<float>(box.top + y) + .5f;
            float rgb[3];
            eyeColor(m_model->eyes[eye], look, toPhoto(px, py), rgb);
            const std::size_t column = index(x);
            const float below = py - upperY[column], above = lowerY[column] - py;
            float shade = 1;
            if (shadow > .01f)
                shade -= shadow * std::exp(-std::max(0.f, below) * fall);
            if (look.moved > 0)
                shade *= mix(1.f,
                             rimShade(eye, look.gazed, upperAt[column], below, lowerAt[column],
                                      above),
                             look.moved);
            for (int c = 0; c < 3; ++c)
                pixel[c] = mix(pixel[c], rgb[c] * shade, mask[x]);
        }
    }
    m_patch.store(out);
}

void EyePainter::paintLashes(std::size_t eye, float blink, const Lid& upper, Image& out)
{
    if (blink < .08f)
        return;
    const float u = m_model->u, softness = m_model->softness;
    const Box box = boundsOf(upper, 6.f + .05f * u, out.width, out.height);
    if (box.isEmpty())
        return;
    m_mask.reset(box);
    const auto n = static_cast<float>(kLidSamples);
    for (std::size_t i = 0; i + 1 < kLidSamples; ++i) {
        const float t = static_cast<float>(i) / (n - 1);
        const float width = t < .25f   ? .009f
                            : t < .75f ? mix(.009f, .007f, (t - .25f) * 2)
                                       : mix(.007f, .002f, (t - .75f) * 4);
        strokeSegment(upper[i], upper[i + 1], .5f * width * u, 1.f, m_mask);
    }
    // Short lashes, downwards and outwards.
    const float outward = eye == 0 ? -1.f : 1.f;
    for (std::size_t i = 1; i < static_cast<std::size_t>(.72f * n); ++i) {
        const auto fi = static_cast<float>(i);
        const float length = .030f * u * (.4f + .6f * std::min(1.f, blink)) *
                             std::sin(3.14159265f * std::min(1.f, (fi + 3) / (.8f * n)));
        const float dx = outward * (.75f - .9f * fi / n);
        const float k = length / std::hypot(dx, 1.f);
        strokeSegment(upper[i], {upper[i].x + dx * k, upper[i].y + k}, .003f * u, .6f, m_mask);
    }
    blur(m_mask.value, box.width(), box.height(), 1, .4f + .35f * softness);
    const float strength = .62f * smoothstep(.08f, .5f, blink);
    m_soft = m_mask;
    for (float& value : m_soft.value)
        value = std::min(1.f, 2 * strength * value);
    blur(m_soft.value, box.width(), box.height(), 1, 1.f);
    m_patch.load(out, box);
    m_blurred = m_patch;
    blur(m_blurred.rgb, box.width(), box.height(), 3, .8f);
    const Vec3& color = m_model->eyes[eye].lashColor;
    for (std::size_t i = 0; i < m_mask.value.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            float& value = m_patch.rgb[3 * i + c];
            value = mix(value, m_blurred.rgb[3 * i + c], m_soft.value[i]);
            value = mix(value, color[c], strength * m_mask.value[i]);
        }
    m_patch.store(out);
}

void EyePainter::paint(const Motion& motion, const FrameGeometry& geometry, Image& out)
{
    for (std::size_t k = 0; k < 2; ++k) {
        const EyeModel& eye = m_model->eyes[k];
        if (eye.photo.data.empty())
            continue;
        const Lid upper = lidPoints(eye.upper, geometry), lower = lidPoints(eye.lower, geometry);
        auto placed = [&](float x, float y) {
            const HeadPose::Placed p =
                geometry.pose.place({eye.x0 + x, eye.y0 + y, eye.planeZ}, {}, 1.f);
            return Point2{p.x, p.y};
        };
        const Affine fromTexture =
            Affine::fromCorners(100, 100, placed(0, 0), placed(100, 0), placed(0, 100));
        Affine toPhoto = fromTexture.inverse();
        toPhoto.c += eye.x0;
        toPhoto.f += eye.y0;
        const Look look = lookOf(motion, k);
        paintBall(k, look, upper, lower, toPhoto, out);
        paintLashes(k, look.blink, upper, out);
    }
}

} // namespace loquor::portrait
