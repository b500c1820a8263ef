// Plays a growing sound and tells where the ear is: the master clock of the preview.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/audio/audio_backend.h"
#include "core/audio/sample_ring.h"
#include "core/audio/sink_resampler.h"

namespace loquor::audio {

// Copies samples [from, from + count) of a mono sound and returns how many are there by now. Called
// on the thread of Playback.
using SampleSource = std::function<std::size_t(std::int64_t from, float* out, std::size_t count)>;

// All public functions return at once and belong to one thread (the UI's). An own thread opens the
// device, reads the source and fills a ring; the device's callback only copies from it. When the
// source has nothing yet, silence is played and the position stands still: nothing is skipped.
class Playback
{
public:
    // Both must outlive this. `fallback` (usually the clock) is used when `device` has no output.
    Playback(AudioBackend& device, AudioBackend& fallback, Clock clock = steadyClock());
    ~Playback();
    Playback(const Playback&) = delete;
    Playback& operator=(const Playback&) = delete;

    void play(SampleSource source, int sampleRate, std::int64_t fromSample);
    void stop();
    bool isPlaying() const { return m_playing; }

    // Sample of the source that is being heard now; after stop() the one that was heard last.
    std::int64_t position() const;
    // The source had nothing to give in time.
    bool isStarved() const { return m_starved.load(std::memory_order_relaxed); }
    // Sound goes nowhere: there is no output device, or it went away. Known after the first play().
    bool isSilent() const { return m_silent.load(std::memory_order_relaxed); }
    // Why, for people; empty when there is sound.
    std::string silenceReason() const;

private:
    // Which sample is heard when; written by the callback, read by position(). Note "Clock point".
    struct ClockPoint
    {
        std::int64_t samples = 0; // of the device, counted from the start of this play()
        double heardAt = 0;       // when they have all been heard
    };
    struct Order
    {
        std::uint64_t number = 0; // grows with every play() and stop()
        SampleSource source;      // empty: stop
        int sampleRate = 0;
        std::int64_t fromSample = 0;
    };

    void run();
    void serve(); // until the end
    void waitIdle(std::unique_lock<std::mutex>& lock);
    void begin(const Order& order);
    bool openStream(int sampleRate);
    bool openOn(AudioBackend& backend, int sampleRate);
    void feed();
    void replaceLostDevice();
    void fill(float* out, std::size_t frames, double secondsUntilHeard);
    void publish(ClockPoint point);
    ClockPoint clockPoint() const;

    AudioBackend& m_device;
    AudioBackend& m_fallback;
    const Clock m_clock;

    // Caller's thread only.
    bool m_playing = false;
    std::int64_t m_fromSample = 0;
    std::uint64_t m_orderNumber = 0; // of the newest order given
    mutable std::int64_t m_lastPosition = 0;

    // m_mutex
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    Order m_order;
    bool m_quit = false;
    std::string m_silenceReason;

    // Own thread only.
    Order m_current;
    std::unique_ptr<AudioStream> m_stream;
    int m_streamFor = 0; // source rate the open stream was made for
    bool m_streamIsFallback = false;
    std::int64_t m_nextSample = 0;
    std::unique_ptr<SinkResampler> m_resampler;
    std::vector<float> m_pulled, m_pending;

    // Shared with the callback; atomics only.
    SampleRing m_ring;
    int m_channels = 1; // written while the stream is stopped
    std::atomic<double> m_deviceRate{1};
    std::int64_t m_consumed = 0; // callback only while the stream runs
    std::atomic<std::uint32_t> m_sequence{0};
    std::atomic<std::int64_t> m_pointSamples{0};
    std::atomic<double> m_pointHeardAt{0};
    std::atomic<double> m_ratio{1};              // source samples per device sample
    std::atomic<std::uint64_t> m_activeOrder{0}; // the order that the clock point belongs to
    std::atomic<bool> m_starved{false};
    std::atomic<bool> m_silent{false};

    std::thread m_thread; // last: starts when all of the above is there
};

} // namespace loquor::audio
