#include "ui/preview/timeline_widget.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "ui/bridge/strings.h"

namespace loquor::ui {

namespace {

constexpr double kClosest = 3; // pixels between two marks

} // namespace

TimelineWidget::TimelineWidget(QWidget* parent) : QAbstractSlider(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setOrientation(Qt::Horizontal);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Position in the video"));
    setRange(0, 0);
    // Keys and the wheel end here; the mouse scrubs by itself.
    connect(this, &QAbstractSlider::actionTriggered, this,
            [this] { Q_EMIT scrubbed(sliderPosition()); });
}

void TimelineWidget::clear()
{
    m_ready = m_total = 0;
    m_chunkEnds.clear();
    m_words.clear();
    setRange(0, 0);
    update();
}

void TimelineWidget::setRate(Rational fps)
{
    m_fps = fps;
    setPageStep(std::max(1, static_cast<int>(std::lround(fps.toDouble()))));
}

void TimelineWidget::setProgress(FrameIndex ready, FrameIndex total)
{
    m_ready = ready;
    m_total = std::max(ready, total);
    setRange(0, static_cast<int>(std::max<FrameIndex>(0, m_ready - 1)));
    setAccessibleDescription(tr("%1 of %2 are ready").arg(timeOf(m_ready), timeOf(m_total)));
    update();
}

void TimelineWidget::addChunk(FrameIndex frames)
{
    m_chunkEnds.push_back((m_chunkEnds.empty() ? 0 : m_chunkEnds.back()) + frames);
    update();
}

void TimelineWidget::addWords(const speech::Timing& timing)
{
    for (const speech::Word& word : timing.words)
        m_words.push_back({word.start, word.end, QString::fromStdString(word.text)});
    update();
}

QSize TimelineWidget::sizeHint() const
{
    return {200, fontMetrics().height() * 2 + 14};
}

QRectF TimelineWidget::track() const
{
    const double height = std::max(8.0, fontMetrics().height() * 0.6);
    return {6, 4, std::max(1.0, width() - 12.0), height};
}

double TimelineWidget::xOf(double frame) const
{
    const double whole = static_cast<double>(std::max<FrameIndex>(1, m_total));
    return track().left() + track().width() * std::clamp(frame / whole, 0.0, 1.0);
}

FrameIndex TimelineWidget::frameAt(double x) const
{
    const double part = (x - track().left()) / track().width();
    const auto frame = static_cast<FrameIndex>(part * static_cast<double>(m_total));
    return std::clamp<FrameIndex>(frame, 0, std::max<FrameIndex>(0, m_ready - 1));
}

QString TimelineWidget::timeOf(FrameIndex frame) const
{
    return timeText(secondsOf(frame, m_fps));
}

void TimelineWidget::scrubTo(double x)
{
    if (m_ready == 0)
        return;
    const FrameIndex frame = frameAt(x);
    setValue(static_cast<int>(frame));
    Q_EMIT scrubbed(frame);
}

void TimelineWidget::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    scrubTo(event->position().x());
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (isSliderDown())
        scrubTo(event->position().x());
    if (m_total > 0) {
        const FrameIndex frame = frameAt(event->position().x());
        QString text = timeOf(frame);
        const double seconds = secondsOf(frame, m_fps);
        for (const Word& word : m_words) {
            if (seconds >= word.start && seconds < word.end)
                text += QStringLiteral("  ") + word.text;
        }
        QToolTip::showText(event->globalPosition().toPoint(), text, this);
    }
}

void TimelineWidget::focusInEvent(QFocusEvent* event)
{
    m_focusByKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QAbstractSlider::focusInEvent(event);
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent*)
{
    setSliderDown(false);
}

void TimelineWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPalette colours = palette();
    const QRectF bar = track();
    const double radius = bar.height() / 2;
    painter.setPen(QPen(colours.color(QPalette::Mid), 1));
    painter.setBrush(colours.color(QPalette::Button));
    painter.drawRoundedRect(bar, radius, radius);
    if (m_total > 0) {
        QPainterPath shape;
        shape.addRoundedRect(bar, radius, radius);
        painter.setClipPath(shape);
        QColor ready = colours.color(QPalette::Highlight);
        ready.setAlphaF(0.45f);
        painter.fillRect(
            QRectF(bar.topLeft(), QPointF(xOf(static_cast<double>(m_ready)), bar.bottom())), ready);
        painter.fillRect(QRectF(bar.topLeft(), QPointF(xOf(value()), bar.bottom())),
                         colours.color(QPalette::Highlight));
        painter.setPen(QPen(colours.color(QPalette::Window), 1));
        double last = bar.left();
        for (const FrameIndex end : m_chunkEnds) {
            const double x = std::round(xOf(static_cast<double>(end))) + 0.5;
            if (end >= m_total || x - last < kClosest) // hours have thousands: no grey bar of them
                continue;
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()));
            last = x;
        }
        painter.setClipping(false);
        paintWords(painter);
        const double x = xOf(value());
        painter.setPen(QPen(colours.color(QPalette::Window), 1.5));
        painter.setBrush(colours.color(QPalette::Text));
        painter.drawEllipse(QPointF(x, bar.center().y()), radius + 2, radius + 2);
    }
    if (hasFocus() && m_focusByKey) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colours.color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
    }
}

// A tick where each word begins; its text where there is room.
void TimelineWidget::paintWords(QPainter& painter)
{
    const QRectF bar = track();
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const double top = bar.bottom() + 3;
    double free = -1, last = -kClosest;
    for (const Word& word : m_words) {
        const double x = xOf(word.start * m_fps.toDouble());
        if (x - last < kClosest) // a speech of hours would take longer to paint than a frame lasts
            continue;
        last = x;
        painter.setPen(QPen(palette().color(QPalette::Mid), 1));
        painter.drawLine(QPointF(x, top), QPointF(x, top + 4));
        if (x < free)
            continue;
        const double wide = metrics.horizontalAdvance(word.text);
        if (x + wide > width())
            continue;
        painter.setPen(palette().color(QPalette::Dark));
        painter.drawText(QPointF(x, top + 5 + metrics.ascent()), word.text);
        free = x + wide + metrics.averageCharWidth();
    }
}

} // namespace loquor::ui
