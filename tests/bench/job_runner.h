// Runs a job of the session to its end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "core/session/session.h"

namespace loquor::bench {

// One at a time for a session, made before the job is asked for.
class JobRunner
{
public:
    explicit JobRunner(session::Session& session) : m_session(session)
    {
        m_session.setWakeup([this] {
            std::lock_guard lock(m_mutex);
            m_news = true;
            m_changed.notify_one();
        });
    }
    ~JobRunner() { m_session.setWakeup({}); }
    JobRunner(const JobRunner&) = delete;
    JobRunner& operator=(const JobRunner&) = delete;

    // The report, or why there is none; `onEvent` sees the job's events before.
    Result<session::RenderReport> wait(session::CommandId job,
                                       const std::function<void(const session::Event&)>& onEvent = {})
    {
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait_for(lock, std::chrono::seconds(1), [&] { return m_news; });
                m_news = false;
            }
            for (session::Event& event : m_session.takeEvents()) {
                if (event.command != job)
                    continue;
                if (onEvent)
                    onEvent(event);
                if (event.error)
                    return fail(std::move(*event.error));
                if (event.report)
                    return std::move(*event.report);
            }
        }
    }

private:
    session::Session& m_session;
    std::mutex m_mutex; // guards m_news
    std::condition_variable m_changed;
    bool m_news = false;
};

} // namespace loquor::bench
