// Slow work off the UI thread, answer back on it.
#pragma once

#include <memory>
#include <utility>

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

namespace loquor::ui {

// Runs work() on a pool thread and then done(result) on the thread of `context`, unless `context`
// is gone by then. `work` must not touch `context`.
template<class Work, class Done>
void runInBackground(QObject* context, Work work, Done done)
{
    QThreadPool::globalInstance()->start([guard = QPointer<QObject>(context),
                                          work = std::move(work),
                                          done = std::move(done)]() mutable {
        auto result = std::make_shared<decltype(work())>(work());
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
