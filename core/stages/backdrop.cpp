#include "core/stages/backdrop.h"

#include <algorithm>
#include <charconv>

#include "core/media/image_loader.h"
#include "core/portrait/portrait_builder.h"

namespace loquor::stages {

namespace {

Result<Image> solid(const std::string& colour, int width, int height)
{
    unsigned value = 0;
    const char* begin = colour.data() + 1;
    const char* end = colour.data() + colour.size();
    const auto parsed = std::from_chars(begin, end, value, 16);
    if (colour.size() != 7 || parsed.ec != std::errc() || parsed.ptr != end)
        return fail(ErrorCode::InvalidArgument, "The background colour '" + colour +
                                                    "' is not of the form #rrggbb (for example #20304f).");
    Image out(width, height, 3);
    for (std::size_t i = 0; i < out.data.size(); i += 3) {
        out.data[i] = static_cast<std::uint8_t>(value >> 16);
        out.data[i + 1] = static_cast<std::uint8_t>(value >> 8);
        out.data[i + 2] = static_cast<std::uint8_t>(value);
    }
    return out;
}

} // namespace

Result<Image> makeBackdrop(const std::string& background, int width, int height)
{
    if (background.empty())
        return Image();
    if (background[0] == '#')
        return solid(background, width, height);
    auto loaded = media::loadImage(background);
    if (!loaded)
        return fail(std::move(loaded).error().addContext("reading the background"));
    const Image& picture = loaded->image;
    portrait::CanvasCut cut;
    cut.width = width;
    cut.height = height;
    cut.scale = std::max(static_cast<double>(width) / picture.width,
                         static_cast<double>(height) / picture.height);
    cut.x0 = (picture.width - width / cut.scale) / 2;
    cut.y0 = (picture.height - height / cut.scale) / 2;
    return portrait::cutCanvas(picture, cut);
}

} // namespace loquor::stages
