// The lines in time: ruler, lines, chunks, words, playhead. Scrubs, zooms, scrolls.
#pragma once

#include <memory>

#include <QAbstractSlider>
#include <QString>

#include "ui/models/timeline_layout.h"

namespace loquor::ui {

// A slider for everybody who reads the screen by other means; its value is the frame. Paints what is visible only, so that
// hours cost as much as minutes.
class TimelineView : public QAbstractSlider
{
    Q_OBJECT

public:
    explicit TimelineView(QWidget* parent = nullptr);

    void setTimeLayout(std::shared_ptr<const TimelineLayout> layout);
    const TimelineLayout& timeLayout() const { return *m_layout; }

    // Pixels of one frame. Until the user zooms, all of it fits.
    double scale() const;
    bool isFitted() const { return m_isFitted; }
    void zoom(double factor, double atX);
    void zoomIn() { zoom(1.5, playheadX()); }
    void zoomOut() { zoom(1 / 1.5, playheadX()); }
    void fit();
    // Of the visible part, in pixels of the whole.
    double offset() const { return m_offset; }
    void setOffset(double offset);
    double contentWidth() const;
    double playheadX() const { return xOf(value()); }
    double xOf(FrameIndex frame) const;
    FrameIndex frameAt(double x) const;
    // Moves the visible part so that the playhead is in it.
    void showPlayhead();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    // The user wants to see this frame.
    void scrubbed(qint64 frame);
    // A chunk that failed was clicked.
    void retryRequested();
    // Zoom, offset or length changed.
    void viewChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    struct Lanes
    {
        QRectF ruler, lines, chunks, words;
    };
    Lanes lanes() const;
    void scrubTo(double x);
    void paintRuler(QPainter& painter, const QRectF& lane);
    void paintLine(QPainter& painter, const Lanes& lanes, const LayoutLine& line);
    void paintWords(QPainter& painter, const QRectF& lane, const LayoutLine& line, double& freeX);
    QString tipAt(const QPointF& point) const;
    void describe();

    std::shared_ptr<const TimelineLayout> m_layout = std::make_shared<const TimelineLayout>();
    double m_scale = 1, m_offset = 0;
    bool m_isFitted = true;
    bool m_focusByKey = false;
    double m_panFrom = 0; // middle button
    bool m_isPanning = false;
};

} // namespace loquor::ui
