// Pictures of all kinds that FFmpeg decodes: BMP, GIF, PNM, QOI, PCX, JPEG 2000, JPEG XL, EXR ...
#include <algorithm>
#include <array>
#include <utility>

#include "core/media/ffmpeg_support.h"
#include "core/media/image_decoders.h"

namespace loquor::media {

namespace {

// The decoder holds the whole picture.
constexpr std::int64_t kMostPixels = 150'000'000;

bool isPictureFormat(const AVFormatContext& context)
{
    const std::string name = context.iformat->name;
    return name.ends_with("_pipe") || name == "gif" || name == "apng" || name == "ico" ||
           name.find("image2") != std::string::npos || name == "jpegxl_anim";
}

std::string formatName(const AVCodecParameters& parameters)
{
    static constexpr std::array<std::pair<AVCodecID, const char*>, 4> kNames{
        {{AV_CODEC_ID_BMP, "BMP"},
         {AV_CODEC_ID_GIF, "GIF"},
         {AV_CODEC_ID_JPEG2000, "JPEG 2000"},
         {AV_CODEC_ID_JPEGXL, "JPEG XL"}}};
    for (const auto& [id, shown] : kNames)
        if (parameters.codec_id == id)
            return shown;
    std::string name = avcodec_get_name(parameters.codec_id);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    });
    return name;
}

Result<AvFramePtr> firstFrame(Demuxer& demuxer, const AVStream& stream, AVCodecContext& decoder,
                              const RowSink& sink)
{
    AvFramePtr frame = makeFrame();
    PacketPtr packet = makePacket();
    int last = AVERROR_INVALIDDATA;
    for (bool isOpen = true; isOpen;) {
        LQ_TRY(const bool more, demuxer.readPacket(*packet));
        isOpen = more;
        if (more && packet->stream_index != stream.index) {
            av_packet_unref(packet.get());
            continue;
        }
        const int sent = avcodec_send_packet(&decoder, more ? packet.get() : nullptr);
        av_packet_unref(packet.get());
        if (sent < 0)
            last = sent;
        if (avcodec_receive_frame(&decoder, frame.get()) == 0)
            return frame;
    }
    return fail(avError(last, "The picture " + sink.shownName() + " cannot be decoded"));
}

Result<> deliver(const AVFrame& frame, RowSink& sink, RowFormat format)
{
    const AVPixFmtDescriptor* kind = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    if (kind == nullptr)
        return imageError(ErrorCode::Unreadable, sink, "has an unknown pixel format.");
    const bool isDeep = kind->comp[0].depth > 8;
    const bool isPalette = (kind->flags & AV_PIX_FMT_FLAG_PAL) != 0;
    sink.info().bitDepth = kind->comp[0].depth;
    sink.info().colourModel = isPalette ? "palette" : kind->nb_components < 3 ? "grey"
                                                                              : "RGB";
    format.width = frame.width;
    format.height = frame.height;
    format.bitDepth = isDeep ? 16 : 8;
    format.hasAlpha = (kind->flags & AV_PIX_FMT_FLAG_ALPHA) != 0 || isPalette;
    if (const AVFrameSideData* icc = av_frame_get_side_data(&frame, AV_FRAME_DATA_ICC_PROFILE))
        format.profile.assign(icc->data, icc->data + icc->size);
    LQ_CHECKED(sink.begin(format));

    AVPixelFormat to = isDeep ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24;
    if (format.hasAlpha)
        to = isDeep ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA;
    const SwsPtr scaler(sws_getContext(
        frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width,
        frame.height, to, SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    if (!scaler)
        return imageError(ErrorCode::Unsupported, sink, "has a pixel format without conversion.");
    AvFramePtr out = makeFrame();
    out->format = to;
    out->width = frame.width;
    out->height = frame.height;
    if (const int code = av_frame_get_buffer(out.get(), 0); code < 0)
        return fail(avError(code, "The picture " + sink.shownName()));
    if (const int code = sws_scale_frame(scaler.get(), out.get(), &frame); code < 0)
        return fail(avError(code, "The picture " + sink.shownName()));
    for (int y = 0; y < frame.height; ++y)
        sink.push(out->data[0] + static_cast<std::ptrdiff_t>(y) * out->linesize[0]);
    return {};
}

} // namespace

Result<> decodeOther(ImageSource& source, RowSink& sink)
{
    auto opened = Demuxer::open(source.file.get(), sink.shownName());
    if (!opened)
        return imageError(ErrorCode::Unreadable, sink,
                          "is not a picture, or of a kind that cannot be read here.");
    Demuxer& demuxer = **opened;
    AVFormatContext* context = demuxer.context();
    const int index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (!isPictureFormat(*context) || index < 0) {
        const bool hasVideo = index >= 0;
        return imageError(ErrorCode::Unsupported, sink,
                          hasVideo ? "is a video, not a picture."
                                   : "is not a picture (it holds sound).");
    }
    const AVStream& stream = *context->streams[index];
    sink.info().format = formatName(*stream.codecpar);
    const auto pixels = static_cast<std::int64_t>(stream.codecpar->width) * stream.codecpar->height;
    if (pixels > kMostPixels)
        return imageError(ErrorCode::Unsupported, sink,
                          "has " + std::to_string(pixels / 1'000'000) +
                              " megapixels, too many for this format: save it as JPEG or PNG.");
    LQ_TRY(const CodecPtr decoder, openDecoder(stream, 1, sink.shownName()));
    LQ_TRY(const AvFramePtr frame, firstFrame(demuxer, stream, *decoder, sink));
    return deliver(*frame, sink, RowFormat{});
}

} // namespace loquor::media
