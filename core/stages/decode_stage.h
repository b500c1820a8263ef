// Last stage of the chunk loop: motion becomes pictures, a few at a time.
#pragma once

#include <memory>

#include "core/pipeline/stage.h"
#include "core/stages/frame_painter.h"
#include "core/stages/frame_pool.h"
#include "core/stages/values.h"

namespace loquor::stages {

class DecodeStage : public pipeline::Stage<ChunkMotion, FrameGroup>
{
public:
    // Frames of width x height leave in groups of `groupFrames`.
    DecodeStage(std::shared_ptr<FramePainter> painter, int width, int height, int groupFrames = 4);
    const char* name() const override { return "decode"; }
    std::size_t memoryEstimate() const override;
    Result<void> run(const pipeline::ChunkSpec& chunk, ChunkMotion in,
                     const pipeline::Emit<FrameGroup>& emit, const CancelToken& cancel) override;

private:
    std::shared_ptr<FramePainter> m_painter;
    FramePool m_pool;
    int m_width, m_height, m_groupFrames;
    portrait::Motion m_before; // of frame m_beforeIndex
    FrameIndex m_beforeIndex = -2;
};

} // namespace loquor::stages
