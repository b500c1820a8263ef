// Sample rate and channel changes of sound in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"

namespace loquor::media {

// The whole block at another rate and number of channels (0 = keep). Length: ceil(frames * rate /
// block.sampleRate). High-quality band-limited conversion without delay; mono is the average.
Result<AudioBlock> converted(const AudioBlock& block, int sampleRate, int channels = 0);

// The same for a stream in pieces; the pieces joined equal the whole. One thread at a time.
class AudioConverter
{
public:
    static Result<AudioConverter> create(int fromRate, int fromChannels, int toRate,
                                         int toChannels);
    ~AudioConverter();
    AudioConverter(AudioConverter&&) noexcept;
    AudioConverter& operator=(AudioConverter&&) noexcept;

    // Appends what comes out for these interleaved samples to `out` (may be nothing yet).
    Result<> push(const float* samples, SampleIndex frames, std::vector<float>& out);
    // Appends the rest. Nothing may be pushed after it.
    Result<> finish(std::vector<float>& out);

private:
    struct Impl;
    explicit AudioConverter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace loquor::media
