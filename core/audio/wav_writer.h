// Writes a WAV file (32-bit float) piece by piece; the file is valid after every flush.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/base/error.h"

namespace loquor::audio {

// Writes to "<file>.part" and renames in finish(). Without finish() the part is kept on the disk:
// a take must survive a crash. One thread; blocking.
class WavWriter
{
public:
    static Result<std::unique_ptr<WavWriter>> create(const std::filesystem::path& file,
                                                     int sampleRate, int channels);
    ~WavWriter();
    WavWriter(const WavWriter&) = delete;
    WavWriter& operator=(const WavWriter&) = delete;

    // `count` interleaved samples. DiskFull; Unsupported past 4 GiB.
    Result<void> write(const float* samples, std::size_t count);
    // Brings the lengths in the header up to date and flushes.
    Result<void> flush();
    Result<void> finish();
    // Removes what was written.
    void discard();

private:
    WavWriter(std::filesystem::path file, std::FILE* stream, int sampleRate, int channels);
    Result<void> writeHeader();

    const std::filesystem::path m_file, m_part;
    std::FILE* m_stream;
    const int m_sampleRate, m_channels;
    std::uint64_t m_dataBytes = 0;
};

} // namespace loquor::audio
