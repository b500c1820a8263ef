// Draws finished frames again, for scrubbing while and after a run.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/media/image.h"
#include "core/stages/frame_painter.h"
#include "core/stages/motion_spool.h"
#include "core/stages/values.h"

namespace loquor::rank {

// Holds the newest run's reference and motion. Any thread; drawing one frame takes some milliseconds.
class Scrubber
{
public:
    void start(std::uint64_t job, const stages::ReferenceContext& reference, const Image& backdrop, int width,
               int height, std::shared_ptr<stages::MotionSpool> motion);
    // Empty when there is no such frame.
    Image draw(std::uint64_t job, std::int64_t frame);

private:
    std::mutex m_mutex; // guards all below
    std::uint64_t m_job = 0;
    stages::ReferenceContext m_reference;
    Image m_backdrop;
    int m_width = 0, m_height = 0;
    std::shared_ptr<stages::MotionSpool> m_motion;
    std::unique_ptr<stages::FramePainter> m_painter; // made at the first request
};

} // namespace loquor::rank
