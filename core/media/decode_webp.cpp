// WebP through libwebp: lossy, lossless, alpha, first frame of animations, ICC, EXIF.
#include <algorithm>
#include <array>

#include <webp/decode.h>
#include <webp/demux.h>

#include "core/media/image_decoders.h"

namespace loquor::media {

namespace {

// The format itself ends at 16383 x 16383 pixels; compressed, that is far below this.
constexpr std::uint64_t kMostBytes = 512u << 20;

struct DeleteDemuxer
{
    void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

std::vector<std::uint8_t> chunkOf(const WebPDemuxer* demuxer, const char* name)
{
    WebPChunkIterator chunk{};
    std::vector<std::uint8_t> bytes;
    if (WebPDemuxGetChunk(demuxer, name, 1, &chunk) != 0)
        bytes.assign(chunk.chunk.bytes, chunk.chunk.bytes + chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
    return bytes;
}

// Frees the pixels that libwebp allocated.
struct Decoded
{
    WebPDecoderConfig config{};
    ~Decoded() { WebPFreeDecBuffer(&config.output); }
};

} // namespace

Result<> decodeWebp(ImageSource& source, RowSink& sink)
{
    sink.info().format = "WebP";
    sink.info().colourModel = "RGB";
    if (source.bytes > kMostBytes)
        return imageError(ErrorCode::Unsupported, sink, "is too large for a WebP file.");
    std::vector<std::uint8_t> file(source.bytes);
    file.resize(std::fread(file.data(), 1, file.size(), source.file.get()));

    const WebPData data{file.data(), file.size()};
    WebPDemuxState demuxState = WEBP_DEMUX_PARSE_ERROR;
    const std::unique_ptr<WebPDemuxer, DeleteDemuxer> demuxer(WebPDemuxPartial(&data, &demuxState));
    if (!demuxer || demuxState == WEBP_DEMUX_PARSE_ERROR)
        return imageError(ErrorCode::Unreadable, sink, "is a damaged WebP file.");
    WebPIterator frame{};
    const std::unique_ptr<WebPIterator, void (*)(WebPIterator*)> release(&frame,
                                                                         WebPDemuxReleaseIterator);
    if (demuxState != WEBP_DEMUX_DONE || WebPDemuxGetFrame(demuxer.get(), 1, &frame) == 0)
        return imageError(ErrorCode::Unreadable, sink, "is cut off: the file is incomplete.");
    if (frame.num_frames > 1)
        sink.info().warnings.push_back("The picture is animated; its first frame is used.");

    RowFormat format;
    format.profile = chunkOf(demuxer.get(), "ICCP");
    std::vector<std::uint8_t> exif = chunkOf(demuxer.get(), "EXIF");
    static constexpr std::array<std::uint8_t, 6> kTag{'E', 'x', 'i', 'f', 0, 0};
    if (exif.size() > 6 && std::equal(kTag.begin(), kTag.end(), exif.begin()))
        exif.erase(exif.begin(), exif.begin() + 6);
    sink.info().orientation = exifOrientation(exif);

    Decoded decoded;
    WebPDecoderConfig& config = decoded.config;
    if (WebPInitDecoderConfig(&config) == 0 ||
        WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &config.input) != VP8_STATUS_OK)
        return imageError(ErrorCode::Unreadable, sink, "is a damaged WebP file.");
    format.fullWidth = config.input.width;
    format.fullHeight = config.input.height;
    format.hasAlpha = config.input.has_alpha != 0;
    const Size size = sink.targetSize(format.fullWidth, format.fullHeight);
    format.width = size.width;
    format.height = size.height;
    config.options.use_scaling = size.width != format.fullWidth ? 1 : 0;
    config.options.scaled_width = size.width;
    config.options.scaled_height = size.height;
    config.output.colorspace = format.hasAlpha ? MODE_RGBA : MODE_RGB;
    LQ_CHECKED(sink.begin(std::move(format)));
    const VP8StatusCode status = WebPDecode(frame.fragment.bytes, frame.fragment.size, &config);
    if (status == VP8_STATUS_OUT_OF_MEMORY)
        return imageError(ErrorCode::OutOfMemory, sink, "does not fit in memory.");
    if (status != VP8_STATUS_OK)
        return imageError(ErrorCode::Unreadable, sink, "is a damaged WebP file.");
    const WebPRGBABuffer& pixels = config.output.u.RGBA;
    for (int y = 0; y < config.output.height; ++y)
        sink.push(pixels.rgba + static_cast<std::ptrdiff_t>(y) * pixels.stride);
    return {};
}

} // namespace loquor::media
