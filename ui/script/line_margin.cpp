#include "ui/script/line_margin.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/script/script_editor.h"
#include "ui/widgets/look.h"

namespace loquor::ui {

LineMargin::LineMargin(ScriptEditor& editor) : QWidget(&editor), m_editor(editor)
{
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("States of the lines"));
}

QSize LineMargin::sizeHint() const
{
    const int digits = std::max(2, static_cast<int>(QString::number(m_editor.rowsShown()).size()));
    return {fontMetrics().horizontalAdvance(QLatin1Char('9')) * digits + fontMetrics().height() + 12, 0};
}

void LineMargin::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const double sign = fontMetrics().height() * 0.95;
    for (const ScriptEditor::Row& row : m_editor.rows()) {
        const QRectF box(4, row.top, width() - 8, row.height);
        painter.setPen(palette().color(QPalette::Dark));
        painter.drawText(box.adjusted(0, 0, -sign - 3, 0), Qt::AlignRight | Qt::AlignVCenter, QString::number(row.number));
        paintSign(painter, {box.right() - sign, box.top() + (box.height() - sign) / 2, sign, sign}, row.look, palette());
    }
}

bool LineMargin::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    for (const ScriptEditor::Row& row : m_editor.rows()) {
        if (help->pos().y() >= row.top && help->pos().y() < row.top + row.height)
            text = row.tip;
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void LineMargin::mouseReleaseEvent(QMouseEvent* event)
{
    for (const ScriptEditor::Row& row : m_editor.rows()) {
        if (event->position().y() >= row.top && event->position().y() < row.top + row.height)
            return Q_EMIT lineClicked(row.line);
    }
}

} // namespace loquor::ui
