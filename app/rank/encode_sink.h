// The end of the chain: encoder, preview, progress.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "app/rank/job_context.h"
#include "core/comm/frame_ring.h"
#include "core/media/mp4_writer.h"
#include "core/pipeline/stage.h"
#include "core/stages/motion_spool.h"
#include "core/stages/speech_track.h"
#include "core/stages/values.h"

namespace loquor::rank {

class EncodeSink : public pipeline::Sink<stages::FrameGroup>
{
public:
    // `ring` and `spool` may be null; `spool` gets the motion of every frame that was delivered. `captions`: where those of the
    // lines come from, which are drawn into the file; null: there are none.
    EncodeSink(comm::JobId job, media::Mp4Writer writer, std::shared_ptr<stages::SpeechTrack> captions, comm::FrameRing* ring,
               std::shared_ptr<stages::MotionSpool> spool, Tell tell, WorkCounter& work,
               std::chrono::steady_clock::time_point started);

    const char* name() const override { return "encode"; }
    std::size_t memoryEstimate() const override { return 200u << 20; }
    Result<void> consume(const pipeline::ChunkSpec& chunk, stages::FrameGroup in,
                         const CancelToken& cancel) override;
    Result<void> endChunk(const pipeline::ChunkSpec& chunk) override;
    Result<void> endRun() override;

    // After a successful run.
    const media::Mp4Summary& summary() const { return m_summary; }
    double firstFrameSeconds() const { return m_firstFrameSeconds; }

private:
    Result<void> addAudio(const AudioBlock& audio);
    void report(const char* activity, bool now);

    const comm::JobId m_job;
    media::Mp4Writer m_writer;
    const std::shared_ptr<stages::SpeechTrack> m_captions;
    comm::FrameRing* const m_ring;
    std::shared_ptr<stages::MotionSpool> m_spool;
    const Tell m_tell;
    WorkCounter& m_work;
    const std::chrono::steady_clock::time_point m_started;
    std::chrono::steady_clock::time_point m_lastReport, m_lastChunk;
    double m_firstFrameSeconds = 0;
    SampleIndex m_samples = 0;
    std::vector<float> m_lipGap; // of the chunk so far
    media::Mp4Summary m_summary;
};

} // namespace loquor::rank
