// First stage of the chunk loop: the speech around a chunk.
#pragma once

#include <memory>

#include "core/pipeline/stage.h"
#include "core/stages/context_reach.h"
#include "core/stages/speech_track.h"
#include "core/stages/values.h"

namespace loquor::stages {

// Waits until the track holds the chunk and what lies ahead of it.
class ContextStage : public pipeline::Stage<pipeline::ChunkSpec, ChunkContext>
{
public:
    ContextStage(std::shared_ptr<SpeechTrack> track, Rational fps, ContextReach reach);
    const char* name() const override { return "context"; }
    std::size_t memoryEstimate() const override { return 16u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, pipeline::ChunkSpec in,
                     const pipeline::Emit<ChunkContext>& emit, const CancelToken& cancel) override;

private:
    std::shared_ptr<SpeechTrack> m_track;
    Rational m_fps;
    ContextReach m_reach;
};

} // namespace loquor::stages
