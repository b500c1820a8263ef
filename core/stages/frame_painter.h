// From one motion to one finished output picture: renderer, background, place on the picture.
#pragma once

#include <memory>

#include "core/media/image.h"
#include "core/portrait/motion.h"
#include "core/portrait/renderer.h"
#include "core/stages/values.h"

namespace loquor::stages {

// A frame depends on the motion alone, so any frame can be painted again later. One thread at a time.
class FramePainter
{
public:
    // `backdrop` has the output size and replaces the photo's background and the bars beside the canvas;
    // empty: the photo's own, and black bars. `threads` share the drawing.
    FramePainter(const ReferenceContext& reference, Image backdrop, int width, int height, int threads);
    // `out` must have the output size, three channels.
    // `before`: the motion one frame earlier, if there was one; fast lips are smeared along it.
    void paint(const portrait::Motion& motion, Image& out, const portrait::Motion* before = nullptr);
    // The opening of the lips that paint() shows, eye distances.
    float lipGap(const portrait::Motion& motion, const portrait::Motion* before) const
    {
        return portrait::drawnLipGap(*m_model, motion, before);
    }

private:
    void render(const portrait::Motion& motion, const portrait::Motion* before, Image& out);
    portrait::PortraitModelPtr m_model;
    portrait::Renderer m_renderer;
    int m_canvasWidth, m_canvasHeight;
    int m_offsetX, m_offsetY;
    Image m_backdrop; // of output size, only when the canvas is smaller than the output
    Image m_canvas;   // likewise
};

} // namespace loquor::stages
