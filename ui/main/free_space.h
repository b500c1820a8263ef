// How much room is left where videos go.
#pragma once

#include <functional>

#include <QObject>
#include <QString>

namespace loquor::ui {

// Looks on a pool thread; `answer` runs on the thread of `context`, not at all when it cannot be told. Of a folder that is not
// there yet: where it will be made.
void askFreeSpace(QObject* context, const QString& folder, std::function<void(qint64)> answer);

} // namespace loquor::ui
