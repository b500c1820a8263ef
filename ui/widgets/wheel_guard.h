// The wheel scrolls panels; it changes a value only where the user went first.
#pragma once

#include <QObject>

namespace loquor::ui {

// An event filter for the application: choice and number boxes without the focus leave the wheel to what scrolls
// behind them, and the wheel alone gives them no focus.
class WheelGuard : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace loquor::ui
