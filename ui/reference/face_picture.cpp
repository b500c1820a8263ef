#include "ui/reference/face_picture.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

namespace loquor::ui {

namespace {

constexpr int kTallestPicture = 200;

} // namespace

FacePicture::FacePicture(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setMouseTracking(true);
    setAccessibleName(tr("Picture of the person"));
}

void FacePicture::setPicture(const QImage& picture, const std::vector<session::FaceInfo>& faces)
{
    m_picture = picture;
    m_scaled = {};
    m_faces = faces;
    setFocusPolicy(faces.size() > 1 ? Qt::StrongFocus : Qt::NoFocus);
    setAccessibleDescription(tr("%n face(s) found", nullptr, static_cast<int>(faces.size())));
    setVisible(!picture.isNull());
    updateGeometry();
    update();
}

void FacePicture::setChosen(int index)
{
    m_chosen = index;
    update();
}

QSize FacePicture::sizeHint() const
{
    return {280, heightForWidth(280)};
}

int FacePicture::heightForWidth(int width) const
{
    if (m_picture.isNull())
        return 0;
    return std::min(kTallestPicture, width * m_picture.height() / std::max(1, m_picture.width()));
}

QRectF FacePicture::pictureRect() const
{
    const QSizeF size = QSizeF(m_picture.size()).scaled(this->size(), Qt::KeepAspectRatio);
    return {QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size};
}

QRectF FacePicture::faceRect(const session::FaceInfo& face) const
{
    const QRectF all = pictureRect();
    const auto w = all.width(), h = all.height();
    return {all.left() + double(face.x) * w, all.top() + double(face.y) * h, double(face.width) * w,
            double(face.height) * h};
}

QPoint FacePicture::centreOf(int index) const
{
    for (const auto& face : m_faces) {
        if (face.index == index)
            return faceRect(face).center().toPoint();
    }
    return {};
}

void FacePicture::paintEvent(QPaintEvent*)
{
    if (m_picture.isNull())
        return;
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRectF all = pictureRect();
    const QSize pixels = (all.size() * devicePixelRatioF()).toSize();
    if (m_scaled.size() != pixels) // scaled once well, not at every paint
        m_scaled = m_picture.scaled(pixels, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    QPainterPath rounded;
    rounded.addRoundedRect(all, 6, 6);
    painter.setClipPath(rounded);
    painter.drawImage(all, m_scaled);
    for (const auto& face : m_faces)
        paintFace(painter, face);
    painter.setClipping(false);
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(all.adjusted(1, 1, -1, -1), 6, 6);
    }
}

void FacePicture::paintFace(QPainter& painter, const session::FaceInfo& face) const
{
    const bool chosen = m_faces.size() == 1 || face.index == m_chosen;
    const QRectF all = pictureRect();
    QPainterPath path;
    if (face.outline.size() > 2) {
        QPolygonF oval;
        for (const auto& point : face.outline)
            oval << QPointF(all.left() + double(point[0]) * all.width(),
                            all.top() + double(point[1]) * all.height());
        path.addPolygon(oval);
        path.closeSubpath();
    } else {
        path.addRoundedRect(faceRect(face), 8, 8);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 150), chosen ? 4.5 : 3.5));
    painter.drawPath(path);
    QPen line(chosen ? QColor(0xff, 0xd6, 0x6b) : QColor(255, 255, 255, 200), chosen ? 2.5 : 1.5);
    if (!chosen)
        line.setStyle(Qt::DashLine); // not told by colour alone
    painter.setPen(line);
    painter.drawPath(path);
    if (m_faces.size() < 2)
        return;
    const int side = fontMetrics().height() + 6;
    const QRectF box = faceRect(face);
    const QRectF number(std::clamp(box.left(), all.left(), all.right() - side),
                        std::max(all.top(), box.top() - side), side, side);
    painter.setPen(Qt::NoPen);
    painter.setBrush(chosen ? QColor(0xff, 0xd6, 0x6b) : QColor(255, 255, 255, 220));
    painter.drawEllipse(number);
    painter.setPen(Qt::black);
    painter.drawText(number, Qt::AlignCenter, locale().toString(face.index));
}

const session::FaceInfo* FacePicture::faceAt(const QPointF& point) const
{
    for (const auto& face : m_faces) {
        if (faceRect(face).contains(point))
            return &face;
    }
    return nullptr;
}

void FacePicture::choose(int index)
{
    if (index == m_chosen)
        return;
    setChosen(index);
    Q_EMIT faceChosen(index);
}

void FacePicture::mouseReleaseEvent(QMouseEvent* event)
{
    const auto* face = faceAt(event->position());
    if (m_faces.size() > 1 && face && event->button() == Qt::LeftButton)
        choose(face->index);
}

void FacePicture::mouseMoveEvent(QMouseEvent* event)
{
    const bool choice = m_faces.size() > 1 && faceAt(event->position());
    setCursor(choice ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

// Digits and arrows choose a face.
void FacePicture::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(m_faces.size());
    const int digit = event->key() - Qt::Key_0;
    if (digit >= 1 && digit <= count && count > 1)
        choose(digit);
    else if (event->key() == Qt::Key_Right && count > 1)
        choose(m_chosen % count + 1);
    else if (event->key() == Qt::Key_Left && count > 1)
        choose((m_chosen + count - 2) % count + 1);
    else
        QWidget::keyPressEvent(event);
}

} // namespace loquor::ui
