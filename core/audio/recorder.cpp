#include "core/audio/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/audio/punch_in.h"
#include "core/base/guarded_thread.h"
#include "core/base/log.h"
#include "core/media/audio_convert.h"
#include "core/media/flac_writer.h"

namespace loquor::audio {

namespace fs = std::filesystem;
using Phase = RecorderState::Phase;

namespace {

constexpr auto kDrainInterval = std::chrono::milliseconds(20);
constexpr std::size_t kRingSamples = std::size_t{192000} * 4; // two seconds of stereo at the highest usual rate
constexpr double kLatencySeconds = 0.1; // large on purpose: virtual and USB microphones stutter
constexpr double kMeterSeconds = 0.05;
constexpr std::size_t kBlockSamples = 8192;

} // namespace

// What is being recorded, or counted in.
struct Recorder::Take
{
    TakeRequest request;
    fs::path soundFile; // of a punch: the new sound alone
    std::optional<media::FlacWriter> writer;
    int rate = 0, channels = 1; // of the file
    std::optional<media::SoundInspector> inspector;
    std::optional<media::AudioConverter> converter; // when another device goes on
    std::vector<float> converted;
    std::vector<TakeGap> gaps;
    bool hasBegun = false;
    double leadSeconds = 0, waited = 0; // of sound before the take, and how much of it came in
    double punchLead = 0;               // how long before the punch the stretch begins
    SampleIndex limit = 0;              // frames of the file; 0 = none

    bool isFull() const { return limit > 0 && writer->frames() >= limit; }
};

Recorder::Recorder(AudioBackend& backend, RecorderTimes times, Clock clock)
    : m_backend(backend), m_times(times), m_clock(std::move(clock)), m_cue(backend), m_ring(kRingSamples)
{
    m_block.resize(kBlockSamples);
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
        if (m_wish.open)
            return;
        m_wish.device = device;
        m_wish.open = true;
        m_state = {};
        m_state.phase = Phase::Opening;
    }
    m_wake.notify_all();
}

void Recorder::record(const TakeRequest& request)
{
    {
        std::lock_guard lock(m_mutex);
        if (!m_wish.open) {
            m_wish.device = request.device;
            m_state = {};
            m_state.phase = Phase::Opening;
        }
        m_wish.open = true;
        m_wish.record = true;
        m_wish.request = request;
    }
    m_wake.notify_all();
}

void Recorder::stop()
{
    {
        std::lock_guard lock(m_mutex);
        m_wish.open = false;
        m_wish.record = false;
        ++m_wish.stops;
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
        const Wish wish = m_wish;
        lock.unlock();
        follow(wish);
        lock.lock();
        if (m_quit)
            break;
        if (m_state.phase == Phase::Opening && !m_open && !m_wish.open)
            m_state.phase = Phase::Idle; // stopped before the device was opened
        if (m_open)
            m_wake.wait_for(lock, kDrainInterval);
        else
            m_wake.wait(lock, [this] { return m_quit || m_wish.open; });
    }
    lock.unlock();
    if (m_open)
        endTake();
}

void Recorder::follow(const Wish& wish)
{
    const bool stopped = wish.stops != m_stopsSeen;
    m_stopsSeen = wish.stops;
    if (m_open && stopped)
        endTake();
    if (wish.open && !m_open)
        open(wish.device);
    if (m_open && wish.record && !m_take)
        beginTake(wish.request);
    if (m_open)
        drain();
    if (m_open && m_take && m_take->isFull()) {
        endTake();
        std::lock_guard lock(m_mutex);
        if (m_wish.stops == m_stopsSeen) // nobody has asked for anything since
            m_wish.open = m_wish.record = false;
    }
    if (m_open)
        watchDevice();
}

void Recorder::open(const std::string& device)
{
    m_device = device;
    m_silent = m_windowFrames = 0;
    m_windowPeak = 0;
    m_xrunsBefore = m_ring.xruns();
    if (auto opened = openStream(); !opened)
        return failWith(std::move(opened).error());
    m_open = true;
    m_heard.emplace(m_rate, m_channels);
    std::lock_guard lock(m_mutex);
    m_state.phase = Phase::Armed;
    m_state.sampleRate = m_rate;
    m_state.channels = m_channels;
}

Result<void> Recorder::openStream()
{
    LQ_TRY(m_stream, m_backend.openInput({.device = m_device, .sampleRate = 0, .channels = 0, .latencySeconds = kLatencySeconds},
                                         [this](const float* in, std::size_t frames, bool overflow) {
                                             m_ring.capture(in, frames, overflow);
                                         }));
    m_rate = m_stream->sampleRate();
    m_channels = m_stream->channels();
    m_ring.begin(m_channels);
    m_callsSeen = m_ring.calls();
    m_lastCall = m_clock();
    auto started = m_stream->start();
    if (!started)
        m_stream.reset();
    return started;
}

