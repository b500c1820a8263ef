#include "app/cli/session_loop.h"

#include <chrono>

namespace loquor::cli {

void Interrupts::add()
{
    ++m_count;
    std::lock_guard lock(m_mutex);
    if (m_handler)
        m_handler();
}

void Interrupts::setHandler(std::function<void()> handler)
{
    std::lock_guard lock(m_mutex);
    m_handler = std::move(handler);
}

SessionLoop::SessionLoop(session::Session& session, Interrupts& interrupts)
    : m_session(session), m_interrupts(interrupts)
{
    m_session.setWakeup([this] { wake(); });
    m_interrupts.setHandler([this] { wake(); });
}

SessionLoop::~SessionLoop()
{
    m_interrupts.setHandler({});
    m_session.setWakeup({});
}

void SessionLoop::wake()
{
    {
        std::lock_guard lock(m_mutex);
        m_news = true;
    }
    m_changed.notify_one();
}

void SessionLoop::run(const LoopHandlers& handlers)
{
    bool told = false;
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait_for(lock, std::chrono::milliseconds(100), [this] { return m_news; });
            m_news = false;
        }
        if (m_interrupts.count() > 0 && !told) {
            told = true;
            if (!handlers.onInterrupt())
                return;
        }
        for (session::Event& event : m_session.takeEvents()) {
            if (!handlers.onEvent(event))
                return;
        }
        handlers.onTick();
    }
}

} // namespace loquor::cli
