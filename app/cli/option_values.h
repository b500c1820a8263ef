// Values of options that are one of a few words; wrong ones are answered with the words there are.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace loquor::cli {

// "--framing: 'wide' is none of its values; choose fill or fit."
CLI::Validator oneOf(std::vector<std::string> words);

// A whole number, at least `least`; what it is the number of is said when it is none, in words and without a range:
// "TAKE: 'b716' is not the number of a take; numbers begin at 1."
CLI::Validator numberOf(const char* what, int least = 1);

// For numbers of which the document or the photo says which there are.
inline constexpr int kAnyNumber = std::numeric_limits<int>::min();

// "a, b or c"
std::string listed(const std::vector<std::string>& words);

// For the name of a file that must be there: "" is none.
CLI::Validator someName();

} // namespace loquor::cli
