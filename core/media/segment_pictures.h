// The pictures of segments in the order of a video, decoded and scaled on threads of their own. Private to
// core/media.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/queue.h"
#include "core/media/ffmpeg_support.h"
#include "core/media/segments.h"

namespace loquor::media {

// Parts are dealt out to the threads in turn; each keeps a few pictures ready. The parts must outlive it. One
// thread at a time takes.
class SegmentPictures
{
public:
    // yuv420p of width x height, whatever the size of the segments. threads 0 = as many as pay beside the encoder. `trace`
    // may be null.
    SegmentPictures(const std::vector<SegmentPart>& parts, int width, int height, int threads, Trace* trace,
                    CancelToken cancel);
    ~SegmentPictures(); // does not wait for pictures that nobody will take
    SegmentPictures(const SegmentPictures&) = delete;
    SegmentPictures& operator=(const SegmentPictures&) = delete;

    // The next picture of this part; parts from 0 on, each as often as it has frames. Blocks. Errors name the
    // segment; nothing follows them.
    Result<AvFramePtr> next(std::size_t part);

private:
    using Queue = BoundedQueue<Result<AvFramePtr>>;
    void work(std::size_t worker);
    void end(std::size_t worker, Result<> result);

    const std::vector<SegmentPart>& m_parts;
    const int m_width, m_height;
    Trace* const m_trace;
    const CancelToken m_cancel;
    std::vector<std::unique_ptr<Queue>> m_queues; // of each thread
    std::vector<std::thread> m_threads;
};

} // namespace loquor::media
