#include <algorithm>
#include <optional>

#include "core/media/segments.h"
#include "core/media/video_track.h"

namespace loquor::media {

struct SegmentWriter::Impl
{
    SegmentOptions options;
    std::unique_ptr<Mp4Muxer> muxer;
    std::optional<VideoTrack> video;
    bool isBroken = false;

    Result<> start(platform::AtomicFile file)
    {
        LQ_TRY(muxer, Mp4Muxer::create(std::move(file)));
        VideoCoding coding{options.width, options.height, options.fps, options.quality, options.preset};
        coding.keyInterval = kSegmentKeyInterval;
        coding.isSegment = true;
        LQ_TRY(video, VideoTrack::create(*muxer, coding, VideoTrack::Order::AsTheyCome));
        return muxer->writeHeader({.inFront = false});
    }

    Result<> add(const Image& rgb)
    {
        const FrameIndex number = video->encoder().framesIn();
        const auto& keys = options.keyFrames;
        return video->add(rgb, number == 0 || std::find(keys.begin(), keys.end(), number) != keys.end());
    }

    Result<SegmentSummary> finish()
    {
        LQ_CHECKED(video->finish());
        LQ_CHECKED(muxer->writeTrailer());
        SegmentSummary out;
        out.frames = video->encoder().framesOut();
        out.encoderCpuSeconds = video->encoder().cpuSeconds();
        out.conversionCpuSeconds = video->encoder().conversionCpuSeconds();
        LQ_TRY(out.bytes, muxer->commit());
        return out;
    }
};

SegmentWriter::SegmentWriter(std::unique_ptr<Impl> impl)
    : m(std::move(impl))
{
}
SegmentWriter::~SegmentWriter() = default;
SegmentWriter::SegmentWriter(SegmentWriter&&) noexcept = default;
SegmentWriter& SegmentWriter::operator=(SegmentWriter&&) noexcept = default;

Result<SegmentWriter> SegmentWriter::create(const std::filesystem::path& file, const SegmentOptions& options,
                                            platform::IfExists ifExists)
{
    LQ_CHECKED(checkCoding({options.width, options.height, options.fps, options.quality}));
    LQ_TRY(platform::AtomicFile target, platform::AtomicFile::create(file, ifExists));
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    LQ_CHECKED(impl->start(std::move(target)));
    return SegmentWriter(std::move(impl));
}

Result<> SegmentWriter::addFrame(const Image& rgb)
{
    if (m->isBroken)
        return fail(ErrorCode::Internal, "The chunk's video was given up after an error.");
    LQ_CHECKED(m->video->checkFits(rgb));
    auto result = m->add(rgb);
    if (!result) {
        m->isBroken = true;
        m->muxer->file().discard();
    }
    return result;
}

std::int64_t SegmentWriter::framesAdded() const
{
    return m->video->encoder().framesIn();
}

std::int64_t SegmentWriter::framesEncoded() const
{
    return m->video->encoder().framesOut();
}

Result<SegmentSummary> SegmentWriter::finish()
{
    if (m->isBroken)
        return fail(ErrorCode::Internal, "The chunk's video was given up after an error.");
    auto summary = m->finish();
    m->isBroken = true; // nothing more can be added, whatever came of it
    if (!summary)
        m->muxer->file().discard();
    return summary;
}

} // namespace loquor::media
