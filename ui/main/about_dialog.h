// What this program is, whose work is in it, under which licences.
#pragma once

#include <QDialog>

namespace loquor::ui {

class AboutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit AboutDialog(QWidget* parent = nullptr);
};

} // namespace loquor::ui
