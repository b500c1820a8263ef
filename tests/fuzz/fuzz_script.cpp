// Scripts: spans stay inside the text, and what is spoken has the length of what is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/speech/script.h"
#include "core/speech/segments.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto script = loquor::speech::parseScript({reinterpret_cast<const char*>(data), size});
    if (!script)
        return 0;
    for (const auto& line : script->lines) {
        if (line.text.size() != line.spoken.size() || line.sourceBegin < 0 ||
            line.sourceBegin + static_cast<std::int64_t>(line.text.size()) > static_cast<std::int64_t>(script->source.size()))
            std::abort();
        for (const auto& tag : line.tags) {
            if (tag.textBegin < 0 || tag.textEnd <= tag.textBegin || tag.textEnd > static_cast<std::int32_t>(line.text.size()))
                std::abort();
        }
        std::int32_t last = 0;
        for (const auto& span : line.spans) {
            if (span.textBegin < last || span.textEnd <= span.textBegin || span.textEnd > static_cast<std::int32_t>(line.text.size()))
                std::abort();
            last = span.textBegin;
        }
        std::int32_t end = 0;
        for (const auto& segment : loquor::speech::spokenSegments(line)) {
            if (segment.begin < end || segment.end < segment.begin)
                std::abort();
            end = segment.end;
        }
    }
    return 0;
}
