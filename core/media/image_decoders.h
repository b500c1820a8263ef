// What the decoders of the single formats share. Private to core/media.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/media/area_scaler.h"
#include "core/media/colour_profile.h"
#include "core/media/image_loader.h"
#include "core/media/image_ops.h"

namespace loquor::media {

struct CloseFile
{
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// An opened picture file at position 0, and how to name it in messages.
struct ImageSource
{
    FilePtr file;
    std::string shownName; // in quotes already
    std::uint64_t bytes = 0;
};

// The rows a decoder is going to deliver.
struct RowFormat
{
    int width = 0;
    int height = 0;
    PixelModel model = PixelModel::Rgb;
    int bitDepth = 8;      // 8 or 16, native byte order
    bool hasAlpha = false; // one more sample after the colour samples
    bool isPremultiplied = false;
    // Size of the whole picture when the decoder scales by itself; 0 = the same.
    int fullWidth = 0;
    int fullHeight = 0;
    std::vector<std::uint8_t> profile;
    PlainColour plain;
};

// Takes rows from a decoder and makes the upright sRGB image: colour, alpha, bounded size.
class RowSink
{
public:
    RowSink(const ImageOptions& options, const ImageSource& source);

    ImageInfo& info() { return m_info; }
    const std::string& shownName() const { return m_shownName; }
    // Size to scale to so that width x height fits the limit.
    Size targetSize(int width, int height) const;

    Result<> begin(RowFormat format);
    void push(const void* row);
    // After the last row; info().orientation is applied here.
    LoadedImage finish();

private:
    void splitAlpha(const void* row);
    void compositeRow();

    ImageOptions m_options;
    std::string m_shownName;
    ImageInfo m_info;
    RowFormat m_format;
    std::optional<ToSrgb> m_colour;
    std::optional<AreaScaler> m_scaler, m_alphaScaler;
    std::vector<std::uint8_t> m_rgb, m_alpha, m_split;
};

// "The picture 'a.jpg' <rest>" as an error.
tl::unexpected<Error> imageError(ErrorCode code, const RowSink& sink, const std::string& rest,
                                 std::source_location where = std::source_location::current());

// Orientation 1..8 from EXIF data that begin with the TIFF header ("II*" or "MM"); 1 when absent.
int exifOrientation(std::span<const std::uint8_t> exif);

Result<> decodeJpeg(ImageSource& source, RowSink& sink);
Result<> decodePng(ImageSource& source, RowSink& sink);
Result<> decodeTiff(ImageSource& source, RowSink& sink);
Result<> decodeWebp(ImageSource& source, RowSink& sink);
// All that FFmpeg knows: BMP, GIF, PNM, QOI, JPEG 2000, JPEG XL ...
Result<> decodeOther(ImageSource& source, RowSink& sink);

} // namespace loquor::media
