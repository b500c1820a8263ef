#include "core/session/state_board.h"

namespace loquor::session {

Event makeEvent(Event::Kind kind, CommandId command, std::string text)
{
    Event event;
    event.kind = kind;
    event.command = command;
    event.text = std::move(text);
    return event;
}

void StateBoard::setWakeup(std::function<void()> wakeup)
{
    std::lock_guard lock(m_wakeupMutex);
    m_wakeup = std::move(wakeup);
}

Snapshot StateBoard::snapshot() const
{
    std::lock_guard lock(m_mutex);
    return m_snapshot;
}

std::vector<Event> StateBoard::takeEvents()
{
    std::lock_guard lock(m_mutex);
    std::vector<Event> out;
    out.swap(m_events);
    return out;
}

void StateBoard::update(const std::function<void(Snapshot&)>& change)
{
    {
        std::lock_guard lock(m_mutex);
        change(m_snapshot);
        ++m_snapshot.revision;
    }
    wake();
}

void StateBoard::post(Event event)
{
    {
        std::lock_guard lock(m_mutex);
        m_events.push_back(std::move(event));
    }
    wake();
}

void StateBoard::beginJob(CommandId job, Phase phase, const char* activity)
{
    post(makeEvent(Event::Kind::JobStarted, job));
    update([&](Snapshot& s) {
        Snapshot fresh;
        fresh.revision = s.revision;
        fresh.phase = phase;
        fresh.job = job;
        fresh.activity = activity;
        fresh.device = s.device;
        fresh.rssMb = s.rssMb;
        fresh.waiting = std::move(s.waiting);
        s = std::move(fresh);
    });
}

void StateBoard::wake()
{
    std::lock_guard lock(m_wakeupMutex);
    if (m_wakeup)
        m_wakeup();
}

} // namespace loquor::session
