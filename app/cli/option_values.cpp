#include "app/cli/option_values.h"

#include <algorithm>

namespace loquor::cli {

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 == words.size() ? " or "
                                                    : ", ") +
               words[i];
    return out;
}

CLI::Validator oneOf(std::vector<std::string> words)
{
    const auto check = [words = std::move(words)](const std::string& value) -> std::string {
        if (std::find(words.begin(), words.end(), value) != words.end())
            return {};
        return "'" + value + "' is none of its values; choose " + listed(words) + ".";
    };
    return CLI::Validator(check, "");
}

} // namespace loquor::cli
