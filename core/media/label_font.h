// Which font of the system can show a text. Private to core/media.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace loquor::media {

// The first font that has all of the characters, bold and like DejaVu Sans if possible. InvalidArgument names those
// that are missing in the font that has most of them; Unsupported: no font is installed.
Result<std::filesystem::path> fontWith(const std::vector<char32_t>& characters);
// Those that no font has at all. Unsupported: no font is installed.
Result<std::vector<char32_t>> lettersWithoutFont(const std::vector<char32_t>& characters);
// "あ (U+3042), い (U+3044) and 3 more", for messages.
std::string letterNames(const std::vector<char32_t>& characters);

} // namespace loquor::media
