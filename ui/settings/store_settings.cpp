#include "ui/settings/store_settings.h"

#include <QSettings>

#include "ui/bridge/background_task.h"

namespace loquor::ui {

void storeSettings(const std::function<void(QSettings&)>& change)
{
    auto* settings = new QSettings;
    change(*settings);
    settings->moveToThread(nullptr); // takes its own request to write out of the event loop
    const auto write = [settings] {
        delete settings; // waits for the disk
        return true;
    };
    runInBackground(QCoreApplication::instance(), write, [](const Result<bool>&) {});
}

} // namespace loquor::ui
