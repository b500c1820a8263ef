#include "ui/widgets/level_meter.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

namespace loquor::ui {

namespace {

constexpr float kFloorDecibel = -54;
constexpr float kFallPerUpdate = 0.05f;
constexpr float kLoudPart = 1 - 6 / -kFloorDecibel; // above -6 dB

} // namespace

LevelMeter::LevelMeter(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Recording level"));
}

void LevelMeter::setPeak(float peak)
{
    const float decibel = 20 * std::log10(std::max(peak, 1e-6f));
    const float now = std::clamp(1 - decibel / kFloorDecibel, 0.0f, 1.0f);
    m_shown = std::max(now, m_shown - kFallPerUpdate);
    m_clipped = peak >= 0.999f;
    setAccessibleDescription(
        m_clipped ? tr("Too loud") : tr("%n percent", nullptr, static_cast<int>(m_shown * 100)));
    update();
}

QSize LevelMeter::sizeHint() const
{
    return {120, std::max(10, fontMetrics().height() * 2 / 3)};
}

void LevelMeter::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF bar = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(palette().color(QPalette::Button));
    painter.drawRoundedRect(bar, 4, 4);
    if (m_shown <= 0)
        return;
    const QColor good(0x2f, 0xa8, 0x5a), loud(0xe0, 0xa1, 0x1c), clipped(0xd6, 0x3c, 0x3c);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_clipped ? clipped : m_shown > kLoudPart ? loud
                                                               : good);
    QRectF level = bar.adjusted(1.5, 1.5, -1.5, -1.5);
    level.setWidth(level.width() * m_shown);
    painter.drawRoundedRect(level, 3, 3);
}

} // namespace loquor::ui
