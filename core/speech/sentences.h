// Where sentences end. ICU's rules and, per language, a list of abbreviations whose dot ends none.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loquor::speech {

// Byte offsets just behind each sentence of valid UTF-8, white space after it included; the last one is
// text.size(). Empty for an empty text. Linear time.
Result<std::vector<std::size_t>> sentenceEnds(std::string_view text, std::string_view language);

// True when text[0, end) ends in an abbreviation that needs a name or number after it ("Dr.", "TP.", an
// initial), so that its dot ends neither sentence nor clause. Trailing spaces are ignored.
bool endsInAbbreviation(std::string_view text, std::size_t end, std::string_view language);

} // namespace loquor::speech
