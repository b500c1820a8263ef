// Slow work off the UI thread, answer back on it.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

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

} // namespace detail

// Runs work() on a pool thread and then done(Result) on the thread of `context`, unless `context`
// is gone by then. Work that gives no Result gets one: what it throws arrives as an Error, too.
// `work` must not touch `context`.
template<class Work, class Done>
void runInBackground(QObject* context, Work work, Done done)
{
    using Answer = typename detail::AsResult<decltype(work())>::Type;
    QThreadPool::globalInstance()->start([guard = QPointer<QObject>(context),
                                          work = std::move(work),
                                          done = std::move(done)]() mutable {
        std::optional<Answer> given;
        if (auto error = caught("working in the background", [&] { given.emplace(work()); })) {
            logCaught(*error);
            given.emplace(fail(std::move(*error)));
        }
        auto result = std::make_shared<Answer>(std::move(*given));
        // The guard is looked at on the UI thread only: the application object relays.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, result, done = std::move(done)]() mutable {
                if (guard)
                    done(std::move(*result));
            },
            Qt::QueuedConnection);
    });
}

} // namespace loquor::ui
