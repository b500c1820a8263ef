// PortAudio behind the seam. The only file that includes its header.
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include <dlfcn.h>
#include <portaudio.h>

#include "core/audio/audio_backend.h"
#include "core/base/log.h"

namespace loquor::audio {

namespace {

// Adds what was called and PortAudio's own words to an error.
Error portAudioError(PaError code, const std::string& what)
{
    const char* text = Pa_GetErrorText(code);
    std::string detail = text ? text : "unknown";
    if (code == paUnanticipatedHostError) {
        const PaHostErrorInfo* host = Pa_GetLastHostErrorInfo();
        if (host && host->errorText && *host->errorText)
            detail += std::string(", ") + host->errorText;
    }
    return Error(ErrorCode::Unreadable, what + " (PortAudio: " + detail + ")");
}

// ALSA and JACK tell the terminal about every device they look for in vain, as errors. Both can be given another
// place for their words; they are found by name, because only PortAudio knows which of them it was built with.
void logAlsa(const char*, int, const char* function, int, const char* format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log(LogLevel::Debug, "audio", std::string("ALSA, ") + function + ": " + text);
}

void logJack(const char* text)
{
    log(LogLevel::Debug, "audio", std::string("JACK: ") + text);
}

template<class Function>
Function* loaded(const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

void routeLibraryMessages()
{
    using AlsaHandler = void (*)(const char*, int, const char*, int, const char*, ...);
    using JackHandler = void (*)(const char*);
    if (auto* set = loaded<int(AlsaHandler)>("snd_lib_error_set_handler"))
        set(&logAlsa);
    for (const char* name : {"jack_set_error_function", "jack_set_info_function"}) {
        if (auto* set = loaded<void(JackHandler)>(name))
            set(&logJack);
    }
}

// PortAudio opens, closes and lists from one thread at a time; this is that lock, with the count of
// open streams that decides when the device list may be refreshed.
struct Library
{
    std::mutex mutex;
    bool initialised = false; // mutex
    int openStreams = 0;      // mutex

    // Under the mutex. Devices are listed at initialisation only, so it is done anew when nobody
    // has a stream open: a headset plugged in later is found.
    Result<void> refresh()
    {
        if (initialised && openStreams > 0)
            return {};
        if (initialised)
            Pa_Terminate();
        else
            routeLibraryMessages();
        const PaError result = Pa_Initialize();
        initialised = result == paNoError;
        if (!initialised)
            return fail(portAudioError(result, "Cannot start the sound system"));
        return {};
    }
    ~Library()
    {
        if (initialised)
            Pa_Terminate();
    }
};

class PortAudioStream : public AudioStream
{
public:
    PortAudioStream(std::shared_ptr<Library> library, OutputCallback output, InputCallback input)
        : m_library(std::move(library)), m_output(std::move(output)), m_input(std::move(input))
    {
    }
    ~PortAudioStream() override
    {
        if (!m_stream)
            return;
        std::lock_guard lock(m_library->mutex);
        Pa_CloseStream(m_stream);
        --m_library->openStreams;
    }

    // Under the library's mutex.
    Result<void> open(const StreamSpec& spec, PaDeviceIndex device)
    {
        const PaDeviceInfo* info = Pa_GetDeviceInfo(device);
        const bool isOutput = static_cast<bool>(m_output);
        const int most = isOutput ? info->maxOutputChannels : info->maxInputChannels;
        PaStreamParameters parameters{};
        parameters.device = device;
        // Output in stereo where it exists: mono is not offered by every device.
        parameters.channelCount = isOutput ? std::min(most, 2) : inputChannels(most, spec.channels);
        parameters.sampleFormat = paFloat32;
        parameters.suggestedLatency = spec.latencySeconds;
        m_channels = parameters.channelCount;
        const double rate = spec.sampleRate > 0 ? spec.sampleRate : info->defaultSampleRate;
        m_sampleRate = static_cast<int>(rate);
        const PaError result = Pa_OpenStream(
            &m_stream, isOutput ? nullptr : &parameters, isOutput ? &parameters : nullptr, rate,
            paFramesPerBufferUnspecified, paNoFlag, &PortAudioStream::callback, this);
        if (result != paNoError) {
            m_stream = nullptr;
            return fail(portAudioError(result, std::string("Cannot open '") + info->name + "'"));
        }
        ++m_library->openStreams;
        Pa_SetStreamFinishedCallback(m_stream, &PortAudioStream::finished);
        return {};
    }

    Result<void> start() override
    {
        std::lock_guard lock(m_library->mutex);
        if (Pa_IsStreamStopped(m_stream) == 0)
            Pa_AbortStream(m_stream);
        m_ended = false;
        m_running = true;
        const PaError result = Pa_StartStream(m_stream);
        if (result != paNoError) {
            m_running = false;
            m_ended = true;
            return fail(portAudioError(result, "Cannot start the sound device"));
        }
        return {};
    }
    void stop() override
    {
        std::lock_guard lock(m_library->mutex);
        m_running = false;
        if (Pa_IsStreamStopped(m_stream) == 0)
            Pa_AbortStream(m_stream);
    }
    int sampleRate() const override { return m_sampleRate; }
    int channels() const override { return m_channels; }
    bool isAlive() const override { return !m_ended; }

private:
    // Sound servers offer 32 channels and more of any device: those are not the microphone's.
    static int inputChannels(int most, int wanted)
    {
        constexpr int kMostReal = 8;
        return std::min(most, wanted > 0 ? wanted : (most > kMostReal ? 2 : most));
    }

    static int callback(const void* input, void* output, unsigned long frames,
                        const PaStreamCallbackTimeInfo* time, PaStreamCallbackFlags flags,
                        void* self)
    {
        auto* stream = static_cast<PortAudioStream*>(self);
        if (stream->m_output) {
            // Some hosts leave the times at zero.
            const double ahead = time->outputBufferDacTime - time->currentTime;
            stream->m_output(static_cast<float*>(output), frames,
                             ahead > 0 && ahead < 2 ? ahead : 0.0);
        } else {
            stream->m_input(static_cast<const float*>(input), frames,
                            (flags & paInputOverflow) != 0);
        }
        return paContinue;
    }
    static void finished(void* self)
    {
        auto* stream = static_cast<PortAudioStream*>(self);
        if (stream->m_running) // nobody asked for it
            stream->m_ended = true;
    }

    const std::shared_ptr<Library> m_library;
    const OutputCallback m_output;
    const InputCallback m_input;
    PaStream* m_stream = nullptr;
    int m_sampleRate = 0, m_channels = 0;
    std::atomic<bool> m_running{false}, m_ended{false};
};

class PortAudioBackend : public AudioBackend
{
public:
    Result<std::unique_ptr<AudioStream>> openOutput(const StreamSpec& spec,
                                                    OutputCallback callback) override
    {
        return open(spec, std::move(callback), {});
    }
    Result<std::unique_ptr<AudioStream>> openInput(const StreamSpec& spec,
                                                   InputCallback callback) override
    {
        return open(spec, {}, std::move(callback));
    }
    std::vector<DeviceInfo> inputDevices() override
    {
        std::lock_guard lock(m_library->mutex);
        std::vector<DeviceInfo> devices;
        if (auto ready = m_library->refresh(); !ready) {
            log(LogLevel::Warning, "audio", ready.error().text());
            return devices;
        }
        for (PaDeviceIndex i = 0; i < Pa_GetDeviceCount(); ++i) {
            const PaDeviceInfo* info = Pa_GetDeviceInfo(i);
            if (info && info->maxInputChannels > 0)
                devices.push_back({info->name, info->name, info->maxInputChannels,
                                   static_cast<int>(info->defaultSampleRate)});
        }
        return devices;
    }

private:
    static PaDeviceIndex find(const std::string& name, bool output)
    {
        if (name.empty())
            return output ? Pa_GetDefaultOutputDevice() : Pa_GetDefaultInputDevice();
        for (PaDeviceIndex i = 0; i < Pa_GetDeviceCount(); ++i) {
            const PaDeviceInfo* info = Pa_GetDeviceInfo(i);
            if (info && name == info->name &&
                (output ? info->maxOutputChannels : info->maxInputChannels) > 0)
                return i;
        }
        return paNoDevice;
    }

    Result<std::unique_ptr<AudioStream>> open(const StreamSpec& spec, OutputCallback output,
                                              InputCallback input)
    {
        const bool isOutput = static_cast<bool>(output);
        auto stream =
            std::make_unique<PortAudioStream>(m_library, std::move(output), std::move(input));
        std::unique_lock lock(m_library->mutex);
        LQ_CHECKED(m_library->refresh());
        const PaDeviceIndex device = find(spec.device, isOutput);
        if (device == paNoDevice)
            return fail(ErrorCode::NotFound,
                        isOutput ? "There is no sound output" : "There is no microphone");
        auto opened = stream->open(spec, device);
        lock.unlock(); // the destructor of a failed stream must find it free
        if (!opened)
            return fail(std::move(opened).error());
        return stream;
    }

    const std::shared_ptr<Library> m_library = std::make_shared<Library>();
};

} // namespace

std::unique_ptr<AudioBackend> createPortAudioBackend()
{
    return std::make_unique<PortAudioBackend>();
}

} // namespace loquor::audio
