#include "core/comm/rank_process.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/guarded_thread.h"
#include "core/base/log.h"
#include "core/platform/child_process.h"
#include "core/platform/paths.h"
#include "core/platform/processor_wait.h"

namespace loquor::comm {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSampleTime{500}; // beyond that the rank is late

// Decides from heartbeats whether a rank is alive. Time in which it wanted to run and got no processor does not
// count. Reader thread only.
class Watchdog
{
public:
    Watchdog(const RankOptions& options, int pid)
        : m_silence(options.silenceLimit), m_stall(options.stallLimit), m_wait(pid)
    {
    }
    void heard() { m_lastWord = Clock::now(); }
    void heartbeat(const Heartbeat& beat)
    {
        m_working = beat.busy && !beat.waiting;
        if (beat.ticks != m_ticks || !m_working)
            m_lastTick = Clock::now();
        m_ticks = beat.ticks;
    }
    // Empty while all is well.
    std::string verdict()
    {
        const auto now = Clock::now();
        excuse(now);
        if (now - m_lastWord > m_silence)
            return "gave no sign of life for " + seconds(m_silence) + " s";
        if (m_working && now - m_lastTick > m_stall)
            return "made no progress for " + seconds(m_stall) + " s";
        return {};
    }

private:
    void excuse(Clock::time_point now)
    {
        const auto late = std::min({kSampleTime, m_silence / 4, m_stall / 4});
        if (now - m_lastWord < late && (!m_working || now - m_lastTick < late)) {
            m_wait.forget();
            m_nextSample = now;
            return;
        }
        if (now < m_nextSample)
            return;
        m_nextSample = now + late;
        const std::chrono::milliseconds waited = m_wait.sinceLast();
        m_lastWord = std::min(now, m_lastWord + waited);
        m_lastTick = std::min(now, m_lastTick + waited);
    }
    static std::string seconds(std::chrono::milliseconds time)
    {
        return std::to_string((time.count() + 999) / 1000);
    }
    std::chrono::milliseconds m_silence, m_stall;
    platform::ProcessorWait m_wait;
    Clock::time_point m_lastWord = Clock::now(), m_lastTick = Clock::now(), m_nextSample = Clock::now();
    std::uint64_t m_ticks = 0;
    bool m_working = false;
};

} // namespace

struct RankProcess::Impl
{
    Impl(platform::FileDescriptor socket, platform::ChildProcess process, Handlers h, RankOptions o)
        : channel(std::move(socket)), child(std::move(process)), handlers(std::move(h)),
          options(std::move(o))
    {
    }

    void readLoop();
    std::string listen();
    void writeLoop();
    // Queues; false once the connection is gone.
    bool post(Frame frame);
    void endWriting();

    Channel channel;
    platform::ChildProcess child;
    const Handlers handlers;
    const RankOptions options;
    std::atomic<bool> ending{false};
    std::mutex mutex; // guards the three below
    std::condition_variable changed;
    std::deque<Frame> outgoing;
    bool broken = false, writingEnds = false;
    std::thread reader, writer;
};

bool RankProcess::Impl::post(Frame frame)
{
    {
        std::lock_guard lock(mutex);
        if (broken)
            return false;
        outgoing.push_back(std::move(frame));
    }
    changed.notify_one();
    return true;
}

// What was posted before is still written.
void RankProcess::Impl::endWriting()
{
    {
        std::lock_guard lock(mutex);
        writingEnds = true;
    }
    changed.notify_one();
}

// A rank that hangs does not read: only this thread may wait for it.
void RankProcess::Impl::writeLoop()
{
    for (;;) {
        Frame frame;
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [this] { return broken || writingEnds || !outgoing.empty(); });
            if (broken || outgoing.empty())
                return;
            frame = std::move(outgoing.front());
            outgoing.pop_front();
        }
        if (auto sent = channel.send(frame); !sent) {
            log(LogLevel::Info, "comm", sent.error().logText());
            std::lock_guard lock(mutex);
            broken = true;
            outgoing.clear();
            return;
        }
    }
}

