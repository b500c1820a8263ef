// Writes settings without making the UI thread wait for the disk.
#pragma once

#include <functional>

class QSettings;

namespace loquor::ui {

// `change` runs at once, so that reading gives the new values; the file is written by a pool thread
// (QSettings waits until the disk has it, which was measured to take a third of a second and more).
void storeSettings(const std::function<void(QSettings&)>& change);

} // namespace loquor::ui
