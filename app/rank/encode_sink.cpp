#include "app/rank/encode_sink.h"

#include <utility>

namespace loquor::rank {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kReportEvery{100};

double secondsBetween(Clock::time_point from, Clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

} // namespace

EncodeSink::EncodeSink(comm::JobId job, media::Mp4Writer writer, std::shared_ptr<stages::SpeechTrack> captions, comm::FrameRing* ring,
                       std::shared_ptr<stages::MotionSpool> spool, Tell tell, WorkCounter& work,
                       Clock::time_point started)
    : m_job(job), m_writer(std::move(writer)), m_captions(std::move(captions)), m_ring(ring), m_spool(std::move(spool)),
      m_tell(std::move(tell)), m_work(work), m_started(started), m_lastReport(started), m_lastChunk(started)
{
}

Result<void> EncodeSink::addAudio(const AudioBlock& audio)
{
    if (audio.samples.empty())
        return {};
    m_samples += audio.frames();
    return m_writer.addAudio(audio.samples.data(), audio.frames());
}

Result<void> EncodeSink::consume(const pipeline::ChunkSpec&, stages::FrameGroup in, const CancelToken& cancel)
{
    LQ_CHECKED(addAudio(in.audio));
    if (m_captions) // lines come whole before their first picture is drawn
        m_writer.addCaptions(m_captions->takeCaptions());
    for (const FramePtr& frame : in.frames) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_CHECKED(m_writer.addFrame(frame->image));
        if (m_ring)
            m_ring->write(*frame);
        ++m_work;
    }
    m_lipGap.insert(m_lipGap.end(), in.lipGap.begin(), in.lipGap.end());
    if (m_spool)
        LQ_CHECKED(m_spool->append(in.motion));
    const bool first = m_firstFrameSeconds <= 0 && m_writer.framesEncoded() > 0;
    if (first)
        m_firstFrameSeconds = secondsBetween(m_started, Clock::now());
    report("render", first);
    return {};
}

Result<void> EncodeSink::endChunk(const pipeline::ChunkSpec& chunk)
{
    const auto now = Clock::now();
    pipeline::ChunkReport done;
    done.kind = pipeline::toString(chunk.kind);
    done.index = chunk.index;
    done.line = chunk.line;
    done.frames = chunk.frames;
    done.seconds = secondsBetween(m_lastChunk, now);
    m_lastChunk = now;
    m_tell(comm::ChunkDone{m_job, std::move(done), std::exchange(m_lipGap, {})});
    report("render", true);
    return {};
}

Result<void> EncodeSink::endRun()
{
    report("finish", true);
    LQ_TRY(m_summary, m_writer.finish());
    if (m_firstFrameSeconds <= 0) // a run shorter than the encoder's own delay
        m_firstFrameSeconds = secondsBetween(m_started, Clock::now());
    return {};
}

void EncodeSink::report(const char* activity, bool now)
{
    const auto time = Clock::now();
    if (!now && time - m_lastReport < kReportEvery)
        return;
    m_lastReport = time;
    m_tell(comm::JobProgress{m_job, activity, m_writer.framesAdded(), m_samples});
}

} // namespace loquor::rank
