#include "core/project/utc_text.h"

#include <array>
#include <ctime>

namespace loquor::project {

std::string utcText(const char* format)
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    std::array<char, 64> text{};
    if (::gmtime_r(&now, &utc) == nullptr)
        return {};
    return {text.data(), std::strftime(text.data(), text.size(), format, &utc)};
}

} // namespace loquor::project
