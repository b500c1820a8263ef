#include "core/media/display_shape.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace loquor::media {

int DisplayShape::rotationDegrees() const
{
    switch (orientation) {
    case 3:
    case 4:
        return 180;
    case 5:
    case 6:
        return 90;
    case 7:
    case 8:
        return 270;
    default:
        return 0;
    }
}

int orientationOf(const std::int32_t* matrix)
{
    // The first two columns of the first two rows map (x, y) of the picture to the screen:
    // x' = a x + c y, y' = b x + d y, y downwards.
    const double a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    if (a == 0 && b == 0 && c == 0 && d == 0)
        return 1;
    if (std::abs(a) >= std::abs(b)) {
        if (a >= 0)
            return d >= 0 ? 1 : 4;
        return d >= 0 ? 2 : 3;
    }
    if (b >= 0)
        return c >= 0 ? 5 : 6;
    return c >= 0 ? 8 : 7;
}

bool hasAlpha(const AVStream& stream)
{
    const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    if (mode != nullptr && std::string(mode->value) == "1")
        return true;
    const AVPixFmtDescriptor* format =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.codecpar->format));
    return format != nullptr && (format->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
}

DisplayShape displayShape(AVFormatContext& context, AVStream& stream)
{
    DisplayShape shape;
    shape.uprightWidth = stream.codecpar->width;
    shape.uprightHeight = stream.codecpar->height;
    const AVRational aspect = av_guess_sample_aspect_ratio(&context, &stream, nullptr);
    // Growing the smaller direction keeps all detail.
    if (aspect.num > 0 && aspect.den > 0 && aspect.num != aspect.den) {
        if (aspect.num > aspect.den)
            shape.uprightWidth =
                static_cast<int>(mulDivRound(shape.uprightWidth, aspect.num, aspect.den));
        else
            shape.uprightHeight =
                static_cast<int>(mulDivRound(shape.uprightHeight, aspect.den, aspect.num));
    }
    const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
    if (data != nullptr)
        shape.orientation =
            orientationOf(reinterpret_cast<const std::int32_t*>(data));
    shape.width = shape.uprightWidth;
    shape.height = shape.uprightHeight;
    if (shape.orientation >= 5)
        std::swap(shape.width, shape.height);
    return shape;
}

} // namespace loquor::media
