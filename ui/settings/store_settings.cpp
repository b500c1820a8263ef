#include "ui/settings/store_settings.h"

#include <QSettings>
#include <QThreadPool>

namespace loquor::ui {

void storeSettings(const std::function<void(QSettings&)>& change)
{
    auto* settings = new QSettings;
    change(*settings);
    settings->moveToThread(nullptr); // takes its own request to write out of the event loop
    QThreadPool::globalInstance()->start([settings] { delete settings; }); // writes
}

} // namespace loquor::ui
