#include "ui/widgets/look.h"

#include <QCoreApplication>
#include <QPainter>

namespace loquor::ui {

namespace {

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128;
}

} // namespace

QColor colourOf(Look look, const QPalette& palette)
{
    const bool dark = isDark(palette);
    switch (look) {
    case Look::New: return palette.color(QPalette::Dark);
    case Look::Stale:
    case Look::Partial: return QColor(dark ? "#f0b94d" : "#9a6400");
    case Look::Waiting: return palette.color(QPalette::Dark);
    case Look::Rendering: return palette.color(QPalette::Highlight);
    case Look::Ready: return QColor(dark ? "#6fcf8f" : "#1f7a3d");
    case Look::Failed: return QColor(dark ? "#ff8f8f" : "#b3261e");
    }
    return palette.color(QPalette::Text);
}

QBrush brushOf(Look look, const QPalette& palette)
{
    const QColor colour = colourOf(look, palette);
    switch (look) {
    case Look::New: return Qt::NoBrush;
    case Look::Stale:
    case Look::Partial: return QBrush(colour, Qt::BDiagPattern);
    case Look::Waiting: return QBrush(colour, Qt::Dense6Pattern);
    case Look::Rendering: return QBrush(colour, Qt::Dense4Pattern);
    case Look::Ready: return QBrush(palette.color(QPalette::Highlight));
    case Look::Failed: return QBrush(colour, Qt::DiagCrossPattern);
    }
    return Qt::NoBrush;
}

void paintSign(QPainter& painter, const QRectF& box, Look look, const QPalette& palette)
{
    const double side = std::min(box.width(), box.height());
    const QPointF centre = box.center();
    const double r = side * 0.36;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colourOf(look, palette), std::max(1.4, side * 0.12), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const auto dot = [&](double x, double y) {
        painter.setBrush(painter.pen().color());
        painter.drawEllipse(centre + QPointF(x, y), side * 0.03, side * 0.03);
    };
    switch (look) {
    case Look::New: // an empty ring
        painter.drawEllipse(centre, r, r);
        break;
    case Look::Stale: // a pencil stroke over a line
    case Look::Partial:
        painter.drawLine(centre + QPointF(-r * 0.7, r * 0.5), centre + QPointF(r * 0.7, -r * 0.9));
        painter.drawLine(centre + QPointF(-r, r), centre + QPointF(r, r));
        break;
    case Look::Waiting: // three dots
        for (const double x : {-0.7, 0.0, 0.7})
            dot(x * r, 0);
        break;
    case Look::Rendering: // a triangle
        painter.drawPolygon(QPolygonF({centre + QPointF(-r * 0.6, -r * 0.8), centre + QPointF(r * 0.9, 0), centre + QPointF(-r * 0.6, r * 0.8)}));
        break;
    case Look::Ready: // a check
        painter.drawPolyline(QPolygonF({centre + QPointF(-r * 0.9, 0), centre + QPointF(-r * 0.2, r * 0.7), centre + QPointF(r, -r * 0.8)}));
        break;
    case Look::Failed: // an exclamation mark
        painter.drawLine(centre + QPointF(0, -r), centre + QPointF(0, r * 0.25));
        dot(0, r);
        break;
    }
    painter.restore();
}

QString textOf(Look look)
{
    const char* text = "";
    switch (look) {
    case Look::New: text = QT_TRANSLATE_NOOP("Look", "not made yet"); break;
    case Look::Stale: text = QT_TRANSLATE_NOOP("Look", "changed, not made yet"); break;
    case Look::Partial: text = QT_TRANSLATE_NOOP("Look", "partly made"); break;
    case Look::Waiting: text = QT_TRANSLATE_NOOP("Look", "waiting"); break;
    case Look::Rendering: text = QT_TRANSLATE_NOOP("Look", "being made"); break;
    case Look::Ready: text = QT_TRANSLATE_NOOP("Look", "ready"); break;
    case Look::Failed: text = QT_TRANSLATE_NOOP("Look", "failed"); break;
    }
    return QCoreApplication::translate("Look", text);
}

} // namespace loquor::ui
