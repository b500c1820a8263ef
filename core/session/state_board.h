// What the outside may see of the engine: latest state and queued facts.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace loquor::session {

Event makeEvent(Event::Kind kind, CommandId command, std::string text = {});

// Any thread. State merges to the latest value; facts queue and are never dropped. After each change the
// wakeup runs, outside the lock of the state, on the thread that made the change.
class StateBoard
{
public:
    // Once it returns, the wakeup before does not run any more: what it refers to may go. Not from a wakeup.
    void setWakeup(std::function<void()> wakeup);
    Snapshot snapshot() const;
    std::vector<Event> takeEvents();

    // Changes the snapshot through `change` and counts its revision.
    void update(const std::function<void(Snapshot&)>& change);
    void post(Event event);
    // A job begins: JobStarted, and a snapshot that knows nothing of the one before.
    void beginJob(CommandId job, Phase phase, const char* activity);
    // Something else worth a look (a frame, sound).
    void wake();

private:
    std::mutex m_wakeupMutex; // guards m_wakeup and is held while it runs; never together with m_mutex
    std::function<void()> m_wakeup;
    mutable std::mutex m_mutex; // guards all below
    Snapshot m_snapshot;
    std::vector<Event> m_events;
};

} // namespace loquor::session
