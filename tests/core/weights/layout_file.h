// The full-size layouts in tests/data/golden: "name shape", where {a-b} stands for every number from a to b.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/weights/tensor_info.h"
#include "tests/support/folders.h"

namespace loquor::test {

// The text with {a-b} replaced by each number; the text itself when there is none.
inline std::vector<std::string> expanded(const std::string& text)
{
    const auto open = text.find('{');
    if (open == std::string::npos)
        return {text};
    const int first = std::stoi(text.substr(open + 1));
    const int last = std::stoi(text.substr(text.find('-', open) + 1));
    std::vector<std::string> out;
    for (int i = first; i <= last; ++i) {
        std::string line = text;
        for (auto at = open; at != std::string::npos; at = line.find('{'))
            line.replace(at, line.find('}', at) + 1 - at, std::to_string(i));
        out.push_back(line);
    }
    return out;
}

// Pairs of first word and rest of each line.
inline std::vector<std::pair<std::string, std::string>> readPairs(const std::string& file)
{
    std::ifstream in(std::string(dataFolder()) + "/golden/" + file);
    std::vector<std::pair<std::string, std::string>> out;
    for (std::string text; std::getline(in, text);) {
        if (text.starts_with('#'))
            continue;
        for (const std::string& line : expanded(text))
            out.emplace_back(line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1));
    }
    return out;
}

inline weights::TensorList readLayout(const std::string& name)
{
    weights::TensorList list;
    for (const auto& [tensor, numbers] : readPairs("layouts/" + name + ".txt")) {
        weights::TensorInfo info{weights::DType::BF16, {}};
        std::istringstream words(numbers);
        for (std::int64_t n = 0; words >> n;)
            info.shape.push_back(n);
        list[tensor] = info;
    }
    return list;
}

} // namespace loquor::test
