// Sound into FLAC files of 24 bits, for recordings: what was written so far plays whatever happens.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/error.h"
#include "core/base/time.h"

namespace loquor::media {

// Writes to partOf(file), which it keeps locked, frame by frame: after a crash the part is a FLAC stream of unknown
// length that any player plays. finish() completes the header and gives the file its name, never over another one.
// Without finish() the part stays. One thread at a time; blocks.
class FlacWriter
{
public:
    // 1 to 8 channels. Makes the folder if need be. Errors name the file; AlreadyExists when there is one.
    static Result<FlacWriter> create(const std::filesystem::path& file, int sampleRate, int channels);
    ~FlacWriter();
    FlacWriter(FlacWriter&&) noexcept;
    FlacWriter& operator=(FlacWriter&&) noexcept;

    // Interleaved; values beyond [-1, 1] are held to it, others are rounded to 24 bits. DiskFull.
    Result<> write(const float* samples, SampleIndex frames);
    Result<> finish();
    // Removes what was written. Nothing may be called after it.
    void discard();

    SampleIndex frames() const; // taken so far
    static std::filesystem::path partOf(const std::filesystem::path& file);

private:
    struct Impl;
    explicit FlacWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

// True while a FlacWriter of any process writes this part file.
bool isBeingWritten(const std::filesystem::path& part);

} // namespace loquor::media
