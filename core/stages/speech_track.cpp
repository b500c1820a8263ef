#include "core/stages/speech_track.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/stages/mono.h"

namespace loquor::stages {

SpeechTrack::SpeechTrack(int sampleRate, int channels) : m_sampleRate(sampleRate), m_channels(channels)
{
    LOQUOR_CHECK(sampleRate > 0 && channels > 0, "sound has a rate and channels");
}

Result<void> SpeechTrack::append(TrackLine line)
{
    if (line.audio.sampleRate != m_sampleRate || line.audio.channels != m_channels ||
        line.audio.frames() != line.spec.samples)
        return fail(ErrorCode::InvalidArgument, "The sound of line " + std::to_string(line.spec.number) +
                                                    " has another shape than the run.");
    {
        std::lock_guard lock(m_mutex);
        if (m_complete)
            return fail(ErrorCode::InvalidArgument,
                        "Line " + std::to_string(line.spec.number) + " follows the last line.");
        m_samples.insert(m_samples.end(), line.audio.samples.begin(), line.audio.samples.end());
        m_end += line.spec.samples;
        for (speech::Phoneme& phoneme : line.phonemes)
            m_sounds.push_back({std::move(phoneme.symbol), phoneme.start, phoneme.end,
                                phoneme.confidence, phoneme.stressed});
        m_cues.insert(m_cues.end(), line.cues.begin(), line.cues.end());
        std::move(line.captions.begin(), line.captions.end(), std::back_inserter(m_captions));
        m_lines.push_back(line.spec);
        m_complete = line.spec.isLast;
    }
    m_changed.notify_all();
    return {};
}

std::vector<media::BurntCaption> SpeechTrack::takeCaptions()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_captions, {});
}

template<class Condition>
Result<void> SpeechTrack::waitUntil(std::unique_lock<std::mutex>& lock, const CancelToken& cancel,
                                    Condition condition)
{
    ++m_waiting;
    // The token may fire between test and wait: short waits bound how late that is noticed.
    while (!condition() && !cancel.isCancelled())
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
    --m_waiting;
    if (cancel.isCancelled())
        return cancelled();
    return {};
}

Result<std::optional<pipeline::LineSpec>> SpeechTrack::nextLine(const CancelToken& cancel)
{
    std::unique_lock lock(m_mutex);
    LQ_CHECKED(waitUntil(lock, cancel, [this] { return !m_lines.empty() || m_complete; }));
    if (m_lines.empty())
        return std::nullopt;
    const pipeline::LineSpec line = m_lines.front();
    m_lines.pop_front();
    return line;
}

Result<portrait::SpeechWindow> SpeechTrack::window(double from, double to, const CancelToken& cancel)
{
    const auto wanted = static_cast<SampleIndex>(std::ceil(to * m_sampleRate));
    std::unique_lock lock(m_mutex);
    LQ_CHECKED(waitUntil(lock, cancel, [&] { return m_end >= wanted || m_complete; }));
    portrait::SpeechWindow out;
    out.isLast = m_complete && m_end <= wanted;
    for (const portrait::Sound& sound : m_sounds) {
        if (sound.end > from && sound.start < to)
            out.sounds.push_back(sound);
    }
    for (const portrait::Cue& cue : m_cues) {
        if (cue.time >= from && cue.time < to)
            out.cues.push_back(cue);
    }
    const auto first = std::max(m_firstSample, static_cast<SampleIndex>(std::floor(from * m_sampleRate)));
    const SampleIndex last = std::min(m_end, wanted);
    out.audioStart = static_cast<double>(first) / m_sampleRate;
    out.audio.sampleRate = m_sampleRate;
    out.audio.channels = 1;
    out.audio.samples.reserve(static_cast<std::size_t>(std::max<SampleIndex>(0, last - first)));
    if (last > first)
        appendMono(out.audio.samples, m_samples.data() + (first - m_firstSample) * m_channels, last - first, m_channels);
    return out;
}

AudioBlock SpeechTrack::audio(SampleIndex first, SampleIndex count) const
{
    std::lock_guard lock(m_mutex);
    LOQUOR_CHECK(first >= m_firstSample && first + count <= m_end, "this sound is not held");
    const auto begin = m_samples.begin() + (first - m_firstSample) * m_channels;
    return {m_sampleRate, m_channels, {begin, begin + count * m_channels}};
}

void SpeechTrack::forgetBefore(double seconds)
{
    std::lock_guard lock(m_mutex);
    const auto keep = std::min(m_end, static_cast<SampleIndex>(std::floor(seconds * m_sampleRate)));
    // Moving the rest costs time: do it when a second or more can go.
    if (keep - m_firstSample >= m_sampleRate) {
        m_samples.erase(m_samples.begin(), m_samples.begin() + (keep - m_firstSample) * m_channels);
        m_firstSample = keep;
    }
    while (!m_sounds.empty() && m_sounds.front().end < seconds)
        m_sounds.pop_front();
    while (!m_cues.empty() && m_cues.front().time < seconds)
        m_cues.pop_front();
}

bool SpeechTrack::isWaiting() const
{
    std::lock_guard lock(m_mutex);
    return m_waiting > 0;
}

double SpeechTrack::secondsHeld() const
{
    std::lock_guard lock(m_mutex);
    return static_cast<double>(m_end - m_firstSample) / m_sampleRate;
}

} // namespace loquor::stages
