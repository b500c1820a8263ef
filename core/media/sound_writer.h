// Sound into files of the kind that their names say: WAV, FLAC, MP3.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/platform/atomic_file.h"

namespace loquor::media {

enum class SoundFormat { Wav = 1, // 16 bits
                         Flac,    // the same samples
                         Mp3 };   // variable bit rate, very good; decoded it has the same length
// By the ending of the name, in any case; nothing for others.
std::optional<SoundFormat> soundFormatOf(const std::filesystem::path& file);

// Piece by piece; the file gets its name on finish(), and nothing is left without it. One thread at a time; blocks.
class SoundWriter
{
public:
    // One or two channels. MP3 has other rates than those of the standard converted to 48 kHz. InvalidArgument: the name says
    // none of these kinds. Unsupported: this FFmpeg has no such encoder. Else as AtomicFile::create.
    static Result<SoundWriter> create(const std::filesystem::path& file, int sampleRate, int channels,
                                      platform::IfExists ifExists);
    ~SoundWriter();
    SoundWriter(SoundWriter&&) noexcept;
    SoundWriter& operator=(SoundWriter&&) noexcept;

    // Interleaved; values beyond [-1, 1] are held to it. DiskFull and the like name the file.
    Result<> write(const float* samples, SampleIndex frames);
    Result<> finish();

private:
    struct Impl;
    explicit SoundWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace loquor::media
