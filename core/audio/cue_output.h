// What is heard while somebody records: clicks, the old take before a punch, oneself.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/audio/audio_backend.h"
#include "core/audio/sample_ring.h"

namespace loquor::audio {

// Clicks at the beginning of each of `count` beats, the last of them lower; mono, count * secondsEach long.
std::vector<float> countInClicks(int count, double secondsEach, int sampleRate);

// One thread; start() and stop() may block. The output's callback reads the cue and the monitor's ring and stores
// atomics, nothing else.
class CueOutput
{
public:
    explicit CueOutput(AudioBackend& backend) : m_backend(backend) {}
    ~CueOutput() { stop(); }
    CueOutput(const CueOutput&) = delete;
    CueOutput& operator=(const CueOutput&) = delete;

    // Opens the default output at `sampleRate`, the rate of the ring (0 = its own), silent until play(). `monitor` may be
    // null; it must outlive the stream.
    Result<void> open(int sampleRate, SampleRing* monitor);
    int sampleRate() const { return m_stream ? m_stream->sampleRate() : 0; }
    // Mono at sampleRate(). Begins to play it, and the monitor.
    Result<void> play(std::vector<float> cue);
    void stop();
    bool isOpen() const { return m_stream != nullptr; }
    // How long after the start of play() its first sample is heard, as far as the device tells; 0 before.
    double latencySeconds() const { return m_latency.load(std::memory_order_relaxed); }

private:
    void fill(float* out, std::size_t frames, double secondsUntilHeard);

    AudioBackend& m_backend;
    std::unique_ptr<AudioStream> m_stream;
    std::vector<float> m_cue; // written while the stream is stopped
    SampleRing* m_monitor = nullptr;
    std::size_t m_channels = 1, m_at = 0; // m_at: callback only while the stream runs
    std::size_t m_mostLag = 0;            // of the monitor, in samples
    std::atomic<double> m_latency{0};
};

} // namespace loquor::audio
