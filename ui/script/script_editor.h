// The script box. Keeps its own undo while it has the focus; outside it is one step of the project.
#pragma once

#include <QPlainTextEdit>

namespace loquor::ui {

class ScriptEditor : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit ScriptEditor(QWidget* parent = nullptr);

    // Shows `text` unless it is what the user just typed.
    void showText(const QString& text);

Q_SIGNALS:
    void edited(const QString& text);
    void editingFinished();
    // A file was dropped on the box.
    void fileDropped(const QString& path);

protected:
    void focusOutEvent(QFocusEvent* event) override;
    bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    QString m_known; // last text that was typed or shown
    bool m_showing = false;
};

} // namespace loquor::ui
