// The end of the chain in a project run: every chunk becomes a folder of finished files.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/rank/job_context.h"
#include "core/comm/frame_ring.h"
#include "core/media/segments.h"
#include "core/pipeline/stage.h"
#include "core/stages/task_queue.h"
#include "core/stages/values.h"

namespace loquor::rank {

struct SegmentSinkOptions
{
    comm::JobId job = 0;
    std::filesystem::path staging; // chunks are made in folders below it
    int width = 0, height = 0;
    Rational fps{25, 1};
    pipeline::JoinNumbers joins;
    std::chrono::steady_clock::time_point started;
    std::int64_t firstIndex = 0; // number of the first frame in the ring
};

// video.mp4 with key frames where joins begin and end, boundary.bin of N chunks; ChunkMade for each.
class SegmentSink : public pipeline::Sink<stages::FrameGroup>
{
public:
    // `ring` may be null.
    SegmentSink(SegmentSinkOptions options, std::shared_ptr<stages::TaskFaults> faults, comm::FrameRing* ring,
                Tell tell, WorkCounter& work);

    const char* name() const override { return "encode"; }
    std::size_t memoryEstimate() const override { return 200u << 20; }
    Result<void> consume(const pipeline::ChunkSpec& chunk, stages::FrameGroup in,
                         const CancelToken& cancel) override;
    Result<void> endChunk(const pipeline::ChunkSpec& chunk) override;
    Result<void> endRun() override { return {}; }

    double encoderCpuSeconds() const { return m_encoderCpuSeconds; }
    // Nothing has come so far.
    bool isEmpty() const { return m_folders == 0; }

private:
    Result<void> openSegment(const pipeline::ChunkSpec& chunk);
    void tellFirstFrame();

    const SegmentSinkOptions m_options;
    const std::shared_ptr<stages::TaskFaults> m_faults;
    comm::FrameRing* const m_ring;
    const Tell m_tell;
    WorkCounter& m_work;
    std::optional<media::SegmentWriter> m_writer; // of the chunk in the making
    std::filesystem::path m_folder;
    std::vector<std::byte> m_boundary;
    std::chrono::steady_clock::time_point m_chunkStarted;
    int m_folders = 0;
    std::int64_t m_nextIndex; // number of the next frame in the ring
    double m_firstFrameSeconds = 0, m_encoderCpuSeconds = 0;
};

} // namespace loquor::rank
