// Cuts the lines of a speech track into chunks.
#pragma once

#include <memory>

#include "core/pipeline/stage.h"
#include "core/stages/speech_track.h"

namespace loquor::stages {

// The plan of a run: waits for lines, gives chunks in order.
class LineSource : public pipeline::ChunkSource
{
public:
    LineSource(std::shared_ptr<SpeechTrack> track, Rational fps, pipeline::ChunkNumbers numbers,
               std::uint64_t seed);
    Result<std::optional<pipeline::ChunkSpec>> next(const CancelToken& cancel) override;

private:
    std::shared_ptr<SpeechTrack> m_track;
    pipeline::ChunkPlan m_plan;
};

} // namespace loquor::stages
