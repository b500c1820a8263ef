// Small operations on images that loader, readers and tools share.
#pragma once

#include "core/media/image.h"

namespace loquor::media {

// Turns pixels into display order for an EXIF orientation 1..8 (1 = as is).
Image oriented(Image image, int orientation);

// Area-averaged copy of exactly the given size, which must not exceed the image's in either
// direction. Any number of channels.
Image scaledDown(const Image& image, int width, int height);

// Largest size that fits in the box with the image's shape; never larger than the image.
struct Size
{
    int width = 0;
    int height = 0;
};
Size fittingSize(int width, int height, int boxWidth, int boxHeight);

} // namespace loquor::media
