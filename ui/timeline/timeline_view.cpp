#include "ui/timeline/timeline_view.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include "ui/bridge/strings.h"
#include "ui/widgets/look.h"

namespace loquor::ui {

namespace {

constexpr double kMargin = 8;
constexpr double kLargestScale = 40;  // pixels of a frame
constexpr double kClosestWords = 3;   // pixels between two marks
constexpr double kSmallestText = 26;  // pixels that a label needs

// The step between times on the ruler, so that they do not touch.
double rulerStep(double pixelsPerSecond, double labelWidth)
{
    for (const double step : {0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0}) {
        if (step * pixelsPerSecond >= labelWidth * 1.4)
            return step;
    }
    return 3600;
}

} // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractSlider(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setOrientation(Qt::Horizontal);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Timeline"));
    setRange(0, 0);
    // Keys end here; the mouse scrubs by itself.
    connect(this, &QAbstractSlider::actionTriggered, this, [this] { Q_EMIT scrubbed(sliderPosition()); });
    connect(this, &QAbstractSlider::valueChanged, this, [this] { showPlayhead(); });
}

void TimelineView::setTimeLayout(std::shared_ptr<const TimelineLayout> layout)
{
    m_layout = std::move(layout);
    setPageStep(std::max(1, static_cast<int>(std::lround(m_layout->fps().toDouble()))));
    setRange(0, static_cast<int>(std::max<FrameIndex>(0, m_layout->total() - 1)));
    setEnabled(m_layout->total() > 0);
    setOffset(m_offset);
    describe();
    update();
    Q_EMIT viewChanged();
}

void TimelineView::describe()
{
    const auto& lines = m_layout->lines();
    const auto ready = std::count_if(lines.begin(), lines.end(), [](const LayoutLine& line) { return line.look == Look::Ready; });
    setAccessibleDescription(tr("%1 of %2 lines are ready, %3 of %4")
                                 .arg(ready)
                                 .arg(lines.size())
                                 .arg(timeText(secondsOf(m_layout->readyFrames(), m_layout->fps())),
                                      timeText(secondsOf(m_layout->total(), m_layout->fps()))));
}

double TimelineView::scale() const
{
    const double room = std::max(1.0, width() - 2 * kMargin);
    const double fitting = room / static_cast<double>(std::max<FrameIndex>(1, m_layout->total()));
    return m_isFitted ? std::min(fitting, kLargestScale) : std::max(m_scale, std::min(fitting, kLargestScale));
}

double TimelineView::contentWidth() const
{
    return scale() * static_cast<double>(m_layout->total()) + 2 * kMargin;
}

double TimelineView::xOf(FrameIndex frame) const
{
    return kMargin + scale() * static_cast<double>(frame) - m_offset;
}

FrameIndex TimelineView::frameAt(double x) const
{
    const auto frame = static_cast<FrameIndex>(std::floor((x - kMargin + m_offset) / scale()));
    return std::clamp<FrameIndex>(frame, 0, std::max<FrameIndex>(0, m_layout->total() - 1));
}

void TimelineView::zoom(double factor, double atX)
{
    const double frame = (atX - kMargin + m_offset) / scale();
    m_scale = std::min(kLargestScale, scale() * factor);
    m_isFitted = false;
    setOffset(frame * scale() - atX + kMargin);
}

void TimelineView::fit()
{
    m_isFitted = true;
    setOffset(0);
}

void TimelineView::setOffset(double offset)
{
    m_offset = std::clamp(offset, 0.0, std::max(0.0, contentWidth() - width()));
    update();
    Q_EMIT viewChanged();
}

void TimelineView::showPlayhead()
{
    const double x = playheadX();
    if (!isSliderDown() && (x < kMargin || x > width() - kMargin))
        setOffset(m_offset + x - width() * 0.1); // by pages
    update();
}

QSize TimelineView::sizeHint() const
{
    return {400, fontMetrics().height() * 6 + 24};
}

QSize TimelineView::minimumSizeHint() const
{
    return {160, fontMetrics().height() * 4 + 20};
}

