// Opens the file manager at a file, without waiting for it.
#pragma once

#include <QString>

namespace loquor::ui {

void showInFolder(const QString& file);

} // namespace loquor::ui
