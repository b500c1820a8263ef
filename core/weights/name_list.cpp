#include "core/weights/name_list.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace loquor::weights {

namespace {

// The first part between dots that is a number: its position and length.
bool findNumber(const std::string& name, std::size_t& begin, std::size_t& length, int& number)
{
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find('.', at), name.size());
        const char* last = name.data() + end;
        const auto [stop, error] = std::from_chars(name.data() + at, last, number);
        if (error == std::errc() && stop == last && end > at) {
            begin = at;
            length = end - at;
            return true;
        }
        at = end + 1;
    }
    return false;
}

std::string ranges(std::vector<int> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
        if (last > i)
            text += '-' + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

} // namespace

std::string listNames(const std::vector<std::string>& names)
{
    std::vector<std::pair<std::string, std::string>> order; // text before and after the number
    std::map<std::pair<std::string, std::string>, std::vector<int>> numbers;
    for (const std::string& name : names) {
        std::size_t begin = 0, length = 0;
        int number = 0;
        const bool numbered = findNumber(name, begin, length, number);
        const auto key = numbered ? std::pair(name.substr(0, begin), name.substr(begin + length)) : std::pair(name, std::string());
        const auto [place, isNew] = numbers.try_emplace(key);
        if (isNew)
            order.push_back(key);
        if (numbered)
            place->second.push_back(number);
    }
    std::string text;
    for (const auto& key : order) {
        const auto& group = numbers[key];
        text += text.empty() ? "" : ", ";
        if (group.empty())
            text += key.first;
        else if (group.size() == 1)
            text += key.first + std::to_string(group[0]) + key.second;
        else
            text += key.first + '{' + ranges(group) + '}' + key.second;
    }
    return text;
}

} // namespace loquor::weights
