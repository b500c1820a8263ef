// Audio to video, in the portrait engine: from speech to motion latents.
#pragma once

#include <cstdint>

#include "core/pipeline/stage.h"
#include "core/portrait/motion_solver.h"
#include "core/stages/values.h"

namespace loquor::stages {

// Keeps the solver's state from chunk to chunk: the boundary data of this engine.
class MotionStage : public pipeline::Stage<ChunkContext, ChunkMotion>
{
public:
    MotionStage(std::uint64_t seed, Rational fps, portrait::Style style);
    const char* name() const override { return "motion"; }
    std::size_t memoryEstimate() const override { return 16u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, ChunkContext in,
                     const pipeline::Emit<ChunkMotion>& emit, const CancelToken& cancel) override;

private:
    portrait::MotionSolver m_solver;
};

} // namespace loquor::stages
