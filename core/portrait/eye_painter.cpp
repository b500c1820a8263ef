#include "core/portrait/eye_painter.h"

#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

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
    }
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
    std::array<Point2, 2 * kLidSamples> outline{};
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
    std::vector<float> lidY(static_cast<std::size_t>(box.width()));
    columnHeights(upper, box.left, lidY);
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
            float shade = 1;
            if (shadow > .01f)
                shade -= shadow *
                         std::exp(-std::max(0.f, py - lidY[static_cast<std::size_t>(x)]) * fall);
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
