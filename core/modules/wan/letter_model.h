// A text model without words.
#pragma once

#include <string>

namespace loquor::modules {

// A small model of single characters, for networks with weights that nobody trained: the bytes of its file.
std::string letterModel();

} // namespace loquor::modules
