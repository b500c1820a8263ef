#include "core/media/video_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/media/display_shape.h"
#include "core/media/image_ops.h"
#include "core/media/rgb_converter.h"
#include "core/media/stream_decoder.h"

namespace loquor::media {

namespace {

using std::chrono::nanoseconds;

// Timestamps of many containers are rounded to a millisecond.
constexpr nanoseconds kRounding = std::chrono::microseconds(600);

} // namespace

struct VideoReader::Impl
{
    std::filesystem::path file;
    VideoReadOptions options;
    std::unique_ptr<Demuxer> demuxer;
    AVStream* stream = nullptr;
    StreamDecoder decoder;
    VideoFacts facts;
    DisplayShape shape;
    RgbConverter converter;
    std::vector<std::string> warnings;
    AvFramePtr ahead = makeFrame(); // the next frame to deliver, when hasAhead
    AvFramePtr kept = makeFrame();  // set aside by keep()
    nanoseconds aheadTime{0}, keptTime{0};
    nanoseconds lastEnd{0}; // end of the latest decoded frame
    nanoseconds nominal{0}; // length of a frame at the average rate
    bool hasAhead = false, isAtEnd = false, isDamageTold = false;
    std::int64_t decodedCount = 0;

    nanoseconds fileStart() const
    {
        const std::int64_t start = demuxer->context()->start_time;
        return start == AV_NOPTS_VALUE ? nanoseconds(0) : nanoseconds(start * 1000);
    }

