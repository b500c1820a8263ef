// Which new line is which old line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loquor::project {

// For each text of `after` the index of the text of `before` it continues, or nothing. Every old one
// is used at most once. Equal texts in the same order first (longest common subsequence), then equal
// texts that moved, then, between fixed neighbours, similar texts in order (a single one for a single
// one whatever it became). Near linear for any input.
std::vector<std::optional<std::size_t>> matchLines(const std::vector<std::string_view>& before,
                                                   const std::vector<std::string_view>& after);

} // namespace loquor::project
