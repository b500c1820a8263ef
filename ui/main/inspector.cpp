#include "ui/main/inspector.h"

#include <QBoxLayout>
#include <QScrollArea>
#include <QScrollBar>

namespace loquor::ui {

Inspector::Inspector(const QList<QWidget*>& cards, QWidget* below, QWidget* parent) : QWidget(parent)
{
    auto* column = new QWidget;
    column->setObjectName(QStringLiteral("column"));
    auto* list = new QVBoxLayout(column);
    list->setContentsMargins(0, 0, 4, 0);
    list->setSpacing(10);
    for (QWidget* card : cards)
        list->addWidget(card);
    list->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidget(column);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(column->minimumSizeHint().width() + scroll->verticalScrollBar()->sizeHint().width());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 8, 4);
    layout->addWidget(scroll, 1);
    layout->addWidget(below);
}

} // namespace loquor::ui
