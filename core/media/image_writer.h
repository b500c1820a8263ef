// Pictures out: tools, tests, sheets, thumbnails.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/media/image.h"

namespace loquor::media {

// PNG with 1 (grey), 3 or 4 channels, tagged sRGB; `level` 0..9 is the effort of compression.
Result<> writePng(const std::filesystem::path& file, const Image& image, int level = 3);
// The same bytes in memory.
Result<std::vector<std::uint8_t>> encodePng(const Image& image, int level = 3);

} // namespace loquor::media
