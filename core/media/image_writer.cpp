#include "core/media/image_writer.h"

#include <csetjmp>
#include <cstring>
#include <string>

#include <png.h>

#include "core/platform/atomic_file.h"

namespace loquor::media {

namespace {

struct WriteState
{
    std::vector<std::uint8_t> bytes;
    std::jmp_buf jump{};
    char message[256] = {};
};

int colourType(int channels)
{
    switch (channels) {
    case 1:
        return PNG_COLOR_TYPE_GRAY;
    case 3:
        return PNG_COLOR_TYPE_RGB;
    case 4:
        return PNG_COLOR_TYPE_RGB_ALPHA;
    default:
        return -1;
    }
}

// libpng reports through longjmp: no object with a destructor lives here.
bool writeRows(png_structp png, png_infop info, const Image& image, int level, WriteState& state)
{
    if (setjmp(state.jump) != 0)
        return false;
    png_set_write_fn(
        png, &state,
        [](png_structp p, png_bytep data, png_size_t length) {
            auto* to = static_cast<WriteState*>(png_get_io_ptr(p));
            to->bytes.insert(to->bytes.end(), data, data + length);
        },
        [](png_structp) {});
    png_set_compression_level(png, level);
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8, colourType(image.channels),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < image.height; ++y)
        png_write_row(png, image.row(y));
    png_write_end(png, info);
    return true;
}

} // namespace

Result<std::vector<std::uint8_t>> encodePng(const Image& image, int level)
{
    if (image.isEmpty() || colourType(image.channels) < 0)
        return fail(ErrorCode::InvalidArgument,
                    "A PNG needs 1, 3 or 4 channels and at least one pixel.");
    WriteState state;
    png_structp png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, &state,
        [](png_structp p, png_const_charp text) {
            auto* to = static_cast<WriteState*>(png_get_error_ptr(p));
            std::strncpy(to->message, text, sizeof to->message - 1);
            std::longjmp(to->jump, 1);
        },
        [](png_structp, png_const_charp) {});
    png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
    const bool ok = info != nullptr && writeRows(png, info, image, level, state);
    png_destroy_write_struct(&png, &info);
    if (!ok)
        return fail(ErrorCode::Internal, std::string("Cannot encode a PNG: ") + state.message);
    return std::move(state.bytes);
}

Result<> writePng(const std::filesystem::path& file, const Image& image, int level)
{
    LQ_TRY(const std::vector<std::uint8_t> bytes, encodePng(image, level));
    return platform::writeFile(file, bytes);
}

} // namespace loquor::media
