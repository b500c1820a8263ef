// Runs one session command to its end, with Ctrl-C.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "core/session/session.h"

namespace loquor::cli {

// Set by the signal thread of main: how often the user asked to stop.
class Interrupts
{
public:
    void add();
    int count() const { return m_count; }
    // Called (on the signal thread) at each interrupt.
    void setHandler(std::function<void()> handler);

private:
    std::atomic<int> m_count{0};
    std::mutex m_mutex; // guards m_handler
    std::function<void()> m_handler;
};

// Calls `onEvent` for each event and `onTick` about ten times a second, until onEvent returns false.
// At the first interrupt `onInterrupt` runs once; false ends the loop. All on the calling thread.
struct LoopHandlers
{
    std::function<bool(session::Event&)> onEvent;
    std::function<void()> onTick;
    std::function<bool()> onInterrupt;
};
class SessionLoop
{
public:
    SessionLoop(session::Session& session, Interrupts& interrupts);
    ~SessionLoop();
    void run(const LoopHandlers& handlers);

private:
    void wake();
    session::Session& m_session;
    Interrupts& m_interrupts;
    std::mutex m_mutex; // guards m_news
    std::condition_variable m_changed;
    bool m_news = false;
};

} // namespace loquor::cli
