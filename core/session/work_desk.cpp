#include "core/session/work_desk.h"

#include <utility>

#include "core/base/guarded_thread.h"

namespace loquor::session {

WorkDesk::WorkDesk(const char* name, Failed failed) : m_failed(std::move(failed))
{
    m_thread = guardedThread(name, [this] { run(); });
}

WorkDesk::~WorkDesk()
{
    {
        std::lock_guard lock(m_mutex);
        m_quit = true;
        for (const auto& asked : m_asked)
            asked->cancel.cancel();
    }
    m_changed.notify_one();
    m_thread.join();
}

void WorkDesk::ask(Id id, Work work)
{
    auto asked = std::make_shared<Asked>();
    asked->id = id;
    asked->work = std::move(work);
    {
        std::lock_guard lock(m_mutex);
        m_asked.push_back(std::move(asked));
    }
    m_changed.notify_one();
}

void WorkDesk::cancel(Id id)
{
    std::lock_guard lock(m_mutex);
    for (const auto& asked : m_asked) {
        if (asked->id == id)
            asked->cancel.cancel();
    }
}

void WorkDesk::workOff(const Asked& asked) const
{
    Result<void> done;
    const auto work = [&] { done = asked.cancel.token().isCancelled() ? Result<void>(cancelled()) : asked.work(asked.cancel.token()); };
    if (auto error = caught("working for a command", work))
        done = fail(std::move(*error));
    if (!done)
        m_failed(asked.id, std::move(done).error());
}

void WorkDesk::run()
{
    for (;;) {
        std::shared_ptr<Asked> asked;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_quit || !m_asked.empty(); });
            if (m_quit)
                return;
            asked = m_asked.front();
        }
        workOff(*asked);
        std::lock_guard lock(m_mutex);
        m_asked.pop_front();
    }
}

} // namespace loquor::session
