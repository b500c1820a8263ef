#include "core/base/cancel.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace loquor {

namespace detail {

struct CancelState
{
    std::mutex mutex;
    std::condition_variable changed;
    bool cancelled = false;                             // mutex
    std::map<int, std::function<void()>> subscriptions; // mutex
    int nextId = 0;                                     // mutex
};

namespace {

void cancelState(CancelState& state)
{
    std::map<int, std::function<void()>> wakes;
    {
        std::lock_guard lock(state.mutex);
        if (state.cancelled)
            return;
        state.cancelled = true;
        wakes.swap(state.subscriptions);
    }
    state.changed.notify_all();
    for (auto& [id, wake] : wakes)
        wake();
}

} // namespace
} // namespace detail

bool CancelToken::isCancelled() const
{
    if (!m_state)
        return false;
    std::lock_guard lock(m_state->mutex);
    return m_state->cancelled;
}

bool CancelToken::waitFor(int milliseconds) const
{
    if (!m_state) {
        static std::mutex mutex;
        static std::condition_variable never;
        std::unique_lock lock(mutex);
        never.wait_for(lock, std::chrono::milliseconds(milliseconds), [] { return false; });
        return false;
    }
    std::unique_lock lock(m_state->mutex);
    return m_state->changed.wait_for(lock, std::chrono::milliseconds(milliseconds),
                                     [this] { return m_state->cancelled; });
}

std::shared_ptr<void> CancelToken::onCancel(std::function<void()> wake) const
{
    if (!m_state)
        return nullptr;
    {
        std::unique_lock lock(m_state->mutex);
        if (!m_state->cancelled) {
            const int id = m_state->nextId++;
            m_state->subscriptions.emplace(id, std::move(wake));
            std::weak_ptr<detail::CancelState> weak = m_state;
            return std::shared_ptr<void>(static_cast<void*>(nullptr), [weak, id](void*) {
                if (const auto state = weak.lock()) {
                    std::lock_guard guard(state->mutex);
                    state->subscriptions.erase(id);
                }
            });
        }
    }
    wake();
    return nullptr;
}

CancelSource::CancelSource() : m_state(std::make_shared<detail::CancelState>())
{
}

CancelSource::CancelSource(const CancelToken& parent) : CancelSource()
{
    std::weak_ptr<detail::CancelState> weak = m_state;
    m_parentLink = parent.onCancel([weak] {
        if (const auto state = weak.lock())
            detail::cancelState(*state);
    });
}

void CancelSource::cancel()
{
    detail::cancelState(*m_state);
}

} // namespace loquor
