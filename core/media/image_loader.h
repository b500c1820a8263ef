// The one way pictures come in: window, thumbnails, engine and command line all use it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/media/image.h"

namespace loquor::media {

// What the file is, independent of what was made of it.
struct ImageInfo
{
    std::string format; // "JPEG", "PNG", "WebP", "TIFF", "BMP", "GIF" ... by content, not by name
    std::string colourModel; // "RGB", "grey", "CMYK", "YCCK", "palette"
    int width = 0;           // as displayed (after the EXIF orientation), full size
    int height = 0;
    int orientation = 1;        // EXIF 1..8; already applied to the pixels
    int bitDepth = 8;           // per channel
    bool hasAlpha = false;      // has an alpha channel
    bool isTransparent = false; // and uses it: some pixel is not opaque
    std::string profileName;    // embedded ICC profile, "" = none
    std::vector<std::string>
        warnings; // sentences for people: scaled down, transparent, damaged ...

    // "JPEG, 1434x2333, CMYK, profile 'ISO Coated', EXIF orientation 6"
    std::string describe() const;
};

struct ImageOptions
{
    // Larger pictures are scaled down while they are decoded, so memory stays bounded (about
    // 3 bytes per pixel of this). info.width and height keep the full size.
    std::int64_t maxPixels = 24'000'000;
    // What shows through transparent parts.
    std::array<std::uint8_t, 3> background{255, 255, 255};
};

struct LoadedImage
{
    Image image; // RGB, sRGB, upright
    Image alpha; // 1 channel, same size; empty when every pixel is opaque
    ImageInfo info;
    // image.width / info.width; 1 unless scaled down
    double scale() const
    {
        return info.width > 0 ? static_cast<double>(image.width) / info.width : 1.0;
    }
};

// Decodes by content whatever the name says. Errors name the file and the cause: NotFound,
// PermissionDenied, EmptyInput (0 bytes), Unreadable (damaged, cut off, not a picture), Unsupported
// (a video, HEIC, camera raw), OutOfMemory. Any thread; keeps no state.
Result<LoadedImage> loadImage(const std::filesystem::path& file, const ImageOptions& options = {});
// The same from memory; `name` is used in messages.
Result<LoadedImage> loadImage(std::span<const std::uint8_t> bytes, const std::string& name,
                              const ImageOptions& options = {});

} // namespace loquor::media