void Recorder::beginTake(const TakeRequest& request)
{
    auto take = std::make_unique<Take>();
    take->request = request;
    take->rate = m_rate;
    take->channels = m_channels;
    take->soundFile = request.file;
    if (request.punch)
        take->soundFile.replace_extension(".stretch.flac");
    take->leadSeconds = request.countIn.count * request.countIn.secondsEach;
    take->inspector.emplace(m_rate, m_channels);
    auto writer = media::FlacWriter::create(take->soundFile, m_rate, m_channels);
    if (!writer)
        return failWith(std::move(writer).error());
    take->writer.emplace(std::move(*writer));
    m_take = std::move(take);
    if (auto cued = prepareCue(*m_take); !cued)
        return failWith(std::move(cued).error());
    m_take->hasBegun = m_take->leadSeconds <= 0;
    // What was heard while armed is not part of the take.
    while (m_ring.read(m_block.data(), m_block.size()) > 0) {
    }
    m_silent = 0;
    std::lock_guard lock(m_mutex);
    m_state.phase = m_take->leadSeconds > 0 ? Phase::CountIn : Phase::Recording;
    m_state.countLeft = request.countIn.count;
    m_state.file = request.file;
}

// Clicks, then the old take; a missing output is told and nothing more, an old take that cannot be read fails.
Result<void> Recorder::prepareCue(Take& take)
{
    const TakeRequest& request = take.request;
    AudioBlock before;
    if (request.punch) {
        const PunchIn& punch = *request.punch;
        if (punch.from < 0 || punch.to <= punch.from)
            return fail(ErrorCode::InvalidArgument, "The part of the take to record over has no length.");
        LQ_TRY(before, media::readAudio(punch.take));
        const auto end = std::min(before.frames(), static_cast<SampleIndex>(std::llround(punch.from * before.sampleRate)));
        const auto wanted = static_cast<SampleIndex>(std::llround(punch.preRollSeconds * before.sampleRate));
        const auto begin = std::max<SampleIndex>(0, end - wanted);
        before.samples = {before.samples.begin() + begin, before.samples.begin() + end};
        take.punchLead = std::min(kPunchFadeSeconds, punch.from);
        take.leadSeconds += before.seconds() - std::min(take.punchLead, before.seconds());
        take.limit = std::llround((punch.to - punch.from + take.punchLead + kPunchFadeSeconds) * take.rate);
    }
    const bool wantsOutput = request.monitor || !before.samples.empty() || (request.countIn.count > 0 && request.countIn.clicks);
    if (!wantsOutput)
        return {};
    const auto begun = [&]() -> Result<void> {
        LQ_CHECKED(m_cue.open(request.monitor ? m_rate : 0, request.monitor ? &m_ring.monitorRing() : nullptr));
        const int rate = m_cue.sampleRate();
        std::vector<float> cue = countInClicks(request.countIn.count, request.countIn.secondsEach, rate);
        if (!request.countIn.clicks)
            std::fill(cue.begin(), cue.end(), 0.f);
        if (!before.samples.empty()) {
            LQ_TRY(const AudioBlock preRoll, media::converted(before, rate));
            cue.insert(cue.end(), preRoll.samples.begin(), preRoll.samples.end());
        }
        m_ring.setMonitored(request.monitor);
        return m_cue.play(std::move(cue));
    }();
    if (!begun) {
        log(LogLevel::Warning, "audio", begun.error().logText());
        m_cue.stop();
        std::lock_guard lock(m_mutex);
        m_state.outputMissing = true;
    }
    return {};
}

void Recorder::drain()
{
    if (!m_stream)
        return;
    const auto channels = static_cast<std::size_t>(m_channels);
    const std::size_t most = m_block.size() / channels * channels; // whole frames
    while (const std::size_t count = m_ring.read(m_block.data(), most)) {
        measure(m_block.data(), count);
        if (!m_take)
            continue;
        if (auto taken = take(m_block.data(), static_cast<SampleIndex>(count) / m_channels); !taken)
            return failWith(std::move(taken).error());
    }
    showState();
}

