// Recording over a part of a take: the old take stays, a new one is made of the two.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/base/time.h"

namespace loquor::audio {

// Around both seams the old and the new are heard together for this long.
inline constexpr double kPunchFadeSeconds = .01;

struct PunchParts
{
    std::filesystem::path old;
    // New sound, at any rate: it begins leadSeconds (0 to kPunchFadeSeconds) before `from`.
    std::filesystem::path stretch;
    double leadSeconds = 0;
    double from = 0, to = 0; // seconds of the old take that are replaced
};

// Writes old[0, from) + stretch + old[to, end) to `file` as FLAC at the rate and channels of the old take. Where the
// stretch is shorter than was asked for, the old take goes on behind it. Blocks; constant memory but for the stretch.
// Returns the length in sample frames.
Result<SampleIndex> assemblePunch(const PunchParts& parts, const std::filesystem::path& file);

} // namespace loquor::audio