// Reads until the connection ends; returns why, when it was our decision.
std::string RankProcess::Impl::listen()
{
    Watchdog watchdog(options, child.pid());
    for (;;) {
        auto frame = channel.receive(200);
        if (!frame)
            return frame.error().code() == ErrorCode::Corrupt ? frame.error().message() : "";
        const std::optional<Frame>& given = *frame;
        if (!given) {
            if (std::string verdict = watchdog.verdict(); !verdict.empty())
                return verdict;
            continue;
        }
        watchdog.heard();
        auto message = decodeFromRank(*given);
        if (!message)
            return message.error().message();
        if (const auto* beat = std::get_if<Heartbeat>(&*message)) {
            watchdog.heartbeat(*beat);
            if (std::string verdict = watchdog.verdict(); !verdict.empty())
                return verdict;
        }
        if (!ending)
            handlers.onMessage(std::move(*message));
    }
}

void RankProcess::Impl::readLoop()
{
    std::string reason;
    if (const auto error = caught("reading its messages", [&] { reason = listen(); })) {
        logCaught(*error);
        reason = "was ended: " + error->message();
    }
    if (!reason.empty())
        child.kill();
    channel.shutdown();
    {
        std::lock_guard lock(mutex);
        broken = true;
    }
    changed.notify_one();
    if (ending)
        return;
    const platform::ExitStatus status = child.stop(std::chrono::milliseconds(2000));
    if (reason.empty())
        reason = status.describe();
    log(LogLevel::Info, "comm", "loquor-rank " + reason);
    handlers.onDeath({std::move(reason)});
}

RankProcess::RankProcess(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}

Result<std::unique_ptr<RankProcess>> RankProcess::start(const RankOptions& options, Handlers handlers)
{
    LQ_TRY(platform::SocketPair sockets, platform::makeSocketPair());
    platform::ChildOptions child;
    child.program = options.program;
    child.arguments = options.arguments;
    child.nice = options.nice;
    child.descriptors.emplace_back(sockets.second.get(), kControlDescriptor);
    const bool preview = options.ringDescriptor >= 0;
    if (preview)
        child.descriptors.emplace_back(options.ringDescriptor, kRingDescriptor);
    child.arguments.insert(child.arguments.begin(), preview ? "--preview" : "--no-preview");
    auto process = platform::ChildProcess::start(child);
    if (!process)
        return fail(std::move(process).error().addContext("starting the engine process " +
                                                          platform::quotedPath(options.program)));
    sockets.second.reset();
    auto impl = std::make_unique<Impl>(std::move(sockets.first), std::move(*process),
                                       std::move(handlers), options);
    Impl* raw = impl.get();
    impl->reader = guardedThread("listening to the engine process", [raw] { raw->readLoop(); });
    // Without it the connection ends, which the reader reports.
    impl->writer = guardedThread(
        "writing to the engine process", [raw] { raw->writeLoop(); },
        [raw](const Error&) { raw->channel.shutdown(); });
    return std::unique_ptr<RankProcess>(new RankProcess(std::move(impl)));
}

RankProcess::~RankProcess()
{
    m->ending = true;
    if (m->post(encode(ToRank(Shutdown{})))) {
        m->endWriting();
        if (!m->child.waitFor(std::chrono::milliseconds(1500)))
            m->child.kill();
    } else {
        m->child.kill();
    }
    m->channel.shutdown();
    m->endWriting();
    m->writer.join();
    m->reader.join();
}

Result<void> RankProcess::send(const ToRank& message)
{
    if (!m->post(encode(message)))
        return fail(ErrorCode::ConnectionLost, "The engine process is gone.");
    return {};
}

void RankProcess::kill()
{
    m->child.kill();
}

int RankProcess::pid() const
{
    return m->child.pid();
}

} // namespace loquor::comm
