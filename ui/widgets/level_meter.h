// How loud the microphone is.
#pragma once

#include <QWidget>

namespace loquor::ui {

class LevelMeter : public QWidget
{
    Q_OBJECT

public:
    explicit LevelMeter(QWidget* parent = nullptr);
    // Peak, 0..1 linear; falls back slowly by itself.
    void setPeak(float peak);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    float m_shown = 0; // 0..1 of the bar, on a decibel scale
    bool m_clipped = false;
};

} // namespace loquor::ui
