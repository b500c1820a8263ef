// An output without a device: a thread asks for sound at the right speed and throws it away.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/audio/audio_backend.h"
#include "core/base/guarded_thread.h"

namespace loquor::audio {

namespace {

using namespace std::chrono_literals;

class ClockStream : public AudioStream
{
public:
    ClockStream(int sampleRate, OutputCallback callback)
        : m_sampleRate(sampleRate), m_callback(std::move(callback))
    {
    }
    ~ClockStream() override { ClockStream::stop(); }

    Result<void> start() override
    {
        stop();
        m_stop = false;
        m_alive = true;
        m_thread = guardedThread("playing without a device", [this] { run(); }, [this](const Error&) { m_alive = false; });
        return {};
    }
    void stop() override
    {
        m_stop = true;
        if (m_thread.joinable())
            m_thread.join();
    }
    int sampleRate() const override { return m_sampleRate; }
    int channels() const override { return 1; }
    bool isAlive() const override { return m_alive; }

private:
    void run()
    {
        std::vector<float> sink(static_cast<std::size_t>(m_sampleRate));
        const auto begin = std::chrono::steady_clock::now();
        std::int64_t given = 0;
        while (!m_stop) {
            const double elapsed =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            const auto due = static_cast<std::int64_t>(elapsed * m_sampleRate) - given;
            if (due > 0) {
                const auto count = std::min(sink.size(), static_cast<std::size_t>(due));
                m_callback(sink.data(), count, 0.0);
                given += static_cast<std::int64_t>(count);
            }
            std::this_thread::sleep_for(5ms);
        }
    }

    const int m_sampleRate;
    const OutputCallback m_callback;
    std::atomic<bool> m_stop{true};
    std::atomic<bool> m_alive{true};
    std::thread m_thread;
};

class ClockBackend : public AudioBackend
{
public:
    Result<std::unique_ptr<AudioStream>> openOutput(const StreamSpec& spec,
                                                    OutputCallback callback) override
    {
        return std::make_unique<ClockStream>(spec.sampleRate > 0 ? spec.sampleRate : 48000,
                                             std::move(callback));
    }
    Result<std::unique_ptr<AudioStream>> openInput(const StreamSpec&, InputCallback) override
    {
        return fail(ErrorCode::NotFound, "There is no microphone");
    }
    std::vector<DeviceInfo> inputDevices() override { return {}; }
};

} // namespace

std::unique_ptr<AudioBackend> createClockBackend()
{
    return std::make_unique<ClockBackend>();
}

} // namespace loquor::audio
