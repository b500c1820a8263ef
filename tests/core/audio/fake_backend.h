// A sound device under the control of a test: the test runs the callback itself.
#pragma once

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "core/audio/audio_backend.h"

namespace loquor::test {

// What a test sees of an open stream; outlives it.
struct FakeDevice
{
    std::mutex mutex; // guards the callbacks against the stream's destructor
    audio::OutputCallback output;
    audio::InputCallback input;
    std::atomic<bool> running{false}, alive{true};
    std::atomic<int> opened{0};
    int sampleRate = 48000;
    int channels = 1;
    std::atomic<bool> exists{true};
    bool acceptsAnyRate = true; // otherwise only its own
    std::atomic<bool> throws{false}; // when it is to be opened

    // Runs the callback as the device would; returns what it got.
    std::vector<float> pull(std::size_t frames, double secondsUntilHeard = 0)
    {
        std::vector<float> block(frames * static_cast<std::size_t>(channels), 9.0f);
        std::lock_guard lock(mutex);
        if (output && running)
            output(block.data(), frames, secondsUntilHeard);
        return block;
    }
    bool push(const std::vector<float>& samples, bool overflow = false)
    {
        std::lock_guard lock(mutex);
        if (!input || !running)
            return false;
        input(samples.data(), samples.size() / static_cast<std::size_t>(channels), overflow);
        return true;
    }
};

class FakeStream : public audio::AudioStream
{
public:
    FakeStream(FakeDevice& device, int sampleRate) : m_device(device), m_sampleRate(sampleRate) {}
    ~FakeStream() override
    {
        std::lock_guard lock(m_device.mutex);
        m_device.running = false;
        m_device.output = {};
        m_device.input = {};
    }
    Result<void> start() override
    {
        m_device.running = true;
        return {};
    }
    void stop() override
    {
        std::lock_guard lock(m_device.mutex);
        m_device.running = false;
    }
    int sampleRate() const override { return m_sampleRate; }
    int channels() const override { return m_device.channels; }
    bool isAlive() const override { return m_device.alive; }

private:
    FakeDevice& m_device;
    const int m_sampleRate;
};

class FakeBackend : public audio::AudioBackend
{
public:
    explicit FakeBackend(FakeDevice& device) : m_device(device) {}

    Result<std::unique_ptr<audio::AudioStream>> openOutput(const audio::StreamSpec& spec,
                                                           audio::OutputCallback callback) override
    {
        LQ_CHECKED(check(spec));
        std::lock_guard lock(m_device.mutex);
        m_device.output = std::move(callback);
        return stream(spec);
    }
    Result<std::unique_ptr<audio::AudioStream>> openInput(const audio::StreamSpec& spec,
                                                          audio::InputCallback callback) override
    {
        LQ_CHECKED(check(spec));
        std::lock_guard lock(m_device.mutex);
        m_device.input = std::move(callback);
        return stream(spec);
    }
    std::vector<audio::DeviceInfo> inputDevices() override
    {
        if (!m_device.exists)
            return {};
        return {{"fake", "Fake microphone", m_device.channels, m_device.sampleRate}};
    }

private:
    Result<void> check(const audio::StreamSpec& spec) const
    {
        if (m_device.throws)
            throw std::runtime_error("the driver is odd");
        if (!m_device.exists)
            return fail(ErrorCode::NotFound, "There is no such device");
        if (!m_device.acceptsAnyRate && spec.sampleRate != 0 &&
            spec.sampleRate != m_device.sampleRate)
            return fail(ErrorCode::Unreadable, "Invalid sample rate");
        return {};
    }
    std::unique_ptr<audio::AudioStream> stream(const audio::StreamSpec& spec)
    {
        ++m_device.opened;
        const bool own = spec.sampleRate == 0 || !m_device.acceptsAnyRate;
        return std::make_unique<FakeStream>(m_device, own ? m_device.sampleRate : spec.sampleRate);
    }

    FakeDevice& m_device;
};

// A microphone and an output that are not the same device.
class TwoDevices : public audio::AudioBackend
{
public:
    TwoDevices(FakeDevice& microphone, FakeDevice& output) : m_microphone(microphone), m_output(output) {}
    Result<std::unique_ptr<audio::AudioStream>> openOutput(const audio::StreamSpec& spec,
                                                           audio::OutputCallback callback) override
    {
        return m_output.openOutput(spec, std::move(callback));
    }
    Result<std::unique_ptr<audio::AudioStream>> openInput(const audio::StreamSpec& spec,
                                                          audio::InputCallback callback) override
    {
        return m_microphone.openInput(spec, std::move(callback));
    }
    std::vector<audio::DeviceInfo> inputDevices() override { return m_microphone.inputDevices(); }

private:
    FakeBackend m_microphone, m_output;
};

} // namespace loquor::test
