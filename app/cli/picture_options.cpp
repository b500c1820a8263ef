#include "app/cli/picture_options.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/media/image_loader.h"
#include "core/session/file_names.h"

namespace loquor::cli {

namespace {

Result<PictureSize> parseSize(const std::string& text)
{
    PictureSize out;
    const char* end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, out.width);
    if (width.ec == std::errc() && width.ptr != end && (*width.ptr == 'x' || *width.ptr == 'X')) {
        const auto height = std::from_chars(width.ptr + 1, end, out.height);
        if (height.ec == std::errc() && height.ptr == end)
            return out;
    }
    return fail(ErrorCode::InvalidArgument, "The size '" + text + "' is not of the form WIDTHxHEIGHT (1280x720).");
}

// Sizes of the shapes that platforms ask for, at 720 lines' worth of work.
const std::map<std::string, PictureSize>& aspectSizes()
{
    static const std::map<std::string, PictureSize> sizes{
        {"16:9", {1280, 720}}, {"9:16", {720, 1280}}, {"1:1", {720, 720}}, {"4:5", {720, 900}}};
    return sizes;
}

bool isColour(const std::string& text)
{
    return text.size() == 7 && text[0] == '#' &&
           text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

} // namespace

Result<PictureSize> chosenSize(const std::string& size, const std::string& aspect)
{
    if (aspect.empty())
        return size.empty() ? Result<PictureSize>(PictureSize{1280, 720}) : parseSize(size);
    const auto found = aspectSizes().find(aspect);
    if (found == aspectSizes().end())
        return fail(ErrorCode::InvalidArgument,
                    "The shape '" + aspect + "' is not known; choose 16:9, 9:16, 1:1 or 4:5.");
    if (size.empty())
        return found->second;
    LQ_TRY(const PictureSize wanted, parseSize(size));
    const PictureSize shape = found->second;
    if (std::abs(wanted.width * shape.height - wanted.height * shape.width) > 2 * (shape.width + shape.height))
        return fail(ErrorCode::InvalidArgument, "The size " + size + " does not have the shape " + aspect +
                                                    "; leave one of the two options out.");
    return wanted;
}

Result<Rational> chosenRate(const std::string& fps)
{
    const auto rate = Rational::parse(fps);
    if (!rate || rate->num <= 0)
        return fail(ErrorCode::InvalidArgument,
                    "The frame rate '" + fps + "' is not a number like 25, 29.97 or 30000/1001.");
    return *rate;
}

Result<std::uint64_t> chosenSeed(const std::string& seed)
{
    std::uint64_t out = 0;
    const char* end = seed.data() + seed.size();
    if (const auto r = std::from_chars(seed.data(), end, out); r.ec != std::errc() || r.ptr != end)
        return fail(ErrorCode::InvalidArgument, "The seed '" + seed + "' is not a whole number >= 0.");
    return out;
}

Result<std::string> chosenBackground(const std::string& background)
{
    if (background.empty() || isColour(background))
        return background;
    if (background[0] == '#')
        return fail(ErrorCode::InvalidArgument,
                    "The background '" + background + "' is no colour like #20304f and no picture file.");
    LQ_CHECKED(session::refuseText(background, "a picture for the background"));
    media::ImageOptions options;
    options.maxPixels = 1'000'000;
    LQ_CHECKED(media::loadImage(background, options));
    std::error_code ec;
    return std::filesystem::absolute(background, ec).lexically_normal().string();
}

} // namespace loquor::cli
