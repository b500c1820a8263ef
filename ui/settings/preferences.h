// What the user prefers, outside any project. Stored by QSettings; never in project files.
#pragma once

#include <QString>

#include "ui/widgets/theme.h"

namespace loquor::ui {

struct Preferences
{
    ThemeMode theme = ThemeMode::System;
    bool smoothPreview = true;
    QString language; // "" = of the system, else "en", "de"
    int countInSeconds = 3;
    double realtimeFactor = 2.0; // measured by the last run; feeds the estimate

    static Preferences load();
    void store() const;
};

} // namespace loquor::ui
