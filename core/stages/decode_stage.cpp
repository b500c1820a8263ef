#include "core/stages/decode_stage.h"

namespace loquor::stages {

DecodeStage::DecodeStage(std::shared_ptr<FramePainter> painter, int width, int height, int groupFrames)
    : m_painter(std::move(painter)), m_pool(width, height), m_width(width), m_height(height),
      m_groupFrames(groupFrames)
{
}

std::size_t DecodeStage::memoryEstimate() const
{
    const std::size_t frame = static_cast<std::size_t>(m_width) * static_cast<std::size_t>(m_height) * 3;
    // One group in the making, and the renderer's own planes (layer, plate, textures, last frame).
    return frame * (static_cast<std::size_t>(m_groupFrames) + 12);
}

Result<void> DecodeStage::run(const pipeline::ChunkSpec& chunk, ChunkMotion in,
                              const pipeline::Emit<FrameGroup>& emit, const CancelToken& cancel)
{
    FrameGroup group;
    group.audio = std::move(in.audio);
    for (int i = 0; i < chunk.frames; ++i) {
        if (cancel.isCancelled())
            return cancelled();
        const portrait::Motion& motion = in.frames[static_cast<std::size_t>(i)];
        auto frame = m_pool.take();
        frame->index = chunk.firstFrame + i;
        const portrait::Motion* before = m_beforeIndex + 1 == frame->index ? &m_before : nullptr;
        if (i == 0 && in.before)
            before = &*in.before;
        m_painter->paint(motion, frame->image, before);
        group.lipGap.push_back(m_painter->lipGap(motion, before));
        m_before = motion;
        m_beforeIndex = frame->index;
        group.frames.push_back(std::move(frame));
        group.motion.push_back(motion);
        if (in.boundary && i + 1 == chunk.frames)
            group.boundary = serialise(*in.boundary);
        const bool full = static_cast<int>(group.frames.size()) == m_groupFrames;
        // The very first picture of a run or line goes out alone: somebody is waiting for it.
        if (full || i + 1 == chunk.frames || group.frames.back()->index == 0) {
            if (!emit(std::move(group)))
                return cancelled();
            group = {};
        }
    }
    return {};
}

} // namespace loquor::stages
