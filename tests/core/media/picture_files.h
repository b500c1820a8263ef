// Picture files of every awkward kind, made with the codecs' own libraries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/media/image.h"

namespace loquor::test {

using Bytes = std::vector<std::uint8_t>;

enum class JpegKind {
    Grey = 1,
    Rgb,
    Cmyk,
    AdobeCmyk,
    AdobeYcck,
};
struct JpegOptions
{
    JpegKind kind = JpegKind::Rgb;
    int quality = 95;
    bool isProgressive = false;
    int orientation = 0; // 0 = no EXIF data
    bool isBigEndianExif = false;
    Bytes profile;
};
// `samples` are interleaved: 1, 3 or 4 (CMYK, 255 = full ink) per pixel. The Adobe kinds store ink
// inverted, as Adobe's programs do.
Bytes makeJpeg(const Image& samples, const JpegOptions& options = {});

struct PngOptions
{
    int bitDepth = 8; // 1, 2, 4, 8, 16
    int colourType =
        2; // as in the file format: 0 grey, 2 RGB, 3 palette, 4 grey+alpha, 6 RGB+alpha
    bool isInterlaced = false;
    Bytes profile;
    double gamma = 0;                  // gAMA chunk
    int orientation = 0;               // eXIf chunk
    std::vector<std::uint8_t> palette; // RGB triples
    std::vector<std::uint8_t> paletteAlpha;
};
// `rows` are packed as the file wants them (big-endian 16 bit, several pixels per byte below 8).
Bytes makePng(int width, int height, const Bytes& rows, const PngOptions& options);

struct TiffOptions
{
    int bits = 8;
    int photometric = 2; // 0 white is zero, 1 black is zero, 2 RGB, 5 separated
    int samples = 3;
    int extraSample = -1; // 1 premultiplied, 2 straight alpha
    int tile = 0;         // edge of tiles, 0 = strips
    int compression = 5;  // LZW
    int orientation = 0;
    bool isFloat = false;
};
// `samples` in native byte order.
Bytes makeTiff(const std::filesystem::path& file, int width, int height, const Bytes& samples,
               const TiffOptions& options);

Bytes makeWebp(const Image& image, bool isLossless);

// An ICC profile whose red, green and blue are those of sRGB in another order: green, blue, red.
// With it, stored red must be shown as green.
Bytes rotatedRgbProfile();
// A CMYK profile in which the ink "C" prints as a pure, light green.
Bytes oddCmykProfile();
// EXIF data from the TIFF header on, with this orientation.
Bytes exifBlock(int orientation, bool isBigEndian);

void save(const std::filesystem::path& file, const Bytes& bytes);

} // namespace loquor::test
