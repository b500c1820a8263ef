#include "ui/settings/preferences.h"

#include <QSettings>

#include "ui/settings/store_settings.h"

namespace loquor::ui {

Preferences Preferences::load()
{
    const QSettings settings;
    const Preferences usual;
    Preferences found;
    found.theme = themeFromKey(settings.value("look/theme").toString());
    found.smoothPreview = settings.value("preview/smooth", usual.smoothPreview).toBool();
    found.language = settings.value("look/language").toString();
    found.countInSeconds =
        qBound(0, settings.value("recording/countIn", usual.countInSeconds).toInt(), 10);
    found.realtimeFactor = settings.value("engine/realtimeFactor", usual.realtimeFactor).toDouble();
    return found;
}

void Preferences::store() const
{
    storeSettings([this](QSettings& settings) {
        settings.setValue("look/theme", toKey(theme));
        settings.setValue("preview/smooth", smoothPreview);
        settings.setValue("look/language", language);
        settings.setValue("recording/countIn", countInSeconds);
        settings.setValue("engine/realtimeFactor", realtimeFactor);
    });
}

} // namespace loquor::ui
