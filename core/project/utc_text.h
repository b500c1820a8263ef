// The time now, for files that people may look into.
#pragma once

#include <string>

namespace loquor::project {

// UTC in a format of strftime; empty when the clock cannot be read.
std::string utcText(const char* format);

} // namespace loquor::project
