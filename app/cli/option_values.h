// Values of options that are one of a few words; wrong ones are answered with the words there are.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace loquor::cli {

// "--framing: 'wide' is none of its values; choose fill or fit."
CLI::Validator oneOf(std::vector<std::string> words);

// "a, b or c"
std::string listed(const std::vector<std::string>& words);

} // namespace loquor::cli
