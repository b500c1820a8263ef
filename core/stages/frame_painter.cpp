#include "core/stages/frame_painter.h"

#include <cstring>

#include "core/base/check.h"

namespace loquor::stages {

namespace {

Image part(const Image& picture, int x, int y, int width, int height)
{
    Image out(width, height, 3);
    for (int row = 0; row < height; ++row)
        std::memcpy(out.row(row), picture.row(y + row) + 3 * x, out.stride());
    return out;
}

} // namespace

FramePainter::FramePainter(const ReferenceContext& reference, Image backdrop, int width, int height,
                           int threads)
    : m_model(reference.model), m_renderer(reference.model, threads), m_canvasWidth(reference.model->width),
      m_canvasHeight(reference.model->height), m_offsetX(reference.offsetX), m_offsetY(reference.offsetY)
{
    LOQUOR_CHECK(m_offsetX >= 0 && m_offsetY >= 0 && m_offsetX + m_canvasWidth <= width &&
                     m_offsetY + m_canvasHeight <= height,
                 "the canvas lies on the picture");
    if (!backdrop.isEmpty())
        m_renderer.setBackground(part(backdrop, m_offsetX, m_offsetY, m_canvasWidth, m_canvasHeight));
    if (m_canvasWidth == width && m_canvasHeight == height)
        return;
    m_backdrop = backdrop.isEmpty() ? Image(width, height, 3) : std::move(backdrop);
    m_canvas = Image(m_canvasWidth, m_canvasHeight, 3);
}

void FramePainter::render(const portrait::Motion& motion, const portrait::Motion* before, Image& out)
{
    if (before)
        m_renderer.render(motion, *before, out);
    else
        m_renderer.render(motion, out);
}

void FramePainter::paint(const portrait::Motion& motion, Image& out, const portrait::Motion* before)
{
    if (m_backdrop.isEmpty()) {
        render(motion, before, out);
        return;
    }
    LOQUOR_CHECK(out.data.size() == m_backdrop.data.size(), "frames have the output size");
    render(motion, before, m_canvas);
    out.data = m_backdrop.data;
    for (int y = 0; y < m_canvasHeight; ++y)
        std::memcpy(out.row(m_offsetY + y) + 3 * m_offsetX, m_canvas.row(y), m_canvas.stride());
}

} // namespace loquor::stages
