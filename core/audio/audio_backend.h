// The seam between sound code and the machine: PortAudio behind it in the program, a clock where no
// device exists, a fake in tests.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace loquor::audio {

// Seconds of a steady clock; a parameter so that tests can hold time still.
using Clock = std::function<double()>;
Clock steadyClock();

struct DeviceInfo
{
    std::string id; // stable within one start of the program; "" stands for the default device
    std::string name;
    int channels = 0;
    int defaultSampleRate = 0;
};

struct StreamSpec
{
    std::string device; // "" = default
    int sampleRate = 0; // 0 = the rate the device prefers
    int channels = 0;   // of an input; 0 = as many as the device has (see portaudio_backend.cpp)
    double latencySeconds = 0.05; // wished for
};

// Fills `out` with `frames` interleaved frames; the first of them is heard `secondsUntilHeard` from
// now. Runs on the device's thread: no lock, no allocation, no log, no file.
using OutputCallback =
    std::function<void(float* out, std::size_t frames, double secondsUntilHeard)>;
// Gets `frames` interleaved frames; `overflow` says that the device lost some before them.
using InputCallback = std::function<void(const float* in, std::size_t frames, bool overflow)>;

// An open stream, silent until started. Closes in the destructor. One thread at a time; may block.
class AudioStream
{
public:
    virtual ~AudioStream() = default;
    virtual Result<void> start() = 0;
    virtual void stop() = 0; // at once, without playing out; the callback has ended on return
    virtual int sampleRate() const = 0;
    virtual int channels() const = 0;
    // False when the device ended the stream by itself (unplugged, sound server gone).
    virtual bool isAlive() const = 0;
};

// Opening and closing may block (sound servers answer slowly): never on the UI thread. Thread-safe.
class AudioBackend
{
public:
    virtual ~AudioBackend() = default;
    virtual Result<std::unique_ptr<AudioStream>> openOutput(const StreamSpec& spec,
                                                            OutputCallback callback) = 0;
    virtual Result<std::unique_ptr<AudioStream>> openInput(const StreamSpec& spec,
                                                           InputCallback callback) = 0;
    virtual std::vector<DeviceInfo> inputDevices() = 0;
};

// Sound devices of this machine. NotFound when there is none.
std::unique_ptr<AudioBackend> createPortAudioBackend();
// An output that lets time run at the right speed and throws the sound away; it has no input.
std::unique_ptr<AudioBackend> createClockBackend();

} // namespace loquor::audio
