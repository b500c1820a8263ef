#include "app/cli/option_values.h"

#include <algorithm>
#include <charconv>

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

CLI::Validator numberOf(const char* what, int least)
{
    const auto check = [what = std::string(what), least](const std::string& value) -> std::string {
        int number = 0;
        const char* end = value.data() + value.size();
        const auto [read, error] = std::from_chars(value.data(), end, number);
        if (error == std::errc() && read == end && number >= least)
            return {};
        return "'" + value + "' is not the number of " + what + "; numbers begin at 1.";
    };
    return CLI::Validator(check, "");
}

CLI::Validator someName()
{
    return CLI::Validator([](const std::string& name) { return name.empty() ? "the name of a file is empty" : ""; }, "");
}

} // namespace loquor::cli
