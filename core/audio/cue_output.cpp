#include "core/audio/cue_output.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace loquor::audio {

namespace {

constexpr double kLatencySeconds = .03, kMostLagSeconds = .08;
constexpr double kClickSeconds = .03, kClickHertz = 1500, kLastClickHertz = 1000;
constexpr double kClickLevel = .3;

} // namespace

std::vector<float> countInClicks(int count, double secondsEach, int sampleRate)
{
    const double beat = secondsEach * sampleRate;
    std::vector<float> out(static_cast<std::size_t>(std::llround(beat * count)));
    const auto length = static_cast<std::size_t>(kClickSeconds * sampleRate);
    for (int k = 0; k < count; ++k) {
        const auto begin = static_cast<std::size_t>(std::llround(beat * k));
        const double hertz = k + 1 == count ? kLastClickHertz : kClickHertz;
        for (std::size_t i = 0; i < length && begin + i < out.size(); ++i) {
            const double t = static_cast<double>(i) / sampleRate;
            out[begin + i] = static_cast<float>(kClickLevel * std::exp(-t / (kClickSeconds / 5)) *
                                                std::sin(2 * std::numbers::pi * hertz * t));
        }
    }
    return out;
}

Result<void> CueOutput::open(int sampleRate, SampleRing* monitor)
{
    stop();
    StreamSpec spec;
    spec.sampleRate = sampleRate;
    spec.latencySeconds = kLatencySeconds;
    LQ_TRY(m_stream, m_backend.openOutput(spec, [this](float* out, std::size_t frames, double secondsUntilHeard) {
        fill(out, frames, secondsUntilHeard);
    }));
    m_channels = static_cast<std::size_t>(m_stream->channels());
    m_monitor = monitor;
    m_mostLag = static_cast<std::size_t>(kMostLagSeconds * m_stream->sampleRate());
    m_latency = 0;
    return {};
}

Result<void> CueOutput::play(std::vector<float> cue)
{
    m_stream->stop();
    m_cue = std::move(cue);
    m_at = 0;
    return m_stream->start();
}

void CueOutput::stop()
{
    if (m_stream)
        m_stream->stop();
    m_stream.reset();
    m_monitor = nullptr;
}

void CueOutput::fill(float* out, std::size_t frames, double secondsUntilHeard)
{
    if (m_at == 0)
        m_latency.store(secondsUntilHeard, std::memory_order_relaxed);
    std::size_t heard = 0;
    if (m_monitor != nullptr) {
        // The clocks of the two devices differ, and an output may start late: what is too old is dropped, through `out`.
        while (m_monitor->available() > frames + m_mostLag)
            m_monitor->read(out, std::min(frames, m_monitor->available() - frames - m_mostLag / 2));
        heard = m_monitor->read(out, frames);
    }
    const std::size_t cued = std::min(frames, m_cue.size() - std::min(m_at, m_cue.size()));
    // Spread mono over the channels in place, from the back.
    for (std::size_t i = frames; i-- > 0;) {
        const float value = (i < heard ? out[i] : 0.f) + (i < cued ? m_cue[m_at + i] : 0.f);
        std::fill_n(out + i * m_channels, m_channels, value);
    }
    m_at += frames;
}

} // namespace loquor::audio
