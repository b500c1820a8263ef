// Sound into WAV files.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"
#include "core/platform/atomic_file.h"

namespace loquor::media {

enum class WavFormat {
    Int16 = 1, // clipped to [-1, 1]
    Float32,
};

// Writes a WAV file piece by piece; it gets its name on finish(). At most 4 GB.
class WavWriter
{
public:
    static Result<WavWriter> create(const std::filesystem::path& file, int sampleRate, int channels,
                                    WavFormat format, platform::IfExists ifExists);
    // Interleaved samples.
    Result<> write(const float* samples, SampleIndex frames);
    Result<> finish();

private:
    WavWriter(platform::AtomicFile file, int sampleRate, int channels, WavFormat format);
    platform::AtomicFile m_file;
    int m_sampleRate, m_channels;
    WavFormat m_format;
    std::uint64_t m_dataBytes = 0;
};

Result<> writeWav(const std::filesystem::path& file, const AudioBlock& block,
                  WavFormat format = WavFormat::Int16,
                  platform::IfExists ifExists = platform::IfExists::Replace);

} // namespace loquor::media