    nanoseconds timeOf(const AVFrame& frame) const
    {
        if (frame.best_effort_timestamp == AV_NOPTS_VALUE)
            return decodedCount == 0 ? nanoseconds(0) : lastEnd;
        return nanoseconds(av_rescale_q(frame.best_effort_timestamp, stream->time_base,
                                        {1, 1'000'000'000})) -
               fileStart();
    }

    // Makes sure that `ahead` holds the next frame; false at the end.
    Result<bool> lookAhead()
    {
        if (hasAhead || isAtEnd)
            return hasAhead;
        LQ_TRY(hasAhead, decoder.next(*ahead));
        isAtEnd = !hasAhead;
        if (decoder.damaged() > 0 && !std::exchange(isDamageTold, true))
            warnings.push_back("Parts of the video are damaged and were left out.");
        if (!hasAhead)
            return false;
        aheadTime = timeOf(*ahead);
        const nanoseconds length =
            ahead->pkt_duration > 0
                ? nanoseconds(av_rescale_q(ahead->pkt_duration, stream->time_base, {1, 1'000'000'000}))
                : nominal;
        lastEnd = aheadTime + length;
        ++decodedCount;
        return true;
    }

    void drop()
    {
        av_frame_unref(ahead.get());
        hasAhead = false;
    }

    // Sets the next frame aside unconverted: of many frames on the way only one is turned into RGB.
    void keep()
    {
        av_frame_unref(kept.get());
        av_frame_move_ref(kept.get(), ahead.get());
        keptTime = aheadTime;
        hasAhead = false;
    }

    Result<TimedFrame> converted(const AVFrame& frame, nanoseconds time)
    {
        TimedFrame out;
        out.time = time;
        LQ_TRY(Image image, converter.convert(frame));
        out.image = oriented(std::move(image), shape.orientation);
        return out;
    }

    // To the key frame at or before the time, or to the beginning where the file knows no times.
    Result<> seek(nanoseconds time)
    {
        const std::int64_t stamp =
            av_rescale_q((time + fileStart()).count(), {1, 1'000'000'000}, stream->time_base);
        const bool knowsTimes = (demuxer->context()->iformat->flags & AVFMT_NOTIMESTAMPS) == 0;
        drop();
        isAtEnd = false;
        if (knowsTimes &&
            av_seek_frame(demuxer->context(), stream->index, stamp, AVSEEK_FLAG_BACKWARD) >= 0) {
            decoder.restart();
            return {};
        }
        decodedCount = 0;
        LQ_TRY(demuxer, Demuxer::open(file));
        return openStream();
    }

    Result<> openStream()
    {
        stream = nullptr;
        AVFormatContext& context = *demuxer->context();
        for (unsigned int i = 0; i < context.nb_streams; ++i) {
            AVStream* candidate = context.streams[i];
            const bool isPicture = candidate->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
                                   (candidate->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
            if (isPicture && stream == nullptr)
                stream = candidate;
            else
                candidate->discard = AVDISCARD_ALL;
        }
        if (stream == nullptr)
            return fail(ErrorCode::Unsupported,
                        "There is no picture in " + demuxer->shownName() + ".");
        return decoder.open(*demuxer, *stream, options.threads, "video");
    }

    Result<> open()
    {
        LQ_CHECKED(openStream());
        if (stream->avg_frame_rate.num > 0)
            nominal = nanoseconds(1'000'000'000LL * stream->avg_frame_rate.den /
                                  stream->avg_frame_rate.num);
        LQ_TRY(const bool hasFrame, lookAhead());
        if (!hasFrame && decoder.damaged() > 0)
            return fail(decoder.lastError());
        if (!hasFrame)
            return fail(ErrorCode::EmptyInput,
                        "The video in " + demuxer->shownName() + " holds no frame.");
        shape = displayShape(*demuxer->context(), *stream);
        setSize();
        describe();
        return {};
    }

    void setSize()
    {
        int width = shape.uprightWidth, height = shape.uprightHeight;
        const double pixels = static_cast<double>(width) * height;
        if (pixels > static_cast<double>(options.maxPixels)) {
            const double scale = std::sqrt(static_cast<double>(options.maxPixels) / pixels);
            warnings.push_back("The video has " + std::to_string(shape.width) + "x" +
                               std::to_string(shape.height) + " pixels; it is scaled down.");
            width = std::max(1, static_cast<int>(width * scale));
            height = std::max(1, static_cast<int>(height * scale));
        }
        shape.uprightWidth = width;
        shape.uprightHeight = height;
        converter.configure(options, width, height);
    }

    void describe()
    {
        if (facts.hasAlpha)
            warnings.push_back("Transparent parts of the video show the background colour.");
        if (facts.isHdr)
            warnings.push_back("The video is HDR; its colours will look pale here.");
    }
};

VideoReader::VideoReader(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

Result<VideoReader> VideoReader::open(const std::filesystem::path& file,
                                      const VideoReadOptions& options)
{
    LOQUOR_CHECK(options.maxPixels > 0 && options.threads >= 0);
    LQ_TRY(const MediaFacts facts, probeMedia(file, ProbeDepth::Headers));
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->options = options;
    LQ_TRY(impl->demuxer, Demuxer::open(file));
    if (facts.video)
        impl->facts = *facts.video;
    LQ_CHECKED(impl->open());
    return VideoReader(std::move(impl));
}

const VideoFacts& VideoReader::facts() const
{
    return m->facts;
}

int VideoReader::width() const
{
    return m->shape.orientation >= 5 ? m->shape.uprightHeight : m->shape.uprightWidth;
}

int VideoReader::height() const
{
    return m->shape.orientation >= 5 ? m->shape.uprightWidth : m->shape.uprightHeight;
}

const std::vector<std::string>& VideoReader::warnings() const
{
    return m->warnings;
}

Result<std::optional<TimedFrame>> VideoReader::next()
{
    LQ_TRY(const bool more, m->lookAhead());
    if (!more)
        return std::optional<TimedFrame>();
    LQ_TRY(TimedFrame frame, m->converted(*m->ahead, m->aheadTime));
    m->drop();
    return std::optional<TimedFrame>(std::move(frame));
}

Result<bool> VideoReader::skip()
{
    LQ_TRY(const bool more, m->lookAhead());
    m->drop();
    return more;
}

Result<TimedFrame> VideoReader::frameAt(double seconds)
{
    const nanoseconds wanted(static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0) * 1e9)));
    LQ_CHECKED(m->seek(wanted));
    LQ_TRY(bool more, m->lookAhead());
    // Some indexes point behind the time asked for: then from the start.
    if ((!more || m->aheadTime > wanted + kRounding) && wanted > nanoseconds(0)) {
        LQ_CHECKED(m->seek(nanoseconds(0)));
        LQ_TRY(more, m->lookAhead());
    }
    if (!more)
        return fail(m->decoder.lastError());
    do {
        m->keep();
        LQ_TRY(more, m->lookAhead());
    } while (more && m->aheadTime <= wanted + kRounding);
    return m->converted(*m->kept, m->keptTime);
}

ConstantRateReader::ConstantRateReader(VideoReader reader, Rational fps)
    : m_reader(std::move(reader)), m_fps(fps)
{
    LOQUOR_CHECK(fps.num > 0 && fps.den > 0);
}

Result<std::optional<FramePtr>> ConstantRateReader::next()
{
    VideoReader::Impl& source = *m_reader.m;
    const nanoseconds due(mulDivRound(m_next, 1'000'000'000LL * m_fps.den, m_fps.num));
    FrameIndex passed = 0;
    LQ_TRY(bool more, source.lookAhead());
    while (more && (source.aheadTime <= due + kRounding || (m_next == 0 && passed == 0))) {
        source.keep();
        ++passed;
        LQ_TRY(more, source.lookAhead());
    }
    if (!more && m_next > 0 && due + kRounding >= source.lastEnd)
        return std::optional<FramePtr>();
    if (passed > 0) {
        m_leftOut += passed - 1;
        LQ_TRY(TimedFrame newest, source.converted(*source.kept, source.keptTime));
        auto frame = std::make_shared<VideoFrame>();
        frame->image = std::move(newest.image);
        frame->index = m_next;
        m_current = std::move(frame);
    } else {
        ++m_repeated;
    }
    ++m_next;
    return std::optional<FramePtr>(m_current);
}

} // namespace loquor::media
