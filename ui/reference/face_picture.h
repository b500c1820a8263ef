// The photo with the faces the engine found; a click chooses one.
#pragma once

#include <QImage>
#include <QWidget>

#include "core/session/session.h"

namespace loquor::ui {

class FacePicture : public QWidget
{
    Q_OBJECT

public:
    explicit FacePicture(QWidget* parent = nullptr);

    void setPicture(const QImage& picture, const std::vector<session::FaceInfo>& faces);
    void setChosen(int index); // as FaceInfo::index; 0 = none
    int chosen() const { return m_chosen; }
    // Middle of a face in coordinates of this widget.
    QPoint centreOf(int index) const;

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

Q_SIGNALS:
    void faceChosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF pictureRect() const;
    QRectF faceRect(const session::FaceInfo& face) const;
    void paintFace(QPainter& painter, const session::FaceInfo& face) const;
    void choose(int index);
    const session::FaceInfo* faceAt(const QPointF& point) const;

    QImage m_picture;
    QImage m_scaled; // for the current size and scale
    std::vector<session::FaceInfo> m_faces;
    int m_chosen = 0;
};

} // namespace loquor::ui
