// Which font of the system can show a text. Private to core/media.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/error.h"

namespace loquor::media {

// The first font that has all of the characters, bold and like DejaVu Sans if possible. InvalidArgument names those
// that are missing in the font that has most of them; Unsupported: no font is installed.
Result<std::filesystem::path> fontWith(const std::vector<char32_t>& characters);

} // namespace loquor::media
