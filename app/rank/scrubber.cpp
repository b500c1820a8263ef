#include "app/rank/scrubber.h"

namespace loquor::rank {

void Scrubber::start(std::uint64_t job, const stages::ReferenceContext& reference, const Image& backdrop,
                     int width, int height, std::shared_ptr<stages::MotionSpool> motion)
{
    std::lock_guard lock(m_mutex);
    m_job = job;
    m_reference = reference;
    m_backdrop = backdrop;
    m_width = width;
    m_height = height;
    m_motion = std::move(motion);
    m_painter.reset();
}

Image Scrubber::draw(std::uint64_t job, std::int64_t frame)
{
    std::lock_guard lock(m_mutex);
    const auto motion = job == m_job && m_motion ? m_motion->at(frame) : std::nullopt;
    if (!motion)
        return {};
    if (!m_painter)
        m_painter = std::make_unique<stages::FramePainter>(m_reference, m_backdrop, m_width, m_height, 1);
    Image out(m_width, m_height, 3);
    const auto before = m_motion->at(frame - 1);
    m_painter->paint(*motion, out, before ? &*before : nullptr);
    return out;
}

} // namespace loquor::rank
