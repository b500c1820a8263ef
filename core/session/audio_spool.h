// The sound of a run for playing along: grows while lines are made, lives in a nameless file, so that
// hours of it cost no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>

#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/platform/file_descriptor.h"

namespace loquor::session {

// Any thread.
class AudioSpool
{
public:
    // Starts anew at this rate; the file lies in `folder` without a name.
    Result<void> restart(const std::filesystem::path& folder, int sampleRate);
    // Appends, mixed to mono.
    Result<void> append(const AudioBlock& audio);
    // Copies samples [from, from + count); returns how many were there.
    std::size_t read(std::int64_t from, float* out, std::size_t count) const;
    int sampleRate() const;

private:
    mutable std::mutex m_mutex; // guards all below
    platform::FileDescriptor m_file;
    int m_sampleRate = 0;
    std::int64_t m_samples = 0;
};

} // namespace loquor::session
