// Draws one motion frame: the streaming decoder of the portrait engine. Keeps the last frame and
// draws only the tiles that changed. One instance per thread; no files, no global state.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "core/media/image.h"
#include "core/portrait/motion.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

enum class RenderStage : std::size_t {
    Geometry = 0, // contours, vertices, light
    Changes,      // the photo's changing parts, which tiles and triangles
    Tiles,
    Copy,
    Eyes,
    Mouth,
    Smear,
    Count
};

struct RenderStats
{
    int tilesDrawn = 0;
    int tilesTotal = 0;
    double milliseconds = 0; // wall time
    // Processor time of the caller's thread by stage.
    std::array<double, static_cast<std::size_t>(RenderStage::Count)> stageMilliseconds{};
};

class Renderer
{
public:
    // `threads` >= 1: tiles are shared among that many (the caller's included).
    explicit Renderer(PortraitModelPtr model, int threads = 1);
    ~Renderer();

    // RGB of model->width x model->height. The frame depends on the motion alone: drawing after any
    // other frame gives the same bytes as drawing first (incremental = from scratch).
    void render(const Motion& motion, Image& out);
    // The same with the motion one frame earlier: lips that move fast are smeared as by an exposure of
    // .4 frames, unless they are closed. Depends on the two motions alone.
    void render(const Motion& motion, const Motion& before, Image& out);
    const RenderStats& lastStats() const;
    // Replaces the plate (RGB picture of canvas size); empty image = the photo's own. The next frame is
    // drawn whole.
    void setBackground(const Image& background);

private:
    void draw(const Motion& motion, const Motion* before, Image& out);
    struct Impl;
    std::unique_ptr<Impl> m;
};

// The opening of the lips as render() shows it, in eye distances; `before` null: without smear.
float drawnLipGap(const PortraitModel& model, const Motion& motion, const Motion* before);

} // namespace loquor::portrait
