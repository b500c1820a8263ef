// Where the lines of a scene lie in the script written as one text. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/project/document.h"

namespace loquor::ui {

struct LineSpan
{
    std::uint64_t id = 0;
    int number = 0;         // from 1
    int begin = 0, end = 0; // UTF-16 units of the text, as Qt counts
};

// In order; one pass over the bytes.
std::vector<LineSpan> spansOf(const project::Scene& scene);
// The line at this place, or the last one before it; null before the first.
const LineSpan* spanAt(const std::vector<LineSpan>& spans, int position);
const LineSpan* spanOf(const std::vector<LineSpan>& spans, std::uint64_t id);

// UTF-16 units of UTF-8, and which byte the unit `units` begins at.
int unitsOf(std::string_view text);
std::int32_t byteAt(std::string_view text, int units);

} // namespace loquor::ui
