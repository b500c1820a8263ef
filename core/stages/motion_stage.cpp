#include "core/stages/motion_stage.h"

#include "core/base/check.h"

namespace loquor::stages {

MotionStage::MotionStage(std::uint64_t seed, Rational fps, portrait::Style style)
    : m_solver(seed, fps, style)
{
}

Result<void> MotionStage::run(const pipeline::ChunkSpec& chunk, ChunkContext in,
                              const pipeline::Emit<ChunkMotion>& emit, const CancelToken& cancel)
{
    if (cancel.isCancelled())
        return cancelled();
    ChunkMotion out;
    out.frames = m_solver.solve(in.window, chunk.firstFrame, chunk.frames);
    LOQUOR_CHECK(static_cast<int>(out.frames.size()) == chunk.frames,
                 "the solver gives one motion a frame");
    out.sounds = std::move(in.window.sounds);
    out.audio = std::move(in.audio);
    return emit(std::move(out)) ? Result<void>{} : cancelled();
}

} // namespace loquor::stages
