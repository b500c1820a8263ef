#include "core/media/rgb_converter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace loquor::media {

namespace {

// The matrix to decode with when the file does not say: by size, as players do; ffmpeg takes BT.601.
int swsMatrix(const AVFrame& frame, RgbConversion conversion)
{
    static constexpr std::array<std::pair<AVColorSpace, int>, 7> kMatrices{
        {{AVCOL_SPC_BT709, SWS_CS_ITU709},
         {AVCOL_SPC_BT470BG, SWS_CS_ITU601},
         {AVCOL_SPC_SMPTE170M, SWS_CS_ITU601},
         {AVCOL_SPC_SMPTE240M, SWS_CS_SMPTE240M},
         {AVCOL_SPC_FCC, SWS_CS_FCC},
         {AVCOL_SPC_BT2020_NCL, SWS_CS_BT2020},
         {AVCOL_SPC_BT2020_CL, SWS_CS_BT2020}}};
    for (const auto& [space, matrix] : kMatrices)
        if (frame.colorspace == space)
            return matrix;
    const bool large = frame.height >= 720 && conversion != RgbConversion::Fast;
    return large ? SWS_CS_ITU709 : SWS_CS_ITU601;
}

} // namespace

void RgbConverter::configure(const VideoReadOptions& options, int width, int height)
{
    m_options = options;
    m_width = width;
    m_height = height;
}

Result<Image> RgbConverter::convert(const AVFrame& frame)
{
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor* kind = av_pix_fmt_desc_get(format);
    if (kind == nullptr)
        return fail(ErrorCode::Unsupported, "The video has an unknown pixel format.");
    const bool isTransparent = (kind->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    LQ_CHECKED(prepare(frame, format, isTransparent));
    Image image(m_width, m_height, isTransparent ? 4 : 3);
    std::uint8_t* planes[4] = {image.data.data(), nullptr, nullptr, nullptr};
    const int strides[4] = {static_cast<int>(image.stride()), 0, 0, 0};
    const int rows =
        sws_scale(m_scaler.get(), frame.data, frame.linesize, 0, frame.height, planes, strides);
    if (rows != m_height)
        return fail(avError(rows < 0 ? rows : AVERROR_INVALIDDATA, "Cannot convert a frame"));
    return isTransparent ? onBackground(image) : std::move(image);
}

Result<> RgbConverter::prepare(const AVFrame& frame, AVPixelFormat format, bool isTransparent)
{
    const int matrix = swsMatrix(frame, m_options.conversion);
    const bool isFull = frame.color_range == AVCOL_RANGE_JPEG;
    if (m_scaler && m_format == format && m_fromWidth == frame.width &&
        m_fromHeight == frame.height && m_matrix == matrix && m_isFull == isFull)
        return {};
    const int flags =
        m_options.conversion == RgbConversion::Fast
            ? SWS_BICUBIC
            : SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
    m_scaler.reset(sws_getContext(frame.width, frame.height, format, m_width, m_height,
                                  isTransparent ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24, flags,
                                  nullptr, nullptr, nullptr));
    if (!m_scaler)
        return fail(ErrorCode::Unsupported, "The video has a pixel format without conversion.");
    sws_setColorspaceDetails(m_scaler.get(), sws_getCoefficients(matrix), isFull ? 1 : 0,
                             sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    m_format = format;
    m_fromWidth = frame.width;
    m_fromHeight = frame.height;
    m_matrix = matrix;
    m_isFull = isFull;
    return {};
}

Image RgbConverter::onBackground(const Image& rgba) const
{
    Image out(rgba.width, rgba.height, 3);
    const std::uint8_t* from = rgba.data.data();
    for (std::uint8_t* to = out.data.data(); to != out.data.data() + out.data.size(); from += 4)
        for (std::size_t c = 0; c < 3; ++c) {
            const int alpha = from[3];
            *to++ = static_cast<std::uint8_t>(
                (from[c] * alpha + m_options.background[c] * (255 - alpha) + 127) / 255);
        }
    return out;
}

} // namespace loquor::media
