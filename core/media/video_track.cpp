#include "core/media/video_track.h"

#include "core/platform/paths.h"

namespace loquor::media {

Result<VideoTrack> VideoTrack::create(Mp4Muxer& muxer, const VideoCoding& coding, Order order)
{
    VideoTrack out(muxer, order);
    LQ_TRY(out.m_encoder, H264Encoder::create(coding, muxer.needsGlobalHeader()));
    LQ_TRY(out.m_stream, muxer.addStream(out.m_encoder->context()));
    return out;
}

PacketSink VideoTrack::sink()
{
    return [this](AVPacket& packet) -> Result<> {
        if (m_beforeEach)
            LQ_CHECKED(m_beforeEach(m_encoder->framesOut()));
        const AVRational timeBase = m_encoder->context().time_base;
        return m_order == Order::Sorted ? m_muxer->write(packet, *m_stream, timeBase)
                                        : m_muxer->writeNow(packet, *m_stream, timeBase);
    };
}

Result<> VideoTrack::checkFits(const Image& rgb) const
{
    const AVCodecContext& context = m_encoder->context();
    if (rgb.channels == 3 && rgb.width == context.width && rgb.height == context.height)
        return {};
    return fail(ErrorCode::InvalidArgument, "A picture of " + std::to_string(rgb.width) + "x" +
                                                std::to_string(rgb.height) + " does not fit a video of " +
                                                std::to_string(context.width) + "x" + std::to_string(context.height) +
                                                ".");
}

Result<> VideoTrack::add(const Image& rgb, bool asKey)
{
    return m_encoder->encode(&rgb, sink(), asKey);
}

Result<> VideoTrack::add(AVFrame& frame)
{
    return m_encoder->encodeYuv(frame, sink());
}

Result<> VideoTrack::finish()
{
    if (m_encoder->framesIn() == 0)
        return fail(ErrorCode::EmptyInput,
                    "There are no pictures to write to " + platform::quotedPath(m_muxer->file().path()) + ".");
    return m_encoder->encode(nullptr, sink());
}

} // namespace loquor::media
