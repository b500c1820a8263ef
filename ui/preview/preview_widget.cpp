#include "ui/preview/preview_widget.h"

#include <QMouseEvent>
#include <QPainter>

#include "ui/preview/playback_controller.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

namespace {

// The stage is dark in every theme, as in every player: pictures are judged against it.
const QColor kStage(0x12, 0x14, 0x18);
const QColor kStageText(0xe6, 0xe8, 0xec);
const QColor kStageMuted(0xa4, 0xab, 0xb8);

// A copy with 32 bits a pixel: Qt scales that in a third of the time of three bytes (measured).
QImage toQImage(const Image& image)
{
    return QImage(image.data.data(), image.width, image.height,
                  static_cast<qsizetype>(image.stride()), QImage::Format_RGB888)
        .convertToFormat(QImage::Format_RGB32);
}

} // namespace

PreviewWidget::PreviewWidget(PlaybackController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Preview"));
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(240, 180);
    connect(&controller, &PlaybackController::positionChanged, this, qOverload<>(&QWidget::update));
    connect(&controller, &PlaybackController::stateChanged, this, qOverload<>(&QWidget::update));
}

void PreviewWidget::setStill(const QImage& picture)
{
    m_still = picture;
    update();
}

void PreviewWidget::setEmptyText(const QString& title, const QString& hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
    setAccessibleDescription(title + QLatin1Char(' ') + hint);
    update();
}

void PreviewWidget::setNote(const QString& note)
{
    if (note == m_note)
        return;
    m_note = note;
    update();
}

void PreviewWidget::setSmooth(bool smooth)
{
    m_smooth = smooth;
    update();
}

void PreviewWidget::forgetFrame()
{
    m_frame.reset();
    update();
}

QRectF PreviewWidget::fitted(const QSizeF& picture) const
{
    const QSizeF size = picture.scaled(this->size(), Qt::KeepAspectRatio);
    return {QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size};
}

void PreviewWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), kStage);
    if (m_controller.hasFrames()) {
        // Null means it is on its way; a wakeup paints again.
        FramePtr frame = m_controller.source()->frame(m_controller.position());
        if (frame)
            m_shown = m_controller.position();
        if (frame && frame != m_frame) {
            m_picture = toQImage(frame->image);
            m_frame = std::move(frame);
        }
    }
    paintPicture(painter);
    if (m_controller.isWaiting())
        paintNote(painter, tr("Waiting for pictures…"), Qt::AlignBottom | Qt::AlignHCenter);
    else if (std::abs(m_controller.speed()) > 1 || m_controller.speed() < 0)
        paintNote(painter, tr("%1×").arg(m_controller.speed()), Qt::AlignBottom | Qt::AlignHCenter);
    if (!m_note.isEmpty())
        paintNote(painter, m_note, Qt::AlignTop | Qt::AlignRight);
    if (hasFocus() && m_focusByKey) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void PreviewWidget::paintPicture(QPainter& painter)
{
    painter.setRenderHint(QPainter::SmoothPixmapTransform, m_smooth);
    if (m_frame)
        painter.drawImage(fitted(m_picture.size()), m_picture);
    else if (!m_still.isNull())
        painter.drawImage(fitted(m_still.size()), m_still);
    else
        paintEmpty(painter);
}

void PreviewWidget::paintEmpty(QPainter& painter)
{
    QFont titleFont = font();
    titleFont.setPointSizeF(titleFont.pointSizeF() * 1.35);
    titleFont.setWeight(QFont::DemiBold);
    const QFontMetrics titleMetrics(titleFont), hintMetrics(font());
    const int icon = titleMetrics.height() * 3;
    const int width = std::min(this->width() - icon / 2, hintMetrics.averageCharWidth() * 60);
    const QRect bounds(0, 0, std::max(1, width), height());
    const auto flags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
    const int titleHeight = titleMetrics.boundingRect(bounds, flags, m_emptyTitle).height();
    const int hintHeight = hintMetrics.boundingRect(bounds, flags, m_emptyHint).height();
    const int gap = hintMetrics.height() / 2;
    int y = (height() - icon - titleHeight - hintHeight - 2 * gap) / 2;
    const int x = (this->width() - width) / 2;

    const QRect iconRect((this->width() - icon) / 2, y, icon, icon);
    loquor::ui::icon(QStringLiteral("loquor")).paint(&painter, iconRect);
    y += icon + gap;
    painter.setPen(kStageText);
    painter.setFont(titleFont);
    painter.drawText(QRect(x, y, width, titleHeight), flags, m_emptyTitle);
    y += titleHeight + gap;
    painter.setPen(kStageMuted);
    painter.setFont(font());
    painter.drawText(QRect(x, y, width, hintHeight + 2), flags, m_emptyHint);
}

void PreviewWidget::paintNote(QPainter& painter, const QString& text, Qt::Alignment where)
{
    const int margin = fontMetrics().height() / 2;
    QRect box =
        fontMetrics().boundingRect(text).adjusted(-margin * 2, -margin / 2, margin * 2, margin / 2);
    box.moveTop(where & Qt::AlignTop ? margin * 2 : height() - box.height() - margin * 2);
    box.moveLeft(where & Qt::AlignRight ? width() - box.width() - margin * 2
                                        : (width() - box.width()) / 2);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 190));
    painter.drawRoundedRect(box, box.height() / 2.0, box.height() / 2.0);
    painter.setPen(kStageText);
    painter.drawText(box, Qt::AlignCenter, text);
}

// The frame around the picture shows only to those who move by keys.
void PreviewWidget::focusInEvent(QFocusEvent* event)
{
    m_focusByKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QWidget::focusInEvent(event);
}

void PreviewWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->pos()))
        Q_EMIT clicked();
}

} // namespace loquor::ui
