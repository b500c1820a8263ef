// TIFF through libtiff: 8 and 16 bit grey, RGB and CMYK row by row, everything else through its
// RGBA conversion.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstring>

#include <tiffio.h>

#include "core/media/image_decoders.h"

namespace loquor::media {

namespace {

constexpr std::size_t kMostRaster = 768u << 20; // for the kinds that need the whole picture
constexpr std::uint32_t kMostTile = 1u << 15;   // either side; products of sizes stay far below 64 bits
constexpr std::uint32_t kTagDngVersion = 50706;

// The file as libtiff wants it, and what libtiff said last.
struct TiffState
{
    std::FILE* file = nullptr;
    std::uint64_t bytes = 0;
    std::array<char, 256> message{};
    TIFF* tiff = nullptr;
    ~TiffState()
    {
        if (tiff != nullptr)
            TIFFClose(tiff);
    }
};

int keepMessage(TIFF*, void* data, const char*, const char* format, va_list arguments)
{
    auto* state = static_cast<TiffState*>(data);
    std::vsnprintf(state->message.data(), state->message.size(), format, arguments);
    return 1;
}

int dropMessage(TIFF*, void*, const char*, const char*, va_list)
{
    return 1;
}

tmsize_t readBytes(thandle_t handle, void* to, tmsize_t bytes)
{
    return static_cast<tmsize_t>(
        std::fread(to, 1, static_cast<std::size_t>(bytes), static_cast<TiffState*>(handle)->file));
}

toff_t seekTo(thandle_t handle, toff_t offset, int whence)
{
    std::FILE* file = static_cast<TiffState*>(handle)->file;
    if (::fseeko(file, static_cast<off_t>(offset), whence) != 0)
        return static_cast<toff_t>(-1);
    return static_cast<toff_t>(::ftello(file));
}

void open(TiffState& state)
{
    TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options, keepMessage, &state);
    TIFFOpenOptionsSetWarningHandlerExtR(options, dropMessage, &state);
    state.tiff = TIFFClientOpenExt(
        "picture", "rm", &state, readBytes,
        [](thandle_t, void*, tmsize_t) -> tmsize_t { return -1; }, seekTo,
        [](thandle_t) { return 0; },
        [](thandle_t handle) {
            return static_cast<toff_t>(static_cast<TiffState*>(handle)->bytes);
        },
        nullptr, nullptr, options);
    TIFFOpenOptionsFree(options);
}

struct TiffLayout
{
    std::uint32_t width = 0, height = 0;
    std::uint16_t bits = 1, samples = 1, photometric = 0, planar = PLANARCONFIG_CONTIG;
    std::uint16_t sampleFormat = SAMPLEFORMAT_UINT, compression = 0, extra = 0;
    bool isPremultiplied = false, hasAlpha = false;
};

TiffLayout layoutOf(TIFF* tiff)
{
    TiffLayout layout;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout.width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout.height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout.samples);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout.photometric);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout.planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &layout.sampleFormat);
    TIFFGetField(tiff, TIFFTAG_COMPRESSION, &layout.compression);
    const std::uint16_t* kinds = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &layout.extra, &kinds) != 0 && layout.extra > 0) {
        layout.isPremultiplied = kinds[0] == EXTRASAMPLE_ASSOCALPHA;
        layout.hasAlpha = layout.isPremultiplied || kinds[0] == EXTRASAMPLE_UNASSALPHA;
    }
    return layout;
}

const char* modelName(std::uint16_t photometric)
{
    switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
        return "grey";
    case PHOTOMETRIC_SEPARATED:
        return "CMYK";
    case PHOTOMETRIC_PALETTE:
        return "palette";
    default:
        return "RGB";
    }
}

// The kinds whose samples can be taken as they are; false for all others.
bool isPlain(const TiffLayout& layout, PixelModel& model)
{
    if ((layout.bits != 8 && layout.bits != 16) || layout.planar != PLANARCONFIG_CONTIG ||
        layout.sampleFormat != SAMPLEFORMAT_UINT)
        return false;
    switch (layout.photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
        model = PixelModel::Grey;
        break;
    case PHOTOMETRIC_RGB:
        model = PixelModel::Rgb;
        break;
    case PHOTOMETRIC_SEPARATED:
        model = PixelModel::Cmyk;
        break;
    default:
        return false;
    }
    return layout.samples >= samplesOf(model);
}

