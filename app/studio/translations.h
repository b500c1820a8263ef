// Language of the user interface.
#pragma once

#include <QString>

class QCoreApplication;

namespace loquor::studio {

// Installs the texts of `language` ("" = of the desktop) from the program's resources, and Qt's
// own.
void installTranslations(QCoreApplication& application, const QString& language);

} // namespace loquor::studio
