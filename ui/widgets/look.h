// How states of lines and chunks look: a colour, a pattern and a sign of their own, so that none is told by colour alone.
#pragma once

#include <QBrush>
#include <QPalette>
#include <QRectF>
#include <QString>

#include "ui/models/timeline_layout.h"

class QPainter;

namespace loquor::ui {

QColor colourOf(Look look, const QPalette& palette);
// Fills a chunk.
QBrush brushOf(Look look, const QPalette& palette);
// A sign in a square box: check, ring, dots, exclamation mark ...
void paintSign(QPainter& painter, const QRectF& box, Look look, const QPalette& palette);
// "ready", "changed, not made yet" ...
QString textOf(Look look);

} // namespace loquor::ui
