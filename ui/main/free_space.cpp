#include "ui/main/free_space.h"

#include <QFileInfo>
#include <QStorageInfo>

#include "ui/bridge/background_task.h"

namespace loquor::ui {

void askFreeSpace(QObject* context, const QString& folder, std::function<void(qint64)> answer)
{
    const auto look = [folder = QString(folder)]() mutable {
        while (!QFileInfo::exists(folder) && folder.size() > 1)
            folder = QFileInfo(folder).path();
        return QStorageInfo(folder).bytesAvailable();
    };
    runInBackground(context, look, [answer = std::move(answer)](const Result<qint64>& bytes) {
        if (bytes) // else what was measured last stays
            answer(*bytes);
    });
}

} // namespace loquor::ui
