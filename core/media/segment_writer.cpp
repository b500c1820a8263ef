#include <algorithm>
#include <optional>

#include <sys/stat.h>

#include "core/media/mp4_encoders.h"
#include "core/media/segments.h"
#include "core/platform/paths.h"

namespace loquor::media {

struct SegmentWriter::Impl
{
    SegmentOptions options;
    std::unique_ptr<Mp4Muxer> muxer;
    std::optional<H264Encoder> video;
    AVStream* stream = nullptr;
    bool isBroken = false;

    Result<> start(platform::AtomicFile file)
    {
        LQ_TRY(muxer, Mp4Muxer::create(std::move(file)));
        VideoCoding coding{options.width, options.height, options.fps, options.quality, options.preset};
        coding.keyInterval = kSegmentKeyInterval;
        coding.isSegment = true;
        LQ_TRY(video, H264Encoder::create(coding, muxer->needsGlobalHeader()));
        LQ_TRY(stream, muxer->addStream(video->context()));
        return muxer->writeHeader({.inFront = false});
    }

    PacketSink sink()
    {
        return [this](AVPacket& packet) { return muxer->writeNow(packet, *stream, video->context().time_base); };
    }

    Result<> add(const Image& rgb)
    {
        const FrameIndex number = video->framesIn();
        const auto& keys = options.keyFrames;
        const bool isKey = number == 0 || std::find(keys.begin(), keys.end(), number) != keys.end();
        return video->encode(&rgb, sink(), isKey);
    }

    Result<SegmentSummary> finish()
    {
        if (video->framesIn() == 0)
            return fail(ErrorCode::EmptyInput, "There are no pictures to write to " +
                                                   platform::quotedPath(muxer->file().path()) + ".");
        LQ_CHECKED(video->encode(nullptr, sink()));
        LQ_CHECKED(muxer->writeTrailer());
        SegmentSummary out;
        out.frames = video->framesOut();
        out.encoderCpuSeconds = video->cpuSeconds();
        out.conversionCpuSeconds = video->conversionCpuSeconds();
        struct stat info{};
        if (::fstat(muxer->file().fd(), &info) == 0)
            out.bytes = static_cast<std::uint64_t>(info.st_size);
        LQ_CHECKED(muxer->file().commit());
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
    if (rgb.channels != 3 || rgb.width != m->options.width || rgb.height != m->options.height)
        return fail(ErrorCode::InvalidArgument, "A picture of " + std::to_string(rgb.width) + "x" +
                                                    std::to_string(rgb.height) + " does not fit a video of " +
                                                    std::to_string(m->options.width) + "x" +
                                                    std::to_string(m->options.height) + ".");
    auto result = m->add(rgb);
    if (!result) {
        m->isBroken = true;
        m->muxer->file().discard();
    }
    return result;
}

std::int64_t SegmentWriter::framesAdded() const
{
    return m->video->framesIn();
}

std::int64_t SegmentWriter::framesEncoded() const
{
    return m->video->framesOut();
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