// Turns rows of `have` samples per pixel into rows of `want` (the rest is spot colours or layers)
// and white-is-zero into black-is-zero.
template<class Sample>
void pickSamples(const std::uint8_t* in, std::uint8_t* out, std::size_t pixels, std::size_t have,
                 std::size_t want, bool isInverted)
{
    for (std::size_t i = 0; i < pixels; ++i)
        for (std::size_t s = 0; s < want; ++s) {
            Sample value;
            std::memcpy(&value, in + (i * have + s) * sizeof(Sample), sizeof value);
            if (isInverted && s == 0)
                value = static_cast<Sample>(~value);
            std::memcpy(out + (i * want + s) * sizeof(Sample), &value, sizeof value);
        }
}

class PlainRows
{
public:
    PlainRows(TIFF* tiff, const TiffLayout& layout, PixelModel model)
        : m_tiff(tiff), m_layout(layout), m_bytes(layout.bits / 8u),
          m_want(static_cast<std::size_t>(samplesOf(model)) + (layout.hasAlpha ? 1 : 0))
    {
        m_out.resize((layout.width * m_want * m_bytes + 1) / 2);
    }

    bool deliver(RowSink& sink)
    {
        return TIFFIsTiled(m_tiff) != 0 ? deliverTiles(sink) : deliverStrips(sink);
    }

private:
    void push(RowSink& sink, const std::uint8_t* row)
    {
        auto* out = reinterpret_cast<std::uint8_t*>(m_out.data());
        const bool isInverted = m_layout.photometric == PHOTOMETRIC_MINISWHITE;
        if (m_bytes == 2)
            pickSamples<std::uint16_t>(row, out, m_layout.width, m_layout.samples, m_want,
                                       isInverted);
        else
            pickSamples<std::uint8_t>(row, out, m_layout.width, m_layout.samples, m_want,
                                      isInverted);
        sink.push(m_out.data());
    }
    bool deliverStrips(RowSink& sink)
    {
        std::vector<std::uint8_t> row(static_cast<std::size_t>(TIFFScanlineSize(m_tiff)));
        if (row.size() < std::size_t{m_layout.width} * m_layout.samples * m_bytes)
            return false;
        for (std::uint32_t y = 0; y < m_layout.height; ++y) {
            if (TIFFReadScanline(m_tiff, row.data(), y, 0) < 0)
                return false;
            push(sink, row.data());
        }
        return true;
    }
    bool deliverTiles(RowSink& sink)
    {
        std::uint32_t tileWidth = 0, tileHeight = 0;
        TIFFGetField(m_tiff, TIFFTAG_TILEWIDTH, &tileWidth);
        TIFFGetField(m_tiff, TIFFTAG_TILELENGTH, &tileHeight);
        const std::size_t pixel = std::size_t{m_layout.samples} * m_bytes;
        const std::size_t bandRow = m_layout.width * pixel, tileRow = tileWidth * pixel;
        const auto tileBytes = static_cast<std::size_t>(TIFFTileSize(m_tiff));
        if (tileWidth == 0 || tileHeight == 0 || tileWidth > kMostTile || tileHeight > kMostTile || tileBytes < tileRow * tileHeight || tileBytes > kMostRaster ||
            bandRow * tileHeight > kMostRaster)
            return false;
        std::vector<std::uint8_t> tile(tileBytes);
        std::vector<std::uint8_t> band(bandRow * tileHeight);
        for (std::uint32_t y = 0; y < m_layout.height; y += tileHeight) {
            const std::uint32_t rows = std::min(tileHeight, m_layout.height - y);
            for (std::uint32_t x = 0; x < m_layout.width; x += tileWidth) {
                if (TIFFReadTile(m_tiff, tile.data(), x, y, 0, 0) < 0)
                    return false;
                const std::size_t copied = std::min(tileWidth, m_layout.width - x) * pixel;
                for (std::uint32_t r = 0; r < rows; ++r)
                    std::memcpy(band.data() + r * bandRow + x * pixel, tile.data() + r * tileRow, copied);
            }
            for (std::uint32_t r = 0; r < rows; ++r)
                push(sink, band.data() + r * bandRow);
        }
        return true;
    }

