// The settings of the program. What is changed is seen at once; Cancel takes it back.
#pragma once

#include <QDialog>

#include "ui/settings/preferences.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace loquor::ui {

class SettingsDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SettingsDialog(const Preferences& preferences, QWidget* parent = nullptr);

    Preferences preferences() const;
    QComboBox& theme() { return *m_theme; }

Q_SIGNALS:
    void changed(const loquor::ui::Preferences& preferences);

private:
    const Preferences m_before;
    QComboBox *m_theme, *m_language, *m_preview;
    QSpinBox* m_countIn;
};

} // namespace loquor::ui
