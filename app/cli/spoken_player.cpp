#include "app/cli/spoken_player.h"

#include <algorithm>
#include <string>

namespace loquor::cli {

namespace {

std::string sentence(const std::string& text)
{
    return text.ends_with('.') ? text : text + '.';
}

} // namespace

Result<std::unique_ptr<SpokenPlayer>> SpokenPlayer::open()
{
    auto device = audio::createPortAudioBackend();
    const auto silence = [](float* out, std::size_t frames, double) { std::fill_n(out, frames, 0.0f); };
    const auto trial = device->openOutput({}, silence); // Playback would go on without sound
    if (!trial)
        return fail(ErrorCode::NotFound, "It cannot be played: " + sentence(trial.error().message()) + " Write a file with -o instead.");
    return std::unique_ptr<SpokenPlayer>(new SpokenPlayer(std::move(device)));
}

SpokenPlayer::SpokenPlayer(std::unique_ptr<audio::AudioBackend> device)
    : m_device(std::move(device)), m_clock(audio::createClockBackend()), m_playback(*m_device, *m_clock)
{
}

// Behind the end comes silence, which pushes the last samples through the device.
std::size_t SpokenPlayer::read(std::int64_t from, float* out, std::size_t count) const
{
    const std::lock_guard lock(m_mutex);
    const auto begin = std::min(m_samples.size(), static_cast<std::size_t>(from));
    const std::size_t there = std::min(count, m_samples.size() - begin);
    std::copy_n(m_samples.begin() + static_cast<std::ptrdiff_t>(begin), there, out);
    if (!m_ended)
        return there;
    std::fill(out + there, out + count, 0.0f);
    return count;
}

void SpokenPlayer::add(const AudioBlock& piece)
{
    const std::lock_guard lock(m_mutex);
    m_rate = piece.sampleRate;
    m_samples.insert(m_samples.end(), piece.samples.begin(), piece.samples.end());
}

void SpokenPlayer::end()
{
    const std::lock_guard lock(m_mutex);
    m_ended = true;
}

Result<bool> SpokenPlayer::isOver()
{
    std::int64_t samples = 0;
    int rate = 0;
    bool ended = false;
    {
        const std::lock_guard lock(m_mutex);
        samples = static_cast<std::int64_t>(m_samples.size());
        rate = m_rate;
        ended = m_ended;
    }
    if (!m_started && rate > 0) {
        m_playback.play([this](std::int64_t from, float* out, std::size_t count) { return read(from, out, count); }, rate, 0);
        m_started = true;
    }
    if (m_playback.isSilent())
        return fail(ErrorCode::NotFound, "It cannot be played any more: " + sentence(m_playback.silenceReason()));
    return ended && (!m_started || m_playback.position() >= samples);
}

void SpokenPlayer::stop()
{
    m_playback.stop();
}

} // namespace loquor::cli
