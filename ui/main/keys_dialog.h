// All keys at a glance.
#pragma once

#include <QDialog>

class QMainWindow;

namespace loquor::ui {

class KeysDialog : public QDialog
{
    Q_OBJECT

public:
    // Lists the actions of the menu bar of `window` and the keys of the preview.
    explicit KeysDialog(QMainWindow& window);
};

} // namespace loquor::ui
