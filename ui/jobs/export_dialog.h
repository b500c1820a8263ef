// What an export is to be, before its file is chosen: size, captions, label; what that costs.
#pragma once

#include <QDialog>

#include "ui/jobs/job_controller.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace loquor::ui {

class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    // `seconds`, `bytes`: about how long and how large it will be as it is made.
    ExportDialog(const project::Document& document, double seconds, qint64 bytes, QWidget* parent = nullptr);

    ExportChoice choice() const; // without a file
    QComboBox& size() { return *m_size; }
    QComboBox& captions() { return *m_captions; }
    QCheckBox& labelled() { return *m_labelled; }
    QLineEdit& label() { return *m_label; }
    QString costText() const;

Q_SIGNALS:
    void chosen(const loquor::ui::ExportChoice& choice);

private:
    void fillSizes();
    void restore();
    void store() const;
    void refresh();

    const project::Output m_output;
    const bool m_isProject;
    const double m_seconds;
    const qint64 m_bytes;
    QComboBox *m_size, *m_captions;
    QCheckBox* m_labelled;
    QLineEdit* m_label;
    QLabel *m_cost, *m_note;
    QDialogButtonBox* m_buttons;
};

} // namespace loquor::ui
