#include "ui/script/line_spans.h"

#include <algorithm>

namespace loquor::ui {

namespace {

// Of the character that begins with this byte; bytes that begin none count nothing.
int unitsOfByte(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2
                                                    : 1;
}

} // namespace

int unitsOf(std::string_view text)
{
    int units = 0;
    for (const char c : text)
        units += unitsOfByte(c);
    return units;
}

std::int32_t byteAt(std::string_view text, int units)
{
    std::size_t at = 0;
    for (int seen = 0; at < text.size(); ++at) {
        const int wide = unitsOfByte(text[at]);
        if (wide > 0 && seen >= units)
            break;
        seen += wide;
    }
    return static_cast<std::int32_t>(at);
}

std::vector<LineSpan> spansOf(const project::Scene& scene)
{
    std::vector<LineSpan> out;
    out.reserve(scene.lines.size());
    int at = unitsOf(scene.leadIn);
    for (const project::Line& line : scene.lines) {
        const int end = at + unitsOf(line.text);
        out.push_back({line.id, static_cast<int>(out.size()) + 1, at, end});
        at = end + unitsOf(line.after);
    }
    return out;
}

const LineSpan* spanAt(const std::vector<LineSpan>& spans, int position)
{
    const auto behind = std::upper_bound(spans.begin(), spans.end(), position,
                                         [](int at, const LineSpan& span) { return at < span.begin; });
    return behind == spans.begin() ? nullptr : &*(behind - 1);
}

const LineSpan* spanOf(const std::vector<LineSpan>& spans, std::uint64_t id)
{
    const auto found = std::find_if(spans.begin(), spans.end(), [id](const LineSpan& span) { return span.id == id; });
    return found == spans.end() ? nullptr : &*found;
}

} // namespace loquor::ui
