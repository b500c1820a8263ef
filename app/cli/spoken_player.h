// Plays speech while it is being made.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/audio/playback.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"

namespace loquor::cli {

class SpokenPlayer
{
public:
    // NotFound says that there is no device to hear it on.
    static Result<std::unique_ptr<SpokenPlayer>> open();

    // Mono, always at the same rate. The first piece starts it. One thread.
    void add(const AudioBlock& piece);
    // Nothing more comes. The same thread.
    void end();
    // All of it was heard. An error when the device went away. The thread that opened it, as for stop().
    Result<bool> isOver();
    // At once.
    void stop();

private:
    explicit SpokenPlayer(std::unique_ptr<audio::AudioBackend> device);
    std::size_t read(std::int64_t from, float* out, std::size_t count) const;

    const std::unique_ptr<audio::AudioBackend> m_device, m_clock;
    mutable std::mutex m_mutex; // guards the three below
    std::vector<float> m_samples;
    int m_rate = 0;
    bool m_ended = false;
    bool m_started = false;     // the opening thread only
    audio::Playback m_playback; // last: its thread reads the above
};

} // namespace loquor::cli
