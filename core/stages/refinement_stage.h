// Between solver and renderer: what must hold whatever made the motion.
#pragma once

#include "core/pipeline/stage.h"
#include "core/stages/values.h"

namespace loquor::stages {

// Guarantees, frame by frame (so that chunking cannot matter): every value is finite and inside the
// range the renderer draws well, and the lips meet in the middle of each p, b and m. A value that is not
// a number ends the run: it is a fault of the model, not of the input. A boundary gets its motion here.
class RefinementStage : public pipeline::Stage<ChunkMotion, ChunkMotion>
{
public:
    explicit RefinementStage(Rational fps) : m_fps(fps) {}
    const char* name() const override { return "refinement"; }
    std::size_t memoryEstimate() const override { return 1u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, ChunkMotion in,
                     const pipeline::Emit<ChunkMotion>& emit, const CancelToken& cancel) override;

    // How many closures had to be helped so far.
    int closuresHelped() const { return m_closuresHelped; }

private:
    void closeLips(const pipeline::ChunkSpec& chunk, ChunkMotion& motion);
    void completeBoundary(const pipeline::ChunkSpec& chunk, ChunkMotion& motion) const;

    Rational m_fps;
    int m_closuresHelped = 0;
};

} // namespace loquor::stages