    TIFF* m_tiff;
    const TiffLayout& m_layout;
    std::size_t m_bytes, m_want;
    std::vector<std::uint16_t> m_out; // aligned for 16-bit samples
};

tl::unexpected<Error> damaged(const TiffState& state, const RowSink& sink)
{
    return imageError(ErrorCode::Unreadable, sink,
                      "is a damaged or incomplete TIFF file (" + std::string(state.message.data()) +
                          ").");
}

Result<> decodeThroughRgba(TiffState& state, const TiffLayout& layout, RowSink& sink,
                           RowFormat format)
{
    if (TIFFRGBAImageOK(state.tiff, state.message.data()) == 0)
        return imageError(ErrorCode::Unsupported, sink,
                          "is a TIFF file of a kind that cannot be read (" +
                              std::string(state.message.data()) + ").");
    const std::size_t pixels = static_cast<std::size_t>(layout.width) * layout.height;
    if (pixels * 4 > kMostRaster)
        return imageError(ErrorCode::Unsupported, sink,
                          "is too large for this kind of TIFF file: save it as 8-bit RGB.");
    format.model = PixelModel::Rgb;
    format.bitDepth = 8;
    format.hasAlpha = layout.hasAlpha;
    format.isPremultiplied = layout.hasAlpha; // the conversion multiplies
    format.profile.clear();                   // made for the samples as they were
    LQ_CHECKED(sink.begin(std::move(format)));
    // The conversion would mirror by the tag; turning is done at the end for all formats.
    TIFFSetField(state.tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    std::vector<std::uint32_t> raster(pixels);
    if (TIFFReadRGBAImageOriented(state.tiff, layout.width, layout.height, raster.data(),
                                  ORIENTATION_TOPLEFT, 1) == 0)
        return damaged(state, sink);
    const std::size_t samples = layout.hasAlpha ? 4 : 3;
    std::vector<std::uint8_t> row(layout.width * samples);
    for (std::size_t y = 0; y < layout.height; ++y) {
        for (std::size_t x = 0; x < layout.width; ++x)
            for (std::size_t s = 0; s < samples; ++s)
                row[x * samples + s] =
                    static_cast<std::uint8_t>(raster[y * layout.width + x] >> (8 * s));
        sink.push(row.data());
    }
    return {};
}

} // namespace

Result<> decodeTiff(ImageSource& source, RowSink& sink)
{
    sink.info().format = "TIFF";
    TiffState state;
    state.file = source.file.get();
    state.bytes = source.bytes;
    open(state);
    if (state.tiff == nullptr)
        return damaged(state, sink);
    std::uint32_t count = 0;
    const void* dng = nullptr;
    if (TIFFGetField(state.tiff, kTagDngVersion, &count, &dng) != 0)
        return imageError(ErrorCode::Unsupported, sink,
                          "is a camera raw file: save it as JPEG, PNG or TIFF and use that.");
    const TiffLayout layout = layoutOf(state.tiff);
    std::uint16_t orientation = 1;
    TIFFGetFieldDefaulted(state.tiff, TIFFTAG_ORIENTATION, &orientation);
    sink.info().orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    sink.info().bitDepth = layout.bits;
    sink.info().colourModel = modelName(layout.photometric);
    if (TIFFNumberOfDirectories(state.tiff) > 1)
        sink.info().warnings.push_back("The TIFF file holds several pictures; the first is used.");
    TIFFSetDirectory(state.tiff, 0);

    RowFormat format;
    format.width = static_cast<int>(layout.width);
    format.height = static_cast<int>(layout.height);
    format.bitDepth = layout.bits;
    format.hasAlpha = layout.hasAlpha;
    format.isPremultiplied = layout.isPremultiplied;
    const std::uint8_t* profile = nullptr;
    if (TIFFGetField(state.tiff, TIFFTAG_ICCPROFILE, &count, &profile) != 0)
        format.profile.assign(profile, profile + count);
    if (!isPlain(layout, format.model))
        return decodeThroughRgba(state, layout, sink, std::move(format));
    const PixelModel model = format.model;
    LQ_CHECKED(sink.begin(std::move(format)));
    if (!PlainRows(state.tiff, layout, model).deliver(sink))
        return damaged(state, sink);
    return {};
}

} // namespace loquor::media
