// Many tensor names as a text that people can read.
#pragma once

#include <string>
#include <vector>

namespace loquor::weights {

// All of the names, none left out. Names that differ in the first number between dots only are joined:
// "blocks.{0-2, 5}.norm3.weight, head.head.bias".
std::string listNames(const std::vector<std::string>& names);

} // namespace loquor::weights
