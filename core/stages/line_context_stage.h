// First stage of a project run: the speech around a chunk of a line.
#pragma once

#include <memory>

#include "core/pipeline/stage.h"
#include "core/stages/context_reach.h"
#include "core/stages/task_queue.h"
#include "core/stages/values.h"

namespace loquor::stages {

// [from, to] seconds of a line, mixed to mono: silence beyond its ends, unless its context says otherwise.
portrait::SpeechWindow lineWindow(const LineTask& line, double from, double to);

// Seconds of its line up to which the window of a chunk reaches.
double windowEnd(const pipeline::ChunkSpec& chunk, Rational fps, ContextReach reach);

// Looks the chunk's task up; the last chunk of a task releases it. Times stay those of the line.
class LineContextStage : public pipeline::Stage<pipeline::ChunkSpec, ChunkContext>
{
public:
    LineContextStage(std::shared_ptr<TaskQueue> queue, ContextReach reach);
    const char* name() const override { return "context"; }
    std::size_t memoryEstimate() const override { return 16u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, pipeline::ChunkSpec in,
                     const pipeline::Emit<ChunkContext>& emit, const CancelToken& cancel) override;

private:
    ChunkContext lineContext(const pipeline::ChunkSpec& chunk);

    std::shared_ptr<TaskQueue> m_queue;
    const ContextReach m_reach;
};

} // namespace loquor::stages
