#include "core/base/cancel.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace loquor {

namespace detail {

struct CancelState
{
    std::mutex mutex;
    std::condition_variable changed;
    bool cancelled = false;                             // mutex
    std::map<int, std::function<void()>> subscriptions; // mutex
    int nextId = 0;                                     // mutex
    int running = -1;                                   // mutex: subscription whose wake-up runs now
    std::thread::id runner;                             // mutex: and the thread it runs on
};

namespace {

// One wake-up after the other, so that the end of a subscription can wait for its own (see endSubscription).
void cancelState(CancelState& state)
{
    std::unique_lock lock(state.mutex);
    if (state.cancelled)
        return;
    state.cancelled = true;
    state.changed.notify_all();
    state.runner = std::this_thread::get_id();
    while (!state.subscriptions.empty()) {
        auto subscription = state.subscriptions.extract(state.subscriptions.begin());
        state.running = subscription.key();
        lock.unlock();
        subscription.mapped()();
        subscription = {};
        lock.lock();
        state.running = -1;
        state.changed.notify_all();
    }
}

// What a wake-up refers to may go away after this: it will not start any more, and if it runs on another
// thread, it has returned.
void endSubscription(CancelState& state, int id)
{
    std::unique_lock lock(state.mutex);
    auto subscription = state.subscriptions.extract(id);
    if (state.runner != std::this_thread::get_id())
        state.changed.wait(lock, [&] { return state.running != id; });
    lock.unlock();
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
                if (const auto state = weak.lock())
                    detail::endSubscription(*state, id);
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
