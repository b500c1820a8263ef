// Beside the script: number and state of each line, at the row in which it begins.
#pragma once

#include <QWidget>

namespace loquor::ui {

class ScriptEditor;

class LineMargin : public QWidget
{
    Q_OBJECT

public:
    explicit LineMargin(ScriptEditor& editor);

    QSize sizeHint() const override;

Q_SIGNALS:
    // The sign of a line was clicked.
    void lineClicked(quint64 line);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    ScriptEditor& m_editor;
};

} // namespace loquor::ui
