#include "app/rank/segment_sink.h"

#include <span>

#include "core/base/check.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::rank {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

SegmentSink::SegmentSink(SegmentSinkOptions options, std::shared_ptr<stages::TaskFaults> faults,
                         comm::FrameRing* ring, Tell tell, WorkCounter& work)
    : m_options(std::move(options)), m_faults(std::move(faults)), m_ring(ring), m_tell(std::move(tell)),
      m_work(work), m_chunkStarted(Clock::now()), m_nextIndex(m_options.firstIndex)
{
}

Result<void> SegmentSink::openSegment(const pipeline::ChunkSpec& chunk)
{
    m_folder = m_options.staging / ("c" + std::to_string(m_folders++));
    LQ_CHECKED(platform::makeFolder(m_folder));
    media::SegmentOptions options;
    options.width = m_options.width;
    options.height = m_options.height;
    options.fps = m_options.fps;
    // Any line may get a neighbour at its left one day, and then begins behind the join.
    const int join = chunk.kind == pipeline::ChunkKind::N && chunk.indexInLine == 0
                         ? pipeline::joinLength(chunk, m_options.joins)
                         : 0;
    if (join > 0)
        options.keyFrames.push_back(join);
    LQ_TRY(m_writer, media::SegmentWriter::create(m_folder / "video.mp4", options));
    if (m_ring)
        m_tell(comm::ChunkBegun{m_options.job, chunk.task, chunk.frameInLine, m_nextIndex});
    return {};
}

Result<void> SegmentSink::consume(const pipeline::ChunkSpec& chunk, stages::FrameGroup in,
                                  const CancelToken& cancel)
{
    if (m_faults->has(chunk))
        return {};
    if (!m_writer)
        LQ_CHECKED(openSegment(chunk));
    LOQUOR_CHECK(m_writer, "the segment is open");
    for (const FramePtr& frame : in.frames) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_CHECKED(m_writer->addFrame(frame->image));
        if (m_ring)
            m_ring->write(frame->image, m_nextIndex);
        ++m_nextIndex;
        ++m_work;
    }
    if (!in.boundary.empty())
        m_boundary = std::move(in.boundary);
    if (m_firstFrameSeconds <= 0 && m_writer->framesEncoded() > 0)
        tellFirstFrame();
    return {};
}

void SegmentSink::tellFirstFrame()
{
    m_firstFrameSeconds = secondsSince(m_options.started);
    m_tell(comm::JobProgress{m_options.job, "render", 1, 0});
}

Result<void> SegmentSink::endChunk(const pipeline::ChunkSpec& chunk)
{
    if (!m_writer || m_faults->has(chunk)) {
        m_writer.reset();
        return {};
    }
    LQ_TRY(const media::SegmentSummary summary, m_writer->finish());
    m_writer.reset();
    m_encoderCpuSeconds += summary.encoderCpuSeconds;
    if (m_firstFrameSeconds <= 0)
        tellFirstFrame();
    if (chunk.kind == pipeline::ChunkKind::N) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(m_boundary.data());
        LQ_CHECKED(platform::writeFile(m_folder / "boundary.bin", std::span(bytes, m_boundary.size())));
        m_boundary.clear();
    }
    comm::ChunkMade made;
    made.job = m_options.job;
    made.task = chunk.task;
    made.chunk.kind = pipeline::toString(chunk.kind);
    made.chunk.index = chunk.index;
    made.chunk.line = chunk.line;
    made.chunk.frames = static_cast<int>(summary.frames);
    made.chunk.seconds = secondsSince(m_chunkStarted);
    made.indexInLine = chunk.indexInLine;
    made.folder = m_folder;
    made.firstFrameSeconds = m_firstFrameSeconds;
    m_chunkStarted = Clock::now();
    m_tell(made);
    return {};
}

} // namespace loquor::rank