// Waits until the count-in is over, then writes.
Result<void> Recorder::take(const float* samples, SampleIndex frames)
{
    Take& take = *m_take;
    if (!take.hasBegun) {
        const double left = take.leadSeconds + (take.leadSeconds > 0 ? m_cue.latencySeconds() : 0) - take.waited;
        const auto wait = std::clamp<SampleIndex>(std::llround(left * m_rate), 0, frames);
        take.waited += static_cast<double>(wait) / m_rate;
        take.hasBegun = wait < frames || left <= 0;
        samples += wait * m_channels;
        frames -= wait;
        if (take.hasBegun && take.leadSeconds > 0)
            m_silent = 0;
    }
    if (!take.converter)
        return writeToTake(samples, frames);
    take.converted.clear();
    LQ_CHECKED(take.converter->push(samples, frames, take.converted));
    return writeToTake(take.converted.data(), static_cast<SampleIndex>(take.converted.size()) / take.channels);
}

Result<void> Recorder::writeToTake(const float* samples, SampleIndex frames)
{
    Take& take = *m_take;
    if (take.limit > 0)
        frames = std::min(frames, take.limit - take.writer->frames());
    take.inspector->add(samples, frames);
    return take.writer->write(samples, frames);
}

void Recorder::measure(const float* samples, std::size_t count)
{
    float peak = 0;
    for (std::size_t i = 0; i < count; ++i)
        peak = std::max(peak, std::abs(samples[i]));
    const auto frames = static_cast<SampleIndex>(count) / m_channels;
    if (m_heard)
        m_heard->add(samples, frames);
    m_silent = peak == 0 ? m_silent + frames : 0;
    m_windowPeak = std::max(m_windowPeak, peak);
    m_windowFrames += frames;
    if (static_cast<double>(m_windowFrames) < kMeterSeconds * m_rate)
        return;
    std::lock_guard lock(m_mutex);
    m_state.peak = m_windowPeak;
    m_windowPeak = 0;
    m_windowFrames = 0;
}

void Recorder::showState()
{
    const media::SoundReport heard = m_heard->report();
    std::lock_guard lock(m_mutex);
    m_state.silentSeconds = static_cast<double>(m_silent) / m_rate;
    m_state.xruns = m_ring.xruns() - m_xrunsBefore;
    m_state.noiseFloorDb = heard.noiseFloorDb;
    m_state.clippedRuns = heard.clippedRuns;
    if (!m_take)
        return;
    const Take& take = *m_take;
    m_state.gaps = take.gaps;
    m_state.seconds = static_cast<double>(take.writer->frames()) / take.rate;
    if (take.hasBegun) {
        m_state.phase = Phase::Recording;
        m_state.countLeft = 0;
        m_state.clippedRuns = take.inspector->report().clippedRuns;
        return;
    }
    const bool isCounting = take.waited < take.request.countIn.count * take.request.countIn.secondsEach;
    const double each = isCounting ? take.request.countIn.secondsEach : 1;
    const double left = (isCounting ? take.request.countIn.count * each : take.leadSeconds) - take.waited;
    m_state.countLeft = std::max(1, static_cast<int>(std::ceil(left / each - 1e-6)));
}

void Recorder::watchDevice()
{
    const double now = m_clock();
    if (!m_stream) {
        if (now - m_lastTry >= m_times.retrySeconds)
            returnDevice();
        return;
    }
    if (const std::uint64_t calls = m_ring.calls(); calls != m_callsSeen) {
        m_callsSeen = calls;
        m_lastCall = now;
    }
    if (m_stream->isAlive() && now - m_lastCall < m_times.stallSeconds)
        return;
    if (!m_take)
        return failWith(Error(ErrorCode::ConnectionLost, "The microphone went away"));
    loseDevice();
}

void Recorder::loseDevice()
{
    m_stream->stop();
    drain(); // what came before
    if (!m_open)
        return; // it could not be written, and that was said
    m_stream.reset();
    m_cue.stop(); // devices are listed anew only while none is open
    Take& take = *m_take;
    if (take.converter) {
        take.converted.clear();
        auto rest = take.converter->finish(take.converted);
        if (rest)
            rest = writeToTake(take.converted.data(), static_cast<SampleIndex>(take.converted.size()) / take.channels);
        take.converter.reset();
        if (!rest)
            return failWith(std::move(rest).error());
    }
    m_lostAt = m_lastTry = m_clock();
    if (take.writer->frames() > 0) {
        take.gaps.push_back({take.writer->frames(), 0, 0});
        if (auto told = writeTakeFacts(take.soundFile, factsOfTake()); !told) // it must survive a crash
            log(LogLevel::Warning, "audio", told.error().logText());
    }
    log(LogLevel::Warning, "audio", "The microphone went away; the take waits for it.");
    std::lock_guard lock(m_mutex);
    m_state.deviceLost = true;
    m_state.peak = 0;
}

