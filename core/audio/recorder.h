// Records a microphone to a WAV file and watches it: level, lost samples, silence, device gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/audio/audio_backend.h"
#include "core/audio/sample_ring.h"
#include "core/audio/wav_writer.h"

namespace loquor::audio {

struct RecorderState
{
    enum class Phase {
        Idle = 1,
        Opening, // the device is being opened
        Armed,   // the level is measured, nothing is written
        Recording,
        Finished, // `file` is there
        Failed,   // see error; a take that had begun is kept in `file` if that is not empty
    };
    Phase phase = Phase::Idle;
    double seconds = 0;           // recorded so far
    float peak = 0;               // 0..1, of the last 50 ms
    std::uint64_t lostBlocks = 0; // times the device or this program could not keep up
    double silentSeconds = 0;     // exact silence: a muted or absent microphone
    int sampleRate = 0, channels = 0;
    std::filesystem::path file;
    std::optional<Error> error;
};

// Every function returns at once and may be called from any thread; an own thread opens the device
// and writes the file at the rate of the device. The callback only copies into a ring.
class Recorder
{
public:
    explicit Recorder(AudioBackend& backend); // must outlive this
    ~Recorder();                              // finishes a running take
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Opens the device ("" = default) and measures its level.
    void arm(const std::string& device);
    // Begins to write; arms first if needed.
    void record(const std::filesystem::path& file, const std::string& device);
    // Ends the take and closes the device.
    void stop();
    RecorderState state() const;

private:
    void run();
    void serve(); // until the end
    void open(const std::string& device);
    void beginTake(const std::filesystem::path& file);
    void drain();
    void measure(const float* samples, std::size_t count);
    void endTake();
    void close(RecorderState::Phase phase);
    void failWith(Error error);
    void capture(const float* in, std::size_t frames, bool overflow);

    AudioBackend& m_backend;

    mutable std::mutex m_mutex; // guards these
    std::condition_variable m_wake;
    bool m_wantOpen = false, m_wantRecord = false, m_quit = false;
    std::string m_device;
    std::filesystem::path m_file;
    RecorderState m_state;

    // Own thread only.
    std::unique_ptr<AudioStream> m_stream;
    std::unique_ptr<WavWriter> m_writer;
    std::vector<float> m_block;
    std::int64_t m_recorded = 0, m_sinceFlush = 0, m_silent = 0;
    float m_windowPeak = 0;
    std::int64_t m_windowFrames = 0;

    // Shared with the callback.
    SampleRing m_ring;
    int m_channels = 1; // written before the stream starts
    std::atomic<std::uint64_t> m_lost{0};

    std::thread m_thread; // last
};

} // namespace loquor::audio
