// Values of options that are one of a few words; wrong ones are answered with the words there are.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace loquor::cli {

// "--framing: 'wide' is none of its values; choose fill or fit."
CLI::Validator oneOf(std::vector<std::string> words);

// A whole number from `first` on; what it is the number of is said when it is none, in words and without a range:
// "TAKE: 'b716' is not the number of a take; numbers begin at 1."
CLI::Validator numberOf(const char* what, int first = 1);

// "a, b or c"
std::string listed(const std::vector<std::string>& words);

} // namespace loquor::cli
