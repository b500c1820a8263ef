#include "ui/widgets/waveform_view.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

namespace loquor::ui {

namespace {

constexpr double kGripPixels = 7;
constexpr float kFloorDecibel = -48; // what is quieter is a line

double heightOf(float peak)
{
    const float decibel = 20 * std::log10(std::max(peak, 1e-5f));
    return std::clamp(1.0 - static_cast<double>(decibel / kFloorDecibel), 0.0, 1.0);
}

} // namespace

WaveformView::WaveformView(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMouseTracking(true);
    setAccessibleName(tr("Sound"));
}

void WaveformView::setSound(std::vector<float> peaks, double peakSeconds, double seconds)
{
    m_peaks = std::move(peaks);
    m_peakSeconds = peakSeconds;
    m_seconds = seconds;
    update();
}

void WaveformView::setSilences(std::vector<Span> spans)
{
    m_silences = std::move(spans);
    update();
}

void WaveformView::setClipped(std::vector<Span> spans)
{
    m_clipped = std::move(spans);
    update();
}

void WaveformView::setWords(std::vector<Span> words)
{
    m_words = std::move(words);
    updateGeometry();
    update();
}

void WaveformView::setPart(double from, double to)
{
    m_from = from;
    m_to = to;
    update();
}

double WaveformView::xOf(double seconds) const
{
    return m_seconds > 0 ? 1 + (width() - 2) * std::clamp(seconds / m_seconds, 0.0, 1.0) : 1;
}

double WaveformView::secondsAt(double x) const
{
    return m_seconds * std::clamp((x - 1) / std::max(1, width() - 2), 0.0, 1.0);
}

QSize WaveformView::sizeHint() const
{
    const int line = fontMetrics().height();
    return {fontMetrics().averageCharWidth() * 70, line * (m_words.empty() ? 6 : 8)};
}

QSize WaveformView::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * 4};
}

WaveformView::Grip WaveformView::gripAt(double x) const
{
    if (m_seconds <= 0 || !isEnabled())
        return Grip::None;
    const double toFrom = std::abs(x - xOf(m_from)), toTo = std::abs(x - xOf(m_to));
    if (std::min(toFrom, toTo) > kGripPixels)
        return Grip::None;
    if (std::abs(toFrom - toTo) < 1) // on top of each other: the one that can move
        return x < xOf(m_from) || m_to >= m_seconds ? Grip::From : Grip::To;
    return toFrom < toTo ? Grip::From : Grip::To;
}

void WaveformView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_grip = gripAt(event->position().x());
}

void WaveformView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_grip != Grip::None)
        return drag(event->position().x());
    setCursor(gripAt(event->position().x()) == Grip::None ? Qt::ArrowCursor : Qt::SplitHCursor);
}

void WaveformView::mouseReleaseEvent(QMouseEvent*)
{
    m_grip = Grip::None;
}

void WaveformView::drag(double x)
{
    const double at = secondsAt(x);
    if (m_grip == Grip::From)
        m_from = std::min(at, m_to);
    else
        m_to = std::max(at, m_from);
    update();
    Q_EMIT partDragged(m_from, m_to);
}

void WaveformView::paintWave(QPainter& painter, const QRectF& wave) const
{
    if (m_peaks.empty() || m_peakSeconds <= 0 || m_seconds <= 0)
        return;
    const QColor inside = palette().color(QPalette::Highlight);
    QColor outside = palette().color(QPalette::Text);
    outside.setAlphaF(.28f);
    const double middle = wave.center().y();
    for (int x = static_cast<int>(wave.left()); x < static_cast<int>(wave.right()); ++x) {
        const double begin = secondsAt(x), end = secondsAt(x + 1);
        auto k = static_cast<std::size_t>(begin / m_peakSeconds);
        const auto stop = std::max(k + 1, static_cast<std::size_t>(end / m_peakSeconds));
        float loudest = -1;
        for (; k < stop && k < m_peaks.size(); ++k)
            loudest = std::max(loudest, m_peaks[k]);
        if (loudest < 0) // not read yet
            break;
        const double half = std::max(.5, heightOf(loudest) * (wave.height() / 2 - 2));
        painter.fillRect(QRectF(x, middle - half, 1, 2 * half), begin >= m_from && begin < m_to ? inside : outside);
    }
}

void WaveformView::paintMarks(QPainter& painter, const QRectF& wave) const
{
    QColor quiet = palette().color(QPalette::Text);
    quiet.setAlphaF(.18f);
    for (const Span& span : m_silences)
        painter.fillRect(QRectF(QPointF(xOf(span.from), wave.top()), QPointF(xOf(span.to), wave.bottom())), QBrush(quiet, Qt::BDiagPattern));
    const QColor loud(0xd6, 0x3c, 0x3c);
    for (const Span& span : m_clipped) { // a flag and a line: not by colour alone
        const double x = xOf((span.from + span.to) / 2);
        painter.fillRect(QRectF(x - .5, wave.top(), 1, wave.height()), loud);
        painter.setPen(Qt::NoPen);
        painter.setBrush(loud);
        painter.drawPolygon(QPolygonF{QPointF(x, wave.top() + 9), QPointF(x - 5, wave.top()), QPointF(x + 5, wave.top())});
    }
    for (const double edge : {m_from, m_to}) {
        const QRectF line(xOf(edge) - 1, wave.top(), 2, wave.height());
        painter.fillRect(line, palette().color(QPalette::Text));
        painter.fillRect(QRectF(line.center().x() - 3, wave.center().y() - 8, 6, 16), palette().color(QPalette::Text));
    }
}

void WaveformView::paintWords(QPainter& painter, const QRectF& row) const
{
    for (const Span& word : m_words) {
        const bool isIn = word.from >= m_from - 1e-6 && word.to <= m_to + 1e-6;
        const QRectF box(QPointF(xOf(word.from), row.top()), QPointF(xOf(word.to), row.bottom()));
        painter.setPen(palette().color(QPalette::Mid));
        painter.drawLine(box.topLeft(), box.bottomLeft());
        painter.setPen(palette().color(isIn ? QPalette::Text : QPalette::PlaceholderText));
        const QString shown = painter.fontMetrics().elidedText(word.text, Qt::ElideRight, static_cast<int>(box.width()) - 4);
        painter.drawText(box.adjusted(3, 0, -1, 0), Qt::AlignVCenter | Qt::AlignLeft, shown);
    }
}

void WaveformView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF all = QRectF(rect()).adjusted(.5, .5, -.5, -.5);
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(all, 6, 6);
    painter.setRenderHint(QPainter::Antialiasing, false);
    QRectF wave = all.adjusted(1, 1, -1, -1);
    if (!m_words.empty()) {
        const double row = fontMetrics().height() * 1.4;
        paintWords(painter, QRectF(wave.left(), wave.bottom() - row, wave.width(), row));
        wave.setBottom(wave.bottom() - row);
    }
    paintWave(painter, wave);
    painter.setRenderHint(QPainter::Antialiasing);
    paintMarks(painter, wave);
}

} // namespace loquor::ui
