#include "core/stages/context_stage.h"

#include <algorithm>

namespace loquor::stages {

ContextStage::ContextStage(std::shared_ptr<SpeechTrack> track, Rational fps, ContextReach reach)
    : m_track(std::move(track)), m_fps(fps), m_reach(reach)
{
}

Result<void> ContextStage::run(const pipeline::ChunkSpec& chunk, pipeline::ChunkSpec,
                               const pipeline::Emit<ChunkContext>& emit, const CancelToken& cancel)
{
    const double start = secondsOf(chunk.firstFrame, m_fps);
    const double end = secondsOf(chunk.firstFrame + chunk.frames, m_fps);
    ChunkContext context;
    // A little more than asked for: frame times and sample times round differently.
    const double slack = 0.05;
    LQ_TRY(context.window, m_track->window(std::max(0.0, start - m_reach.behindSeconds - slack),
                                           end + m_reach.aheadSeconds + slack, cancel));
    context.audio = m_track->audio(chunk.firstSample, chunk.samples);
    m_track->forgetBefore(end - m_reach.behindSeconds - 2 * slack);
    return emit(std::move(context)) ? Result<void>{} : cancelled();
}

} // namespace loquor::stages
