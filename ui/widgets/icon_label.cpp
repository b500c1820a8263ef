#include "ui/widgets/icon_label.h"

#include <QPainter>

namespace loquor::ui {

IconLabel::IconLabel(const QIcon& icon, QWidget* parent) : QWidget(parent), m_icon(icon)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void IconLabel::setIcon(const QIcon& icon)
{
    m_icon = icon;
    update();
}

QSize IconLabel::sizeHint() const
{
    const int side = fontMetrics().height() + 2;
    return {side, side};
}

void IconLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    m_icon.paint(&painter, rect(), Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
}

} // namespace loquor::ui
