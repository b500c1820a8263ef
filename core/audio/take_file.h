// Takes on the disk: FLAC as it came from the device, and beside it what happened while it was recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/sound_report.h"

namespace loquor::audio {

// The device was away: from `at` on `silence` sample frames of the file are silence, in place of lostSeconds.
struct TakeGap
{
    SampleIndex at = 0, silence = 0;
    double lostSeconds = 0;
    bool operator==(const TakeGap&) const = default;
};

// What happened during a take; <take>.json beside it.
struct TakeFacts
{
    std::string device;
    int sampleRate = 0, channels = 0;
    SampleIndex frames = 0;
    std::uint64_t xruns = 0; // times that sound was lost because something could not keep up
    std::int64_t clippedRuns = 0;
    std::vector<media::SoundSpan> clipped; // places, in sample frames
    double noiseFloorDb = media::SoundReport::kQuietest;
    std::vector<TakeGap> gaps;
    bool isRecovered = false; // of a recording that the program did not end itself
};

std::filesystem::path factsFileOf(const std::filesystem::path& take);
Result<void> writeTakeFacts(const std::filesystem::path& take, const TakeFacts& facts);
// NotFound for takes of older versions and sound from elsewhere.
Result<TakeFacts> readTakeFacts(const std::filesystem::path& take);

// Finishes takes in `folder` that a crash left as parts (FLAC, and the WAV of older versions) and nobody records any more:
// their sound gets a complete file under the take's name, then the part goes. Returns the takes. A part without
// a sample is removed. Blocks; reads all of them. What a cancel leaves is finished the next time. A folder that does not
// exist holds none.
std::vector<std::filesystem::path> recoverTakes(const std::filesystem::path& folder, const CancelToken& cancel = {});

} // namespace loquor::audio
