// How a recording is taken in: which of its sound, and what is made better of it for those who listen. The file itself
// stays as it is.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_reader.h"

namespace loquor::media {

struct SoundImport
{
    int stream = 0;                         // AudioStreamInfo::number; 0 = the first one with sound
    std::chrono::microseconds from{0}, to{0}; // the part that is used; to 0 = to the end
    bool loudness = false;                  // brought to kImportLufs, peaks held below -1 dBTP
    bool denoise = false;                   // without steady noise

    // Nothing was asked for.
    bool isPlain() const { return *this == SoundImport(); }
    // Samples are changed, so a copy is needed.
    bool isProcessed() const { return loudness || denoise; }
    AudioReadOptions reading(int sampleRate, int channels) const;

    friend bool operator==(const SoundImport&, const SoundImport&) = default;
};
inline constexpr double kImportLufs = -16;

// Identity of what is done, for keys; "" when nothing is. Changes when the same file gives other samples.
std::string importKey(const SoundImport& import);

// Writes the processed sound as FLAC of 24 bits: the rate of the file, as many samples as the part has, one or two channels.
// Decodes the file two or three times: loudness is one gain for all of it, and noise is measured first. Blocks; constant
// memory. `copy` is there only when it is whole. `progress`: 0 to 1.
using ImportProgress = std::function<void(double done)>;
Result<void> writeProcessed(const std::filesystem::path& file, const SoundImport& import, const std::filesystem::path& copy,
                            const CancelToken& cancel, const ImportProgress& progress = {});

} // namespace loquor::media
