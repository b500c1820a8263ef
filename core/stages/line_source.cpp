#include "core/stages/line_source.h"

namespace loquor::stages {

LineSource::LineSource(std::shared_ptr<SpeechTrack> track, Rational fps, pipeline::ChunkNumbers numbers,
                       std::uint64_t seed)
    : m_track(std::move(track)), m_plan(fps, m_track->sampleRate(), numbers, seed)
{
}

Result<std::optional<pipeline::ChunkSpec>> LineSource::next(const CancelToken& cancel)
{
    for (;;) {
        if (auto chunk = m_plan.next())
            return chunk;
        if (m_plan.isFinished())
            return std::nullopt;
        LQ_TRY(const std::optional<pipeline::LineSpec> line, m_track->nextLine(cancel));
        if (!line)
            return fail(ErrorCode::Internal, "The speech ended without a last line.");
        LQ_CHECKED(m_plan.addLine(*line));
    }
}

} // namespace loquor::stages
