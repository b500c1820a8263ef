#include "core/portrait/renderer.h"

#include <algorithm>
#include <chrono>

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

} // namespace

struct Renderer::Impl
{
    Impl(PortraitModelPtr portrait, int threads)
        : model(std::move(portrait)), pool(threads), geometry(model),
          layer(model, bestTileKernel()), eyes(model), mouth(model)
    {
    }
    PortraitModelPtr model;
    WorkerPool pool;
    FaceGeometry geometry;
    FaceLayer layer;
    EyePainter eyes;
    MouthPainter mouth;
    FrameGeometry frame;
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
    const auto start = std::chrono::steady_clock::now();
    double before = threadCpuSeconds();
    const auto done = [&](RenderStage stage) {
        const double now = threadCpuSeconds();
        m->stats.stageMilliseconds[static_cast<std::size_t>(stage)] = 1e3 * (now - before);
        before = now;
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
    m->stats.milliseconds = std::chrono::duration<double, std::milli>(
                                std::chrono::steady_clock::now() - start)
                                .count();
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