TimelineView::Lanes TimelineView::lanes() const
{
    const double text = fontMetrics().height(), wide = width();
    const double ruler = text + 4, words = text + 6;
    const double rest = std::max(text, height() - ruler - words - 8);
    const double lines = std::max(text + 2, rest * 0.5);
    const double chunks = std::max(8.0, rest - lines - 4);
    return {{0, 0, wide, ruler},
            {0, ruler + 2, wide, lines},
            {0, ruler + 2 + lines + 4, wide, chunks},
            {0, ruler + lines + chunks + 8, wide, words}};
}

void TimelineView::scrubTo(double x)
{
    if (m_layout->total() == 0)
        return;
    const FrameIndex frame = frameAt(x);
    setValue(static_cast<int>(frame));
    Q_EMIT scrubbed(frame);
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::MiddleButton) {
        m_isPanning = true;
        m_panFrom = event->position().x();
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    scrubTo(event->position().x());
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    const double x = event->position().x();
    if (m_isPanning) {
        setOffset(m_offset + m_panFrom - x);
        m_panFrom = x;
    } else if (isSliderDown()) {
        scrubTo(x);
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    m_isPanning = m_isPanning && event->button() != Qt::MiddleButton;
    if (!isSliderDown())
        return;
    setSliderDown(false);
    const LayoutLine* line = m_layout->lineAt(frameAt(event->position().x()));
    if (line && line->look == Look::Failed && lanes().chunks.contains(event->position()))
        Q_EMIT retryRequested();
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    const double steps = event->angleDelta().y() / 120.0;
    if (event->modifiers() & Qt::ControlModifier)
        zoom(std::pow(1.25, steps), event->position().x());
    else
        setOffset(m_offset - (steps + event->angleDelta().x() / 120.0) * 60);
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        zoomIn();
    else if (event->key() == Qt::Key_Minus)
        zoomOut();
    else if (event->key() == Qt::Key_0)
        fit();
    else
        QAbstractSlider::keyPressEvent(event);
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QAbstractSlider::resizeEvent(event);
    setOffset(m_offset);
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    m_focusByKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QAbstractSlider::focusInEvent(event);
}

bool TimelineView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractSlider::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
    return true;
}

QString TimelineView::tipAt(const QPointF& point) const
{
    const FrameIndex frame = frameAt(point.x());
    const LayoutLine* line = m_layout->lineAt(frame);
    if (!line)
        return {};
    QStringList parts{timeText(secondsOf(frame, m_layout->fps())), tr("line %1: %2").arg(line->number).arg(textOf(line->look))};
    if (const speech::Word* word = m_layout->wordAt(frame))
        parts.insert(1, QStringLiteral("“%1”").arg(QString::fromStdString(word->text)));
    if (!line->isMeasured)
        parts += tr("its length is estimated");
    if (!line->problem.isEmpty())
        parts += line->problem;
    return parts.join(QStringLiteral(" · "));
}

void TimelineView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QPalette colours = palette();
    const Lanes all = lanes();
    painter.fillRect(rect(), colours.color(QPalette::Base));
    paintRuler(painter, all.ruler);
    if (m_layout->total() == 0) {
        painter.setPen(colours.color(QPalette::Dark));
        painter.drawText(rect(), Qt::AlignCenter, tr("What is said appears here, line by line."));
    }
    const auto& lines = m_layout->lines();
    const FrameIndex first = frameAt(0), last = frameAt(width());
    auto line = std::lower_bound(lines.begin(), lines.end(), first,
                                 [](const LayoutLine& one, FrameIndex frame) { return one.end() <= frame; });
    double freeX = -1e9, nextX = -1e9;
    for (; line != lines.end() && line->start <= last; ++line) {
        if (xOf(line->end()) < nextX) // hours have thousands of lines: one for each pixel is enough
            continue;
        nextX = std::floor(xOf(line->start)) + 1;
        paintLine(painter, all, *line);
        paintWords(painter, all.words, *line, freeX);
    }
    if (m_layout->total() > 0) {
        const double x = std::round(playheadX()) + 0.5;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colours.color(QPalette::Text), 1.6));
        painter.drawLine(QPointF(x, all.ruler.top() + 4), QPointF(x, height()));
        painter.setBrush(colours.color(QPalette::Text));
        painter.drawPolygon(QPolygonF({QPointF(x - 5, 1), QPointF(x + 5, 1), QPointF(x, 9)}));
    }
    if (hasFocus() && m_focusByKey) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colours.color(QPalette::Highlight), 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void TimelineView::paintRuler(QPainter& painter, const QRectF& lane)
{
    const double perSecond = scale() * m_layout->fps().toDouble();
    if (m_layout->total() == 0 || perSecond <= 0)
        return;
    const QFontMetricsF metrics(font());
    const double step = rulerStep(perSecond, metrics.horizontalAdvance(timeText(secondsOf(m_layout->total(), m_layout->fps()))));
    const double from = std::floor(secondsOf(frameAt(0), m_layout->fps()) / step) * step;
    for (double at = from; at * perSecond - m_offset < width(); at += step) {
        const double x = std::round(kMargin + at * perSecond - m_offset) + 0.5;
        painter.setPen(QPen(palette().color(QPalette::Mid), 1));
        painter.drawLine(QPointF(x, lane.bottom() - 5), QPointF(x, lane.bottom()));
        const QString text = timeText(at);
        painter.setPen(palette().color(QPalette::Dark));
        if (x + 3 + metrics.horizontalAdvance(text) < width())
            painter.drawText(QPointF(x + 3, lane.top() + metrics.ascent() + 1), text);
    }
}

