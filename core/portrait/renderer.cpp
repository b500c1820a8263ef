#include "core/portrait/renderer.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/base/check.h"
#include "core/base/trace.h"
#include "core/portrait/eye_painter.h"
#include "core/portrait/face_geometry.h"
#include "core/portrait/face_layer.h"
#include "core/portrait/mouth_painter.h"
#include "core/portrait/tile_kernel.h"
#include "core/portrait/worker_pool.h"

namespace loquor::portrait {

namespace {

// How motion shows in the skin beyond the mesh.
Expression expressionOf(const Motion& motion)
{
    auto mean = [&](Param a, Param b) { return .5f * (motion[a] + motion[b]); };
    Expression e;
    e.blink = {motion[Param::BlinkR], motion[Param::BlinkL]};
    const float round = std::min(1.f, motion[Param::Pucker] + .5f * motion[Param::Funnel]);
    e.wrinkle[static_cast<std::size_t>(Detail::Nasolabial)] =
        .5f * mean(Param::SmileL, Param::SmileR) + .2f * mean(Param::CheekL, Param::CheekR) +
        .35f * motion[Param::NoseSneer] - .7f * round;
    e.wrinkle[static_cast<std::size_t>(Detail::Forehead)] =
        .5f * (mean(Param::BrowInL, Param::BrowInR) + mean(Param::BrowOutL, Param::BrowOutR));
    e.wrinkle[static_cast<std::size_t>(Detail::Chin)] =
        std::min(1.f, motion[Param::ChinRaise] + .6f * motion[Param::Press] +
                          .3f * motion[Param::Pucker]);
    return e;
}

constexpr float kShutter = .4f;       // of a frame
constexpr float kSmearFrom = 2.2f;    // px that the lips must move within it
constexpr float kSmearLeast = .35f;   // px: what moves less looks the same
constexpr float kSmearClosed = .85f;  // lips together on p b m are seen as such

// `motion` with the mouth where it was when the exposure began; head and eyes stay.
Motion mouthEarlier(const Motion& motion, const Motion& before)
{
    Motion early = motion;
    for (const Param p : {Param::Jaw, Param::JawSide, Param::Close, Param::Press, Param::Tuck, Param::Pucker,
                          Param::Funnel, Param::StretchL, Param::StretchR, Param::UpperRaise, Param::LowerDepress,
                          Param::MouthX, Param::ChinRaise, Param::UpperLipRoll})
        early[p] += kShutter * (before[p] - motion[p]);
    return early;
}

// How far any point of the lips moves between two shapes, u.
float lipsApart(const LipKnots& a, const LipKnots& b)
{
    float largest = 0;
    for (std::size_t c = 0; c < kLipContours; ++c)
        for (std::size_t i = 0; i < kLipKnots; ++i)
            largest = std::max({largest, std::abs(a[c][i][0] - b[c][i][0]), std::abs(a[c][i][1] - b[c][i][1])});
    return largest;
}

// The motion with which the frame's exposure begins, when its lips are to be smeared.
std::optional<Motion> exposureStart(const PortraitModel& model, const Motion& motion, const Motion& before)
{
    if (motion[Param::Close] > kSmearClosed)
        return std::nullopt;
    const Motion early = mouthEarlier(motion, before);
    const float moved = lipsApart(shapeLips(model, early, JawMotion(model, early)),
                                  shapeLips(model, motion, JawMotion(model, motion)));
    return moved * model.u < kSmearFrom ? std::nullopt : std::optional(early);
}

// The lips of both geometries and what the mouth painter touches around them.
Box lipsBox(const PortraitModel& model, const FrameGeometry& a, const FrameGeometry& b)
{
    std::vector<Point2> points;
    for (const auto* rim : {&model.upperInner, &model.lowerInner})
        for (const int v : *rim)
            for (const FrameGeometry* g : {&a, &b})
                points.push_back({g->x[static_cast<std::size_t>(v)], g->y[static_cast<std::size_t>(v)]});
    return boundsOf(points, 6.f, model.width, model.height);
}

// First row below both eyes.
int belowEyes(const PortraitModel& model, const FrameGeometry& geometry)
{
    float lowest = 0;
    for (const EyeModel& eye : model.eyes)
        for (const int v : eye.lower)
            lowest = std::max(lowest, geometry.y[static_cast<std::size_t>(v)]);
    return static_cast<int>(std::clamp(lowest + .1f * model.u, 0.f, static_cast<float>(model.height)));
}

void average(const Image& with, const Box& box, Image& out)
{
    for (int y = box.top; y < box.bottom; ++y) {
        const std::uint8_t* in = with.row(y) + 3 * box.left;
        std::uint8_t* to = out.row(y) + 3 * box.left;
        for (int i = 0; i < 3 * box.width(); ++i)
            to[i] = static_cast<std::uint8_t>((to[i] + in[i] + 1) >> 1);
    }
}

} // namespace

struct Renderer::Impl
{
    Impl(PortraitModelPtr portrait, int threads)
        : model(std::move(portrait)), pool(threads), geometry(model),
          layer(model, bestTileKernel()), eyes(model), mouth(model)
    {
    }
    // Averages the lips of `out` with those a moment earlier.
    void smear(const Motion& motion, const Motion& before, Image& out)
    {
        const auto early = exposureStart(*model, motion, before);
        if (!early)
            return;
        geometry.evaluate(*early, earlyFrame);
        if (aside.isEmpty())
            aside = Image(model->width, model->height, 3);
        const std::vector<Box>& tiles = layer.drawAside(earlyFrame, lipsBox(*model, frame, earlyFrame),
                                                        belowEyes(*model, frame), kSmearLeast, pool, aside);
        mouth.paint(*early, earlyFrame, aside);
        for (const Box& tile : tiles)
            average(aside, tile, out);
    }

