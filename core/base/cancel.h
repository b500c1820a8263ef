// Cooperative cancellation with parents: cancelling a parent cancels all its children.
#pragma once

#include <functional>
#include <memory>

namespace loquor {

namespace detail {
struct CancelState;
}

// Cheap to copy, may be asked from any thread. A default-constructed token is never cancelled.
class CancelToken
{
public:
    CancelToken() = default;
    bool isCancelled() const;
    // Blocks up to `milliseconds`; returns true at once when cancelled. For waits that must end early.
    bool waitFor(int milliseconds) const;
    // Runs `wake` once when cancelled (at once, if so already), on the cancelling thread: short, no call back into
    // this class. The handle's end ends it and waits while it runs, so hold no lock there that `wake` takes.
    [[nodiscard]] std::shared_ptr<void> onCancel(std::function<void()> wake) const;

private:
    friend class CancelSource;
    explicit CancelToken(std::shared_ptr<detail::CancelState> state) : m_state(std::move(state)) {}
    std::shared_ptr<detail::CancelState> m_state;
};

// Owner side. Destroying a source does not cancel.
class CancelSource
{
public:
    CancelSource();
    explicit CancelSource(const CancelToken& parent);
    CancelToken token() const { return CancelToken(m_state); }
    void cancel();
    bool isCancelled() const { return token().isCancelled(); }

private:
    std::shared_ptr<detail::CancelState> m_state;
    std::shared_ptr<void> m_parentLink;
};

} // namespace loquor
