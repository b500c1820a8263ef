// Note "Clock point": the callback publishes {samples, heardAt} through a sequence counter that is
// odd while it writes; a reader that saw an odd or changed counter reads again. One writer, no
// lock.
#include "core/audio/playback.h"

#include <algorithm>
#include <chrono>

#include "core/base/guarded_thread.h"

namespace loquor::audio {

namespace {

constexpr double kRingSeconds = 0.25;
constexpr int kMaxRate = 192000;
constexpr auto kFeedInterval = std::chrono::milliseconds(8);
constexpr auto kIdleTime = std::chrono::seconds(5);
constexpr std::size_t kPullSamples = 2048;

} // namespace

Clock steadyClock()
{
    return [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    };
}

Playback::Playback(AudioBackend& device, AudioBackend& fallback, Clock clock)
    : m_device(device), m_fallback(fallback), m_clock(std::move(clock)),
      m_ring(static_cast<std::size_t>(kMaxRate * kRingSeconds))
{
    m_pulled.resize(kPullSamples);
    m_thread = guardedThread("playing sound", [this] { run(); });
}

Playback::~Playback()
{
    {
        std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void Playback::play(SampleSource source, int sampleRate, std::int64_t fromSample)
{
    m_playing = true;
    m_fromSample = fromSample;
    m_lastPosition = fromSample;
    m_starved.store(false, std::memory_order_relaxed);
    {
        std::lock_guard lock(m_mutex);
        m_order = {m_order.number + 1, std::move(source), sampleRate, fromSample};
        m_orderNumber = m_order.number;
    }
    m_wake.notify_all();
}

void Playback::stop()
{
    if (!m_playing)
        return;
    position(); // remembers it
    m_playing = false;
    {
        std::lock_guard lock(m_mutex);
        m_order = {m_order.number + 1, {}, 0, 0};
        m_orderNumber = m_order.number;
    }
    m_wake.notify_all();
}

std::int64_t Playback::position() const
{
    if (!m_playing || m_activeOrder.load(std::memory_order_acquire) != m_orderNumber)
        return m_lastPosition;
    const ClockPoint point = clockPoint();
    const double rate = m_deviceRate.load(std::memory_order_relaxed);
    const double notYet = std::max(0.0, (point.heardAt - m_clock()) * rate);
    const double heard = std::max(0.0, static_cast<double>(point.samples) - notYet);
    const auto now =
        m_fromSample + static_cast<std::int64_t>(heard * m_ratio.load(std::memory_order_relaxed));
    m_lastPosition = std::max(m_lastPosition, now); // device clocks jitter; time does not go back
    return m_lastPosition;
}

std::string Playback::silenceReason() const
{
    std::lock_guard lock(m_mutex);
    return m_silenceReason;
}

// A source or a device that throws ends its sound; the next one may play.
void Playback::run()
{
    while (const auto error = caught("playing sound", [this] { serve(); })) {
        logCaught(*error);
        m_stream.reset();
        m_current.source = {};
        std::lock_guard lock(m_mutex);
        m_silenceReason = error->message();
    }
    m_stream.reset();
}

void Playback::serve()
{
    std::unique_lock lock(m_mutex);
    while (!m_quit) {
        if (m_order.number != m_current.number) {
            m_current = m_order;
            lock.unlock();
            begin(m_current);
            lock.lock();
            continue;
        }
        if (!m_current.source) {
            waitIdle(lock);
            continue;
        }
        lock.unlock();
        feed();
        replaceLostDevice();
        lock.lock();
        if (!m_quit && m_order.number == m_current.number)
            m_wake.wait_for(lock, kFeedInterval);
    }
}

// An open stream keeps the list of devices as it was: after a while without use it is closed.
void Playback::waitIdle(std::unique_lock<std::mutex>& lock)
{
    if (!m_stream) {
        m_wake.wait(lock);
        return;
    }
    if (m_wake.wait_for(lock, kIdleTime) == std::cv_status::no_timeout || m_order.number != m_current.number)
        return;
    lock.unlock();
    m_stream.reset();
    lock.lock();
}

void Playback::begin(const Order& order)
{
    if (m_stream)
        m_stream->stop();
    m_ring.clear();
    m_pending.clear();
    m_resampler.reset();
    if (!order.source)
        return;
    if (!openStream(order.sampleRate)) {
        m_current.source = {};
        return;
    }
    const int deviceRate = m_stream->sampleRate();
    if (deviceRate != order.sampleRate)
        m_resampler = std::make_unique<SinkResampler>(order.sampleRate, deviceRate);
    m_channels = m_stream->channels();
    m_consumed = 0;
    m_nextSample = order.fromSample;
    m_deviceRate.store(deviceRate, std::memory_order_relaxed);
    m_ratio.store(static_cast<double>(order.sampleRate) / deviceRate, std::memory_order_relaxed);
    publish({0, 0});
    feed();
    m_activeOrder.store(order.number, std::memory_order_release);
    if (!m_stream->start() && !m_streamIsFallback) {
        m_stream.reset();
        replaceLostDevice();
    }
}

bool Playback::openOn(AudioBackend& backend, int sampleRate)
{
    const auto callback = [this](float* out, std::size_t frames, double secondsUntilHeard) {
        fill(out, frames, secondsUntilHeard);
    };
    // First the rate of the sound, then the one the device prefers.
    StreamSpec spec;
    spec.sampleRate = sampleRate;
    auto stream = backend.openOutput(spec, callback);
    if (!stream && stream.error().code() != ErrorCode::NotFound) {
        spec.sampleRate = 0;
        stream = backend.openOutput(spec, callback);
    }
    if (stream) {
        m_stream = std::move(*stream);
        return true;
    }
    std::lock_guard lock(m_mutex);
    m_silenceReason = stream.error().message();
    return false;
}

bool Playback::openStream(int sampleRate)
{
    if (m_stream && m_streamFor == sampleRate && m_stream->isAlive() && !m_streamIsFallback)
        return true;
    m_stream.reset();
    m_streamFor = sampleRate;
    m_streamIsFallback = false;
    if (openOn(m_device, sampleRate)) {
        m_silent = false;
        std::lock_guard lock(m_mutex);
        m_silenceReason.clear();
        return true;
    }
    m_silent = true;
    m_streamIsFallback = true;
    const std::string reason = silenceReason();
    const bool opened = openOn(m_fallback, sampleRate);
    std::lock_guard lock(m_mutex);
    m_silenceReason = reason;
    return opened;
}

// The device went away while playing: time goes on with the fallback from what was heard last.
void Playback::replaceLostDevice()
{
    if (!m_current.source || m_streamIsFallback || (m_stream && m_stream->isAlive()))
        return;
    const ClockPoint point = clockPoint();
    m_stream.reset();
    m_ring.clear();
    m_pending.clear();
    m_streamIsFallback = true;
    m_silent = true;
    if (!openOn(m_fallback, m_current.sampleRate))
        return;
    const double sourceSamples =
        static_cast<double>(point.samples) * m_ratio.load(std::memory_order_relaxed);
    const int rate = m_stream->sampleRate();
    m_resampler.reset();
    if (rate != m_current.sampleRate)
        m_resampler = std::make_unique<SinkResampler>(m_current.sampleRate, rate);
    m_channels = m_stream->channels();
    m_nextSample = m_current.fromSample + static_cast<std::int64_t>(sourceSamples);
    m_deviceRate.store(rate, std::memory_order_relaxed);
    m_ratio.store(static_cast<double>(m_current.sampleRate) / rate, std::memory_order_relaxed);
    m_consumed = static_cast<std::int64_t>(sourceSamples * rate / m_current.sampleRate);
    publish({m_consumed, 0});
    {
        std::lock_guard lock(m_mutex);
        m_silenceReason = "The sound device went away";
    }
    feed();
    if (auto started = m_stream->start(); !started) {
        std::lock_guard lock(m_mutex);
        m_silenceReason = started.error().message();
    }
}

// Moves samples from the source to the ring until the ring holds kRingSeconds or the source is dry.
void Playback::feed()
{
    const auto wanted =
        static_cast<std::size_t>(m_deviceRate.load(std::memory_order_relaxed) * kRingSeconds);
    while (true) {
        if (!m_pending.empty()) {
            const std::size_t room = wanted - std::min(wanted, m_ring.available());
            const std::size_t count =
                m_ring.write(m_pending.data(), std::min(room, m_pending.size()));
            m_pending.erase(m_pending.begin(),
                            m_pending.begin() + static_cast<std::ptrdiff_t>(count));
            if (!m_pending.empty())
                return;
        }
        const std::size_t got = m_current.source(m_nextSample, m_pulled.data(), m_pulled.size());
        if (got == 0)
            return;
        m_nextSample += static_cast<std::int64_t>(got);
        if (m_resampler)
            m_resampler->process(m_pulled.data(), got, m_pending);
        else
            m_pending.assign(m_pulled.begin(), m_pulled.begin() + static_cast<std::ptrdiff_t>(got));
    }
}

void Playback::fill(float* out, std::size_t frames, double secondsUntilHeard)
{
    const auto channels = static_cast<std::size_t>(m_channels);
    const std::size_t got = m_ring.read(out, frames);
    // Spread mono over the channels in place, from the back.
    for (std::size_t i = frames; i-- > 0;)
        std::fill_n(out + i * channels, channels, i < got ? out[i] : 0.0f);
    m_consumed += static_cast<std::int64_t>(got);
    m_starved.store(got < frames, std::memory_order_relaxed);
    publish(
        {m_consumed, m_clock() + secondsUntilHeard +
                         static_cast<double>(got) / m_deviceRate.load(std::memory_order_relaxed)});
}

void Playback::publish(ClockPoint point)
{
    m_sequence.fetch_add(1);
    m_pointSamples.store(point.samples);
    m_pointHeardAt.store(point.heardAt);
    m_sequence.fetch_add(1);
}

Playback::ClockPoint Playback::clockPoint() const
{
    while (true) {
        const std::uint32_t before = m_sequence.load();
        const ClockPoint point{m_pointSamples.load(), m_pointHeardAt.load()};
        if (before % 2 == 0 && m_sequence.load() == before)
            return point;
    }
}

} // namespace loquor::audio
