// Audio to video, in the portrait engine: from speech to motion latents.
#pragma once

#include <cstdint>
#include <optional>

#include "core/pipeline/stage.h"
#include "core/portrait/motion_solver.h"
#include "core/stages/values.h"

namespace loquor::stages {

// Keeps the solver's state from chunk to chunk: the boundary data of this engine. The solver's time runs on
// from line to line, so that the motion does; chunks of a project run count from the start of their line.
class MotionStage : public pipeline::Stage<ChunkContext, ChunkMotion>
{
public:
    // One run of lines that all have the same seed and style.
    MotionStage(std::uint64_t seed, Rational fps, portrait::Style style);
    // A project run: lines bring their own.
    explicit MotionStage(Rational fps);
    const char* name() const override { return "motion"; }
    std::size_t memoryEstimate() const override { return 16u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, ChunkContext in,
                     const pipeline::Emit<ChunkMotion>& emit, const CancelToken& cancel) override;

private:
    Result<void> startTask(const LineTask& line, const pipeline::ChunkSpec& chunk, ChunkMotion& out);
    Result<void> solve(const pipeline::ChunkSpec& chunk, ChunkContext& in, ChunkMotion& out);

    const Rational m_fps;
    std::optional<portrait::MotionSolver> m_solver;
    FrameIndex m_origin = 0;   // the solver's number of frame 0 of the line
    bool m_lineEnded = false;  // the solver stands at the end of a line
};

} // namespace loquor::stages