void TimelineView::paintLine(QPainter& painter, const Lanes& lanes, const LayoutLine& line)
{
    const QPalette colours = palette();
    const double left = xOf(line.start), right = xOf(line.end());
    const QRectF box(left + 1, lanes.lines.top(), std::max(1.0, right - left - 2), lanes.lines.height());
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.color(QPalette::Button));
    painter.drawRect(box);
    painter.setBrush(colourOf(line.look, colours));
    painter.drawRect(QRectF(box.left(), box.top(), std::min(3.0, box.width()), box.height()));
    if (box.width() >= kSmallestText) {
        const double sign = std::min(box.height(), double(fontMetrics().height()));
        paintSign(painter, {box.left() + 5, box.top() + (box.height() - sign) / 2, sign, sign}, line.look, colours);
        const QRectF room = box.adjusted(8 + sign, 0, -3, 0);
        painter.setPen(colours.color(QPalette::Text));
        painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(QStringLiteral("%1  %2").arg(line.number).arg(line.label.left(200)),
                                                  Qt::ElideRight, static_cast<int>(room.width())));
    }
    for (const LayoutChunk& chunk : chunksOf(line)) {
        const double x = xOf(chunk.start), end = xOf(chunk.start + chunk.frames);
        if (end < 0 || x > width())
            continue;
        QRectF bar(x, lanes.chunks.top(), std::max(1.0, end - x), lanes.chunks.height());
        if (chunk.isJoin) // small, over the beginning of the first chunk
            bar = QRectF(x, bar.top(), std::max(3.0, bar.width()), bar.height() * 0.45);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colours.color(QPalette::Base));
        painter.drawRect(bar);
        painter.setPen(QPen(chunk.isJoin ? colours.color(QPalette::Text) : colours.color(QPalette::Mid), 1));
        painter.setBrush(brushOf(chunk.look, colours));
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

// A tick where each word begins; its text where there is room.
void TimelineView::paintWords(QPainter& painter, const QRectF& lane, const LayoutLine& line, double& freeX)
{
    if (!line.words)
        return;
    const QFontMetricsF metrics(font());
    const double perSecond = scale() * m_layout->fps().toDouble(), start = xOf(line.start);
    const int played = value();
    double last = -1e9;
    for (const speech::Word& word : *line.words) {
        const double x = start + word.start * perSecond;
        if (x < -200 || x - last < kClosestWords)
            continue;
        if (x > width())
            break;
        last = x;
        painter.setPen(QPen(palette().color(QPalette::Mid), 1));
        painter.drawLine(QPointF(x, lane.top()), QPointF(x, lane.top() + 4));
        if (x < freeX)
            continue;
        const QString text = QString::fromStdString(word.text);
        const double wide = metrics.horizontalAdvance(text);
        const double at = secondsOf(played - line.start, m_layout->fps());
        const bool isSaid = at >= word.start && at < word.end;
        painter.setPen(palette().color(isSaid ? QPalette::Highlight : QPalette::Dark));
        painter.drawText(QPointF(x + 2, lane.top() + metrics.ascent() + 3), text);
        freeX = x + wide + metrics.averageCharWidth();
    }
}

} // namespace loquor::ui
