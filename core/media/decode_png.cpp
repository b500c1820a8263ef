// PNG through libpng: all depths, palettes, transparency, interlaced, ICC and gamma chunks.
#include <csetjmp>
#include <cstring>

#include <png.h>

#include "core/media/image_decoders.h"

namespace loquor::media {

namespace {

// Interlaced files need the whole picture at once; beyond this they are refused.
constexpr std::size_t kMostInterlacedBytes = 768u << 20;

// libpng reports through longjmp: the functions that call setjmp hold no object with a destructor.
struct PngState
{
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::jmp_buf jump{};
    char message[256] = {};

    PngState()
    {
        png = png_create_read_struct(
            PNG_LIBPNG_VER_STRING, this,
            [](png_structp p, png_const_charp text) {
                auto* state = static_cast<PngState*>(png_get_error_ptr(p));
                std::strncpy(state->message, text, sizeof state->message - 1);
                std::longjmp(state->jump, 1);
            },
            [](png_structp, png_const_charp) {});
        if (png != nullptr)
            info = png_create_info_struct(png);
    }
    ~PngState() { png_destroy_read_struct(&png, &info, nullptr); }
    PngState(const PngState&) = delete;
    PngState& operator=(const PngState&) = delete;
};

bool readHeader(PngState& state, std::FILE* file)
{
    if (setjmp(state.jump) != 0)
        return false;
    png_init_io(state.png, file);
    png_read_info(state.png, state.info);
    return true;
}

// Asks for 8 or 16 bit grey or RGB, alpha last, and settles the row size.
bool prepare(PngState& state)
{
    if (setjmp(state.jump) != 0)
        return false;
    png_set_expand(state.png); // palette to RGB, small greys to 8 bit by range, tRNS to alpha
    const std::uint16_t probe = 1;
    std::uint8_t low = 0;
    std::memcpy(&low, &probe, 1);
    if (low == 1)
        png_set_swap(state.png);
    png_set_interlace_handling(state.png);
    png_read_update_info(state.png, state.info);
    return true;
}

bool readRow(PngState& state, png_bytep row)
{
    if (setjmp(state.jump) != 0)
        return false;
    png_read_row(state.png, row, nullptr);
    return true;
}

bool readAll(PngState& state, png_bytepp rows)
{
    if (setjmp(state.jump) != 0)
        return false;
    png_read_image(state.png, rows);
    return true;
}

// EXIF may follow the pixels.
bool readEnd(PngState& state)
{
    if (setjmp(state.jump) != 0)
        return false;
    png_read_end(state.png, state.info);
    return true;
}

PlainColour plainColourOf(const PngState& state)
{
    PlainColour plain;
    if (png_get_valid(state.png, state.info, PNG_INFO_sRGB) != 0)
        return plain;
    double gamma = 0;
    if (png_get_gAMA(state.png, state.info, &gamma) != 0 && gamma > 0.01)
        plain.gamma = 1.0 / gamma;
    plain.hasPrimaries =
        png_get_cHRM(state.png, state.info, &plain.whiteX, &plain.whiteY, &plain.redX, &plain.redY,
                     &plain.greenX, &plain.greenY, &plain.blueX, &plain.blueY) != 0;
    return plain;
}

std::vector<std::uint8_t> profileOf(const PngState& state)
{
    png_charp name = nullptr;
    png_bytep data = nullptr;
    png_uint_32 length = 0;
    int compression = 0;
    if (png_get_iCCP(state.png, state.info, &name, &compression, &data, &length) == 0)
        return {};
    return {data, data + length};
}

const char* modelName(int colourType)
{
    if (colourType == PNG_COLOR_TYPE_PALETTE)
        return "palette";
    return (colourType & PNG_COLOR_MASK_COLOR) != 0 ? "RGB" : "grey";
}

tl::unexpected<Error> damaged(const PngState& state, const RowSink& sink, bool isEnd)
{
    if (isEnd)
        return imageError(ErrorCode::Unreadable, sink, "is cut off: the file is incomplete.");
    return imageError(ErrorCode::Unreadable, sink,
                      "is a damaged PNG file (" + std::string(state.message) + ").");
}

Result<> readInterlaced(PngState& state, ImageSource& source, RowSink& sink, std::size_t rowBytes,
                        std::size_t height)
{
    if (rowBytes * height > kMostInterlacedBytes)
        return imageError(ErrorCode::Unsupported, sink,
                          "is too large for an interlaced PNG file: save it without interlacing.");
    std::vector<std::uint8_t> pixels(rowBytes * height);
    std::vector<png_bytep> rows(height);
    for (std::size_t y = 0; y < height; ++y)
        rows[y] = pixels.data() + rowBytes * y;
    if (!readAll(state, rows.data()))
        return damaged(state, sink, std::feof(source.file.get()) != 0);
    for (const png_bytep row : rows)
        sink.push(row);
    return {};
}

} // namespace

Result<> decodePng(ImageSource& source, RowSink& sink)
{
    sink.info().format = "PNG";
    PngState state;
    if (state.info == nullptr)
        return imageError(ErrorCode::OutOfMemory, sink, "does not fit in memory.");
    if (!readHeader(state, source.file.get()))
        return damaged(state, sink, std::feof(source.file.get()) != 0);
    sink.info().colourModel = modelName(png_get_color_type(state.png, state.info));
    sink.info().bitDepth = png_get_bit_depth(state.png, state.info);
    if (sink.info().colourModel == "palette")
        sink.info().bitDepth = 8;
    RowFormat format;
    format.profile = profileOf(state);
    if (format.profile.empty())
        format.plain = plainColourOf(state);
    if (!prepare(state))
        return damaged(state, sink, std::feof(source.file.get()) != 0);
    const int type = png_get_color_type(state.png, state.info);
    format.width = static_cast<int>(png_get_image_width(state.png, state.info));
    format.height = static_cast<int>(png_get_image_height(state.png, state.info));
    format.bitDepth = png_get_bit_depth(state.png, state.info);
    format.hasAlpha = (type & PNG_COLOR_MASK_ALPHA) != 0;
    format.model = (type & PNG_COLOR_MASK_COLOR) != 0 ? PixelModel::Rgb : PixelModel::Grey;
    const auto height = static_cast<std::size_t>(format.height);
    LQ_CHECKED(sink.begin(std::move(format)));

    const std::size_t rowBytes = png_get_rowbytes(state.png, state.info);
    if (png_get_interlace_type(state.png, state.info) != PNG_INTERLACE_NONE) {
        LQ_CHECKED(readInterlaced(state, source, sink, rowBytes, height));
    } else {
        std::vector<std::uint16_t> row((rowBytes + 1) / 2); // aligned for 16-bit samples
        for (std::size_t y = 0; y < height; ++y) {
            if (!readRow(state, reinterpret_cast<png_bytep>(row.data())))
                return damaged(state, sink, std::feof(source.file.get()) != 0);
            sink.push(row.data());
        }
    }
    if (!readEnd(state))
        sink.info().warnings.push_back("The end of the PNG file is missing or damaged.");
    png_uint_32 length = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(state.png, state.info, &length, &exif) != 0)
        sink.info().orientation = exifOrientation({exif, length});
    return {};
}

} // namespace loquor::media