    PortraitModelPtr model;
    WorkerPool pool;
    FaceGeometry geometry;
    FaceLayer layer;
    EyePainter eyes;
    MouthPainter mouth;
    FrameGeometry frame, earlyFrame;
    Image aside; // the earlier lips, in the tiles that are averaged
    RenderStats stats;
};

Renderer::Renderer(PortraitModelPtr model, int threads)
{
    LOQUOR_CHECK(model != nullptr && threads >= 1);
    m = std::make_unique<Impl>(std::move(model), threads);
}

Renderer::~Renderer() = default;

void Renderer::render(const Motion& motion, Image& out)
{
    draw(motion, nullptr, out);
}

void Renderer::render(const Motion& motion, const Motion& before, Image& out)
{
    draw(motion, &before, out);
}

void Renderer::draw(const Motion& motion, const Motion* before, Image& out)
{
    const auto start = std::chrono::steady_clock::now();
    double last = threadCpuSeconds();
    const auto done = [&](RenderStage stage) {
        const double now = threadCpuSeconds();
        m->stats.stageMilliseconds[static_cast<std::size_t>(stage)] = 1e3 * (now - last);
        last = now;
    };
    m->geometry.evaluate(motion, m->frame);
    done(RenderStage::Geometry);
    m->layer.prepare(m->frame, expressionOf(motion));
    done(RenderStage::Changes);
    m->stats.tilesDrawn = m->layer.draw(m->pool);
    m->stats.tilesTotal = m->layer.tileCount();
    done(RenderStage::Tiles);
    out = m->layer.picture();
    done(RenderStage::Copy);
    m->eyes.paint(motion, m->frame, out);
    done(RenderStage::Eyes);
    m->mouth.paint(motion, m->frame, out);
    done(RenderStage::Mouth);
    if (before)
        m->smear(motion, *before, out);
    done(RenderStage::Smear);
    m->stats.milliseconds = std::chrono::duration<double, std::milli>(
                                std::chrono::steady_clock::now() - start)
                                .count();
}

float drawnLipGap(const PortraitModel& model, const Motion& motion, const Motion* before)
{
    const float gap = lipGap(model, motion);
    const auto early = before ? exposureStart(model, motion, *before) : std::nullopt;
    return early ? .5f * (gap + lipGap(model, *early)) : gap;
}

const RenderStats& Renderer::lastStats() const
{
    return m->stats;
}

void Renderer::setBackground(const Image& background)
{
    m->layer.setPlate(background.isEmpty() ? m->model->plate : background);
}

} // namespace loquor::portrait
