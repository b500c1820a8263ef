// The side of a recording that runs on the device's thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/audio/sample_ring.h"

namespace loquor::audio {

// capture() is all that the callback of an input does: it copies into rings and stores atomics. It takes no lock, allocates
// nothing, calls nothing that may wait (tests: tst_capture_ring).
class CaptureRing
{
public:
    explicit CaptureRing(std::size_t capacity) : m_ring(capacity), m_monitor(kMonitorSamples) {}

    // Device's thread. Whole blocks only, so that channels stay in place.
    void capture(const float* in, std::size_t frames, bool overflow)
    {
        const std::size_t count = frames * m_channels;
        if (overflow)
            m_xruns.fetch_add(1, std::memory_order_relaxed);
        if (in == nullptr || m_ring.space() < count)
            m_xruns.fetch_add(1, std::memory_order_relaxed);
        else
            m_ring.write(in, count);
        if (in != nullptr && m_monitored.load(std::memory_order_relaxed))
            monitor(in, frames);
        m_calls.fetch_add(1, std::memory_order_release);
    }

    // Reader's thread, while no stream runs.
    void begin(int channels)
    {
        m_channels = static_cast<std::size_t>(channels);
        m_ring.clear();
        m_monitor.clear();
    }
    std::size_t read(float* out, std::size_t count) { return m_ring.read(out, count); }
    // Times that the device or this program could not keep up; never goes back.
    std::uint64_t xruns() const { return m_xruns.load(std::memory_order_relaxed); }
    // Grows as long as the device is at work.
    std::uint64_t calls() const { return m_calls.load(std::memory_order_acquire); }

    // The sound that comes in as mono, for who wants to hear it; read by the callback of an output.
    SampleRing& monitorRing() { return m_monitor; }
    void setMonitored(bool on) { m_monitored.store(on, std::memory_order_relaxed); }

private:
    static constexpr std::size_t kMonitorSamples = 16384;

    void monitor(const float* in, std::size_t frames)
    {
        for (std::size_t i = 0; i < frames; ++i) {
            float sum = 0;
            for (std::size_t c = 0; c < m_channels; ++c)
                sum += in[i * m_channels + c];
            sum /= static_cast<float>(m_channels);
            m_monitor.write(&sum, 1);
        }
    }

    static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
    SampleRing m_ring, m_monitor;
    std::size_t m_channels = 1; // written while no stream runs
    std::atomic<std::uint64_t> m_xruns{0}, m_calls{0};
    std::atomic<bool> m_monitored{false};
};

} // namespace loquor::audio
