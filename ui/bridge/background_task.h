// Slow work off the UI thread, answer back on it.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include <QCoreApplication>
#include <QEvent>
#include <QObject>
#include <QPointer>

#include "core/base/guarded_thread.h"

namespace loquor::ui {

namespace detail {

template<class T>
struct AsResult
{
    using Type = Result<T>;
};
template<class T>
struct AsResult<Result<T>>
{
    using Type = Result<T>;
};

// What the first thread did before handOver() is there for the second behind takeOver(). Qt's queues give that
// already; the thread sanitizer does not see into them.
void handOver();
void takeOver();
// Hands over and runs `task` on a thread of Qt's pool.
void startInPool(std::function<void()> task);

// Carries one answer to the UI thread, where it lives.
template<class Answer, class Done>
class Relay : public QObject
{
public:
    Relay(QObject* context, Done done)
        : QObject(QCoreApplication::instance()), m_context(context), m_done(std::move(done))
    {
    }
    ~Relay() override { takeOver(); } // by the application, when it ends with an answer under way
    // Once, from the pool thread.
    void deliver(Answer answer)
    {
        m_answer.emplace(std::move(answer));
        auto* event = new QEvent(QEvent::User);
        handOver();
        QCoreApplication::postEvent(this, event);
    }
    bool event(QEvent* event) override
    {
        takeOver();
        if (event->type() != QEvent::User)
            return QObject::event(event);
        deleteLater();
        if (m_context)
            m_done(std::move(*m_answer));
        return true;
    }

private:
    const QPointer<QObject> m_context; // UI thread only
    Done m_done;                       // UI thread only
    std::optional<Answer> m_answer;
};

} // namespace detail

// From the UI thread: runs work() on a pool thread and then done(Result) on the thread of `context`, unless
// `context` is gone by then. Work that gives no Result gets one: what it throws arrives as an Error, too.
// `work` must not touch `context`.
template<class Work, class Done>
void runInBackground(QObject* context, Work work, Done done)
{
    using Answer = typename detail::AsResult<decltype(work())>::Type;
    auto* relay = new detail::Relay<Answer, Done>(context, std::move(done));
    detail::startInPool([relay, work = std::move(work)]() mutable {
        detail::takeOver();
        std::optional<Answer> answer;
        if (auto error = caught("working in the background", [&] { answer.emplace(work()); })) {
            logCaught(*error);
            answer.emplace(fail(std::move(*error)));
        }
        relay->deliver(std::move(*answer));
    });
}

} // namespace loquor::ui
