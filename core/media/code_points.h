// Characters of a text, to find a font that has them. Private to core/media.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace loquor::media {

// In order, repeated ones too; nothing when the text is not UTF-8.
std::optional<std::vector<char32_t>> codePoints(std::string_view text);

} // namespace loquor::media
