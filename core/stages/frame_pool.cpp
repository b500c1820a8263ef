#include "core/stages/frame_pool.h"

namespace loquor::stages {

FramePool::FramePool(int width, int height) : m_width(width), m_height(height) {}

std::shared_ptr<VideoFrame> FramePool::take()
{
    std::unique_ptr<VideoFrame> frame;
    {
        std::lock_guard lock(m_shelf->mutex);
        if (!m_shelf->free.empty()) {
            frame = std::move(m_shelf->free.back());
            m_shelf->free.pop_back();
        }
    }
    if (!frame) {
        frame = std::make_unique<VideoFrame>();
        frame->image = Image(m_width, m_height, 3);
    }
    return {frame.release(), [shelf = m_shelf](VideoFrame* used) {
                std::unique_ptr<VideoFrame> owned(used);
                std::lock_guard lock(shelf->mutex);
                shelf->free.push_back(std::move(owned));
            }};
}

} // namespace loquor::stages