void Recorder::returnDevice()
{
    m_lastTry = m_clock();
    if (auto opened = openStream(); !opened) {
        log(LogLevel::Debug, "audio", opened.error().logText());
        return;
    }
    m_heard.emplace(m_rate, m_channels);
    Take& take = *m_take;
    const double lost = m_clock() - m_lostAt;
    if (!take.gaps.empty() && take.gaps.back().at == take.writer->frames()) {
        const auto silence = static_cast<SampleIndex>(std::llround(std::min(lost, m_times.longestGapSeconds) * take.rate));
        take.gaps.back() = {take.writer->frames(), silence, lost};
        const std::vector<float> zeros(static_cast<std::size_t>(silence * take.channels));
        if (auto written = writeToTake(zeros.data(), silence); !written)
            return failWith(std::move(written).error());
    }
    if (m_rate != take.rate || m_channels != take.channels) {
        auto converter = media::AudioConverter::create(m_rate, m_channels, take.rate, take.channels);
        if (!converter)
            return failWith(std::move(converter).error());
        take.converter.emplace(std::move(*converter));
    }
    if (take.request.monitor && m_cue.open(m_rate, &m_ring.monitorRing()))
        static_cast<void>(m_cue.play({}).has_value());
    log(LogLevel::Info, "audio", "The microphone is back after " + std::to_string(lost) + " s.");
    std::lock_guard lock(m_mutex);
    m_state.deviceLost = false;
    m_state.gaps = take.gaps;
}

TakeFacts Recorder::factsOfTake() const
{
    const media::SoundReport report = m_take->inspector->report();
    TakeFacts facts;
    facts.device = m_device;
    facts.sampleRate = m_take->rate;
    facts.channels = m_take->channels;
    facts.frames = m_take->writer->frames();
    facts.xruns = m_ring.xruns() - m_xrunsBefore;
    facts.clippedRuns = report.clippedRuns;
    facts.clipped = report.clipped;
    facts.noiseFloorDb = report.noiseFloorDb;
    facts.gaps = m_take->gaps;
    return facts;
}

void Recorder::endTake()
{
    if (m_stream)
        m_stream->stop();
    drain();
    if (!m_open)
        return; // writing the rest failed and said so
    if (!m_take || m_take->writer->frames() == 0) {
        if (m_take)
            m_take->writer->discard();
        m_take.reset();
        return close(Phase::Idle);
    }
    m_stream.reset();
    m_cue.stop();
    const auto file = finishTake();
    if (!file)
        return failWith(file.error());
    m_take.reset();
    close(Phase::Finished);
}

Result<fs::path> Recorder::finishTake()
{
    Take& take = *m_take;
    if (take.converter) {
        take.converted.clear();
        LQ_CHECKED(take.converter->finish(take.converted));
        take.converter.reset();
        LQ_CHECKED(writeToTake(take.converted.data(), static_cast<SampleIndex>(take.converted.size()) / take.channels));
    }
    TakeFacts facts = factsOfTake();
    LQ_CHECKED(take.writer->finish());
    if (take.request.punch) {
        {
            std::lock_guard lock(m_mutex);
            m_state.phase = Phase::Finishing;
        }
        const PunchIn& punch = *take.request.punch;
        const double recorded = static_cast<double>(facts.frames) / take.rate - take.punchLead;
        const PunchParts parts{punch.take, take.soundFile, take.punchLead, punch.from,
                               std::min(punch.to, punch.from + recorded)};
        LQ_TRY(facts.frames, assemblePunch(parts, take.request.file));
        std::error_code ec;
        fs::remove(take.soundFile, ec);
        fs::remove(factsFileOf(take.soundFile), ec);
    }
    if (auto told = writeTakeFacts(take.request.file, facts); !told)
        log(LogLevel::Warning, "audio", told.error().logText()); // the sound is what matters
    return take.request.file;
}

void Recorder::close(Phase phase)
{
    m_stream.reset();
    m_cue.stop();
    m_ring.setMonitored(false);
    m_open = false;
    m_take.reset();
    std::lock_guard lock(m_mutex);
    m_state.phase = phase;
    m_state.peak = 0;
    m_state.deviceLost = false;
    if (phase == Phase::Idle)
        m_state.file.clear();
}

// Ends everything and keeps what there is of a take.
void Recorder::failWith(Error error)
{
    if (m_stream)
        m_stream->stop();
    fs::path kept;
    if (m_take && m_take->writer) {
        std::error_code ec;
        const bool finished = fs::exists(m_take->soundFile, ec); // what failed came after it
        if (finished || (m_take->writer->frames() > 0 && m_take->writer->finish()))
            kept = m_take->soundFile;
        else if (m_take->writer->frames() == 0)
            m_take->writer->discard();
    }
    close(Phase::Failed);
    std::lock_guard lock(m_mutex);
    m_wish.open = m_wish.record = false;
    m_state.error = std::move(error);
    m_state.file = std::move(kept);
}

} // namespace loquor::audio
