// The stages of a project run, put together once for everybody who runs them.
#pragma once

#include <memory>

#include "core/pipeline/pipeline.h"
#include "core/stages/decode_stage.h"
#include "core/stages/line_context_stage.h"
#include "core/stages/motion_stage.h"
#include "core/stages/picture_gate.h"
#include "core/stages/refinement_stage.h"
#include "core/stages/task_queue.h"

namespace loquor::stages {

using FrameStage = pipeline::Stage<FrameGroup, FrameGroup>;

// Tasks in, frames out: N chunks with their boundary, I chunks without sound. A chunk of a failing task, or with
// broken pictures, ends without (all of) its frames; sinks ask `faults` before they keep one. `painter` draws
// frames of width x height. `behindDecode` may change the pictures before they are looked at; null: nobody does.
inline pipeline::Port<FrameGroup> addProjectStages(pipeline::Pipeline& chain, std::shared_ptr<TaskQueue> queue,
                                                   const std::shared_ptr<TaskFaults>& faults, ContextReach reach,
                                                   std::shared_ptr<FramePainter> painter, int width, int height,
                                                   std::shared_ptr<FrameStage> behindDecode = nullptr)
{
    const Rational fps = queue->shape().fps;
    const QueueLimits few{2, 0, std::chrono::microseconds{0}};
    auto chunks = chain.from("plan", std::make_shared<TaskSource>(queue, reach));
    auto context = chain.then<pipeline::ChunkSpec, ChunkContext>(
        chunks, std::make_shared<LineContextStage>(queue, reach), few);
    const auto ofTask = [&faults]<class In, class Out>(std::shared_ptr<pipeline::Stage<In, Out>> stage) {
        return std::make_shared<TaskStage<In, Out>>(std::move(stage), faults);
    };
    using MotionIn = pipeline::Stage<ChunkContext, ChunkMotion>;
    using Refine = pipeline::Stage<ChunkMotion, ChunkMotion>;
    using Decode = pipeline::Stage<ChunkMotion, FrameGroup>;
    auto motion = chain.then<ChunkContext, ChunkMotion>(
        context, ofTask(std::shared_ptr<MotionIn>(std::make_shared<MotionStage>(fps))), few);
    auto refined = chain.then<ChunkMotion, ChunkMotion>(
        motion, ofTask(std::shared_ptr<Refine>(std::make_shared<RefinementStage>(fps))), few);
    auto frames = chain.then<ChunkMotion, FrameGroup>(
        refined, ofTask(std::shared_ptr<Decode>(std::make_shared<DecodeStage>(std::move(painter), width, height))), few);
    if (behindDecode)
        frames = chain.then<FrameGroup, FrameGroup>(frames, std::move(behindDecode), few);
    return chain.then<FrameGroup, FrameGroup>(frames, ofTask(makePictureGate()), few);
}

} // namespace loquor::stages
