// A column of cards that scrolls, and below it what must stay in sight.
#pragma once

#include <QList>
#include <QWidget>

namespace loquor::ui {

class Inspector : public QWidget
{
    Q_OBJECT

public:
    Inspector(const QList<QWidget*>& cards, QWidget* below, QWidget* parent = nullptr);
};

} // namespace loquor::ui
