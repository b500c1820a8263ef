// Shows the frame at the playback position, pulled when painting; the photo before there is one.
#pragma once

#include <QImage>
#include <QString>
#include <QWidget>

#include "core/media/image.h"
#include "core/session/session.h"

namespace loquor::ui {

class PlaybackController;

class PreviewWidget : public QWidget
{
    Q_OBJECT

public:
    explicit PreviewWidget(PlaybackController& controller, QWidget* parent = nullptr);

    // Shown while there are no frames.
    void setStill(const QImage& picture);
    const QImage& still() const { return m_still; }
    // Two lines for an empty stage.
    void setEmptyText(const QString& title, const QString& hint);
    // A short note in the corner ("Out of date"); empty for none.
    void setNote(const QString& note);
    // Smooth scaling costs time on weak machines.
    void setSmooth(bool smooth);
    void forgetFrame();

    // Position whose frame was painted last; -1 = none.
    qint64 shownFrame() const { return m_frame ? m_shown : -1; }
    const QString& note() const { return m_note; }
    QSize sizeHint() const override { return {640, 360}; }

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    QRectF fitted(const QSizeF& picture) const;
    void paintPicture(QPainter& painter);
    void paintNote(QPainter& painter, const QString& text, Qt::Alignment where);
    void paintEmpty(QPainter& painter);

    PlaybackController& m_controller;
    FramePtr m_frame; // kept until a better one is there
    QImage m_picture; // of m_frame
    qint64 m_shown = -1;
    QImage m_still;
    QString m_emptyTitle, m_emptyHint, m_note;
    bool m_smooth = true;
    bool m_focusByKey = false;
};

} // namespace loquor::ui
