#include "ui/script/script_editor.h"

#include <QMimeData>
#include <QUrl>

namespace loquor::ui {

ScriptEditor::ScriptEditor(QWidget* parent) : QPlainTextEdit(parent)
{
    setTabChangesFocus(true);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (m_showing)
            return;
        m_known = toPlainText();
        Q_EMIT edited(m_known);
    });
}

void ScriptEditor::showText(const QString& text)
{
    if (text == m_known)
        return;
    m_known = text;
    m_showing = true;
    setPlainText(text);
    m_showing = false;
}

void ScriptEditor::focusOutEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
        Q_EMIT editingFinished();
}

bool ScriptEditor::canInsertFromMimeData(const QMimeData* source) const
{
    return source->hasUrls() || source->hasText();
}

void ScriptEditor::insertFromMimeData(const QMimeData* source)
{
    for (const QUrl& url : source->urls()) {
        if (url.isLocalFile()) {
            Q_EMIT fileDropped(url.toLocalFile());
            return;
        }
    }
    if (source->hasText())
        insertPlainText(source->text()); // never formatted text
}

} // namespace loquor::ui
