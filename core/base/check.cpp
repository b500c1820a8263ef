#include "core/base/check.h"

namespace loquor {

void throwInvariant(const char* condition, const char* file, int line, const std::string& message)
{
    std::string name = file;
    if (const auto slash = name.rfind('/'); slash != std::string::npos)
        name.erase(0, slash + 1);
    throw InvariantError("Broken invariant: " + std::string(condition) + " at " + name + ':' +
                         std::to_string(line) + (message.empty() ? "" : ": " + message));
}

} // namespace loquor
