#include "core/session/audio_spool.h"

#include <algorithm>
#include <vector>

#include <unistd.h>

#include "core/platform/nameless_file.h"

namespace loquor::session {

Result<void> AudioSpool::restart(const std::filesystem::path& folder, int sampleRate)
{
    LQ_TRY(platform::FileDescriptor file, platform::makeNamelessFile(folder));
    std::lock_guard lock(m_mutex);
    m_file = std::move(file);
    m_sampleRate = sampleRate;
    m_samples = 0;
    return {};
}

Result<void> AudioSpool::append(const AudioBlock& audio)
{
    const auto channels = static_cast<std::size_t>(audio.channels);
    std::vector<float> mono(static_cast<std::size_t>(audio.frames()));
    for (std::size_t i = 0; i < mono.size(); ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < channels; ++c)
            sum += audio.samples[i * channels + c];
        mono[i] = sum / static_cast<float>(channels);
    }
    std::lock_guard lock(m_mutex);
    LQ_CHECKED(platform::writeAll(m_file.get(), mono.data(), mono.size() * sizeof(float),
                                  "Keeping the sound for the preview"));
    m_samples += static_cast<std::int64_t>(mono.size());
    return {};
}

std::size_t AudioSpool::read(std::int64_t from, float* out, std::size_t count) const
{
    std::lock_guard lock(m_mutex);
    if (!m_file.isOpen() || from < 0 || from >= m_samples)
        return 0;
    const auto there = static_cast<std::size_t>(std::min<std::int64_t>(m_samples - from,
                                                                       static_cast<std::int64_t>(count)));
    std::size_t done = 0;
    while (done < there * sizeof(float)) {
        const ssize_t got = ::pread(m_file.get(), reinterpret_cast<char*>(out) + done,
                                    there * sizeof(float) - done,
                                    static_cast<off_t>(from * static_cast<std::int64_t>(sizeof(float)) +
                                                       static_cast<std::int64_t>(done)));
        if (got <= 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done / sizeof(float);
}

int AudioSpool::sampleRate() const
{
    std::lock_guard lock(m_mutex);
    return m_sampleRate;
}

} // namespace loquor::session
