#include "core/audio/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/guarded_thread.h"

namespace loquor::audio {

using Phase = RecorderState::Phase;

namespace {

constexpr auto kDrainInterval = std::chrono::milliseconds(20);
constexpr std::size_t kRingSamples = std::size_t{192000} * 2; // two seconds of stereo at the highest usual rate
constexpr double kLatencySeconds = 0.1; // large on purpose: virtual and USB microphones stutter
constexpr double kMeterSeconds = 0.05;

} // namespace

Recorder::Recorder(AudioBackend& backend) : m_backend(backend), m_ring(kRingSamples)
{
    m_block.resize(8192);
    m_thread = guardedThread("recording", [this] { run(); });
}

Recorder::~Recorder()
{
    {
        std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void Recorder::arm(const std::string& device)
{
    {
        std::lock_guard lock(m_mutex);
        if (m_wantOpen)
            return;
        m_device = device;
        m_wantOpen = true;
        m_state = {};
        m_state.phase = Phase::Opening;
    }
    m_wake.notify_all();
}

void Recorder::record(const std::filesystem::path& file, const std::string& device)
{
    {
        std::lock_guard lock(m_mutex);
        if (!m_wantOpen) {
            m_device = device;
            m_state = {};
            m_state.phase = Phase::Opening;
        }
        m_wantOpen = true;
        m_wantRecord = true;
        m_file = file;
    }
    m_wake.notify_all();
}

void Recorder::stop()
{
    {
        std::lock_guard lock(m_mutex);
        m_wantOpen = false;
        m_wantRecord = false;
    }
    m_wake.notify_all();
}

RecorderState Recorder::state() const
{
    std::lock_guard lock(m_mutex);
    return m_state;
}

// What throws ends the recording like any other failure.
void Recorder::run()
{
    while (const auto error = caught("recording", [this] { serve(); })) {
        logCaught(*error);
        failWith(*error);
    }
}

void Recorder::serve()
{
    std::unique_lock lock(m_mutex);
    while (!m_quit) {
        const bool wantOpen = m_wantOpen, wantRecord = m_wantRecord;
        const std::string device = m_device;
        const std::filesystem::path file = m_file;
        lock.unlock();
        if (wantOpen && !m_stream)
            open(device);
        if (m_stream && wantRecord && !m_writer)
            beginTake(file);
        if (m_stream)
            drain();
        if (m_stream && (!wantOpen || (m_writer && !wantRecord)))
            endTake();
        if (m_stream && !m_stream->isAlive())
            failWith(Error(ErrorCode::ConnectionLost,
                           "The microphone went away; what was recorded is kept"));
        lock.lock();
        if (m_quit)
            break;
        if (m_state.phase == Phase::Opening && !m_stream && !m_wantOpen)
            m_state.phase = Phase::Idle; // stopped before the device was opened
        if (m_stream)
            m_wake.wait_for(lock, kDrainInterval);
        else
            m_wake.wait(lock, [this] { return m_quit || m_wantOpen; });
    }
    lock.unlock();
    if (m_stream) {
        drain();
        endTake();
    }
}

void Recorder::open(const std::string& device)
{
    m_ring.clear();
    m_lost = 0;
    m_recorded = m_sinceFlush = m_silent = m_windowFrames = 0;
    m_windowPeak = 0;
    auto stream = m_backend.openInput(
        {.device = device, .sampleRate = 0, .channels = 1, .latencySeconds = kLatencySeconds},
        [this](const float* in, std::size_t frames, bool overflow) {
            capture(in, frames, overflow);
        });
    if (!stream)
        return failWith(std::move(stream).error());
    m_stream = std::move(*stream);
    m_channels = m_stream->channels();
    if (auto started = m_stream->start(); !started)
        return failWith(std::move(started).error());
    std::lock_guard lock(m_mutex);
    m_state.phase = Phase::Armed;
    m_state.sampleRate = m_stream->sampleRate();
    m_state.channels = m_channels;
}

void Recorder::beginTake(const std::filesystem::path& file)
{
    // What was heard while armed is not part of the take.
    while (m_ring.read(m_block.data(), m_block.size()) > 0) {
    }
    auto writer = WavWriter::create(file, m_stream->sampleRate(), m_channels);
    if (!writer)
        return failWith(std::move(writer).error());
    m_writer = std::move(*writer);
    m_recorded = m_silent = 0;
    std::lock_guard lock(m_mutex);
    m_state.phase = Phase::Recording;
    m_state.file = file;
}

void Recorder::drain()
{
    while (const std::size_t count = m_ring.read(m_block.data(), m_block.size())) {
        measure(m_block.data(), count);
        if (!m_writer)
            continue;
        m_recorded += static_cast<std::int64_t>(count) / m_channels;
        m_sinceFlush += static_cast<std::int64_t>(count) / m_channels;
        auto written = m_writer->write(m_block.data(), count);
        if (written && m_sinceFlush > m_stream->sampleRate()) { // a crash costs a second at most
            m_sinceFlush = 0;
            written = m_writer->flush();
        }
        if (!written)
            return failWith(std::move(written).error());
    }
    std::lock_guard lock(m_mutex);
    m_state.seconds = static_cast<double>(m_recorded) / m_stream->sampleRate();
    m_state.silentSeconds = static_cast<double>(m_silent) / m_stream->sampleRate();
    m_state.lostBlocks = m_lost;
}

void Recorder::measure(const float* samples, std::size_t count)
{
    float peak = 0;
    for (std::size_t i = 0; i < count; ++i)
        peak = std::max(peak, std::abs(samples[i]));
    const auto frames = static_cast<std::int64_t>(count) / m_channels;
    m_silent = peak == 0 ? m_silent + frames : 0;
    m_windowPeak = std::max(m_windowPeak, peak);
    m_windowFrames += frames;
    if (static_cast<double>(m_windowFrames) < kMeterSeconds * m_stream->sampleRate())
        return;
    std::lock_guard lock(m_mutex);
    m_state.peak = m_windowPeak;
    m_windowPeak = 0;
    m_windowFrames = 0;
}

void Recorder::endTake()
{
    m_stream->stop();
    drain();
    if (!m_stream)
        return; // writing the rest failed and said so
    if (m_writer) {
        auto finished = m_writer->finish();
        m_writer.reset();
        if (!finished)
            return failWith(std::move(finished).error());
        return close(Phase::Finished);
    }
    close(Phase::Idle);
}

void Recorder::close(Phase phase)
{
    m_stream.reset();
    std::lock_guard lock(m_mutex);
    m_state.phase = phase;
    m_state.peak = 0;
}

// Ends everything and keeps what there is of a take.
void Recorder::failWith(Error error)
{
    if (m_stream)
        m_stream->stop();
    bool kept = false;
    if (m_writer && m_recorded > 0)
        kept = m_writer->finish().has_value();
    else if (m_writer)
        m_writer->discard();
    m_writer.reset();
    close(Phase::Failed);
    std::lock_guard lock(m_mutex);
    m_wantOpen = m_wantRecord = false;
    m_state.error = std::move(error);
    if (!kept)
        m_state.file.clear();
}

void Recorder::capture(const float* in, std::size_t frames, bool overflow)
{
    const std::size_t count = frames * static_cast<std::size_t>(m_channels);
    if (overflow)
        m_lost.fetch_add(1, std::memory_order_relaxed);
    if (!in || m_ring.space() < count) // whole blocks only, so that channels stay in place
        m_lost.fetch_add(1, std::memory_order_relaxed);
    else
        m_ring.write(in, count);
}

} // namespace loquor::audio
