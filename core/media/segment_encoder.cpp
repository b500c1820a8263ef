#include "core/media/segment_export.h"
#include "core/media/segment_file.h"

namespace loquor::media {

namespace {

// Decodes parts, scales where sizes differ, encodes. Pictures stay YUV all the way.
class Transcoder
{
public:
    Transcoder(SegmentExport& target, const ExportOptions& options)
        : m_target(target), m_options(options)
    {
    }

    Result<> start(const std::vector<SegmentPart>& parts)
    {
        LQ_TRY(m_encoder, H264Encoder::create(codingOf(m_options.video), m_target.muxer().needsGlobalHeader()));
        LQ_TRY(AVStream * stream, m_target.muxer().addStream(m_encoder->context()));
        m_target.setVideoStream(stream);
        return m_target.start(parts);
    }

    Result<> encode(const SegmentPart& part, const CancelToken& cancel)
    {
        LQ_TRY(SegmentFile file, SegmentFile::open(part.file));
        LQ_CHECKED(file.checkPart(part));
        LQ_CHECKED(prepareDecoder(file));
        LQ_CHECKED(m_target.writeUntil(m_encoder->framesIn() + part.frames));
        const FrameIndex end = part.fromFrame + part.frames;
        FrameIndex number = 0;
        for (; number < end; ++number) {
            if (cancel.isCancelled())
                return cancelled();
            av_packet_unref(m_packet.get());
            LQ_TRY(const bool more, file.next(*m_packet));
            if (!more)
                break;
            const int sent = avcodec_send_packet(m_decoder.get(), m_packet.get());
            if (sent < 0 || avcodec_receive_frame(m_decoder.get(), m_decoded.get()) < 0)
                return fail(file.damage("cannot be decoded at frame " + std::to_string(number)));
            if (number >= part.fromFrame)
                LQ_CHECKED(pass(*m_decoded));
        }
        if (number < end)
            return fail(file.damage("has " + std::to_string(number) + " of " + std::to_string(end) + " frames"));
        return {};
    }

    Result<> drain() { return m_encoder->encode(nullptr, sink()); }
    const H264Encoder& encoder() const { return *m_encoder; }

private:
    // One decoder for all parts with the same parameter sets: it keeps its memory.
    Result<> prepareDecoder(const SegmentFile& file)
    {
        const AVCodecParameters& p = *file.stream().codecpar;
        std::vector<std::uint8_t> sets(p.extradata, p.extradata + p.extradata_size);
        if (m_decoder && sets == m_sets) {
            avcodec_flush_buffers(m_decoder.get());
            return {};
        }
        m_sets = std::move(sets);
        LQ_TRY(m_decoder, openDecoder(file.stream(), 1, file.shownName()));
        return {};
    }

    PacketSink sink()
    {
        return [this](AVPacket& packet) {
            return m_target.muxer().writeNow(packet, m_target.videoStream(), m_encoder->context().time_base);
        };
    }

    Result<> pass(AVFrame& frame)
    {
        if (frame.width == m_options.video.width && frame.height == m_options.video.height)
            return m_encoder->encodeYuv(frame, sink());
        LQ_CHECKED(scale(frame));
        return m_encoder->encodeYuv(*m_scaled, sink());
    }

    Result<> scale(const AVFrame& frame)
    {
        const Mp4Options& video = m_options.video;
        if (!m_scaler || m_fromWidth != frame.width || m_fromHeight != frame.height) {
            m_scaler.reset(sws_getContext(frame.width, frame.height, AV_PIX_FMT_YUV420P, video.width, video.height,
                                          AV_PIX_FMT_YUV420P, SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
            if (!m_scaler)
                return fail(ErrorCode::Unsupported, "The pictures cannot be scaled to " + std::to_string(video.width) +
                                                        "x" + std::to_string(video.height) + ".");
            m_fromWidth = frame.width;
            m_fromHeight = frame.height;
        }
        av_frame_unref(m_scaled.get());
        m_scaled->format = AV_PIX_FMT_YUV420P;
        m_scaled->width = video.width;
        m_scaled->height = video.height;
        if (const int code = av_frame_get_buffer(m_scaled.get(), 0); code < 0)
            return fail(avError(code, "Cannot scale the picture"));
        sws_scale(m_scaler.get(), frame.data, frame.linesize, 0, frame.height, m_scaled->data, m_scaled->linesize);
        return {};
    }

    SegmentExport& m_target;
    const ExportOptions& m_options;
    std::optional<H264Encoder> m_encoder;
    CodecPtr m_decoder;
    std::vector<std::uint8_t> m_sets; // SPS and PPS that it was opened with
    PacketPtr m_packet = makePacket();
    AvFramePtr m_decoded = makeFrame(), m_scaled = makeFrame();
    SwsPtr m_scaler;
    int m_fromWidth = 0, m_fromHeight = 0;
};

} // namespace

Result<Mp4Summary> encodeSegments(const std::filesystem::path& file, const std::vector<SegmentPart>& parts,
                                  const ExportOptions& options, const SoundSource& sound, platform::IfExists ifExists,
                                  const CancelToken& cancel)
{
    LQ_TRY(const std::unique_ptr<SegmentExport> target, SegmentExport::create(file, options, sound, ifExists));
    Transcoder transcoder(*target, options);
    LQ_CHECKED(transcoder.start(parts));
    for (const SegmentPart& part : parts) {
        LQ_CHECKED(transcoder.encode(part, cancel));
        if (options.onProgress)
            options.onProgress(transcoder.encoder().framesIn());
    }
    LQ_CHECKED(transcoder.drain());
    return target->finish(transcoder.encoder().framesIn(), &transcoder.encoder());
}

} // namespace loquor::media
