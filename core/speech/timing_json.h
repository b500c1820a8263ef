// timing.json: the written form of a Timing, described in docs/timing.md. One schema for render, align,
// say and evaluate. Numbers do not depend on the locale. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/speech/timing.h"

namespace loquor::speech {

// The opening of the lips as it was drawn, evenly spaced from time 0.
struct DrawnGap
{
    double rate = 0;           // values per second
    std::vector<float> values; // eye distances
};

// A timing and the text its spans point into (empty: not known).
struct TimingDocument
{
    Timing timing;
    std::string text; // UTF-8
    std::optional<DrawnGap> gap{};
};

// JSON text, times with six decimals. The same document always gives the same bytes.
std::string writeTimingJson(const TimingDocument& document);

// Strict: every field of the schema must be there with its type, times must be finite, ordered and
// inside the duration, phonemes contiguous, spans inside the text. Errors (Corrupt) name the place,
// e.g. "words[3].end", and what is wrong. Unknown fields are ignored, so that later versions can add.
Result<TimingDocument> readTimingJson(std::string_view json);

// The same for files; errors name the file. Writing goes to a temporary file beside the target first.
Result<void> writeTimingFile(const std::filesystem::path& file, const TimingDocument& document);
Result<TimingDocument> readTimingFile(const std::filesystem::path& file);

} // namespace loquor::speech
