// The scrub bar: what is ready, the chunks, the words, the playhead.
#pragma once

#include <vector>

#include <QAbstractSlider>
#include <QString>

#include "core/base/time.h"
#include "core/speech/timing.h"

namespace loquor::ui {

// A slider for everybody who reads the screen by other means; its value is the frame.
class TimelineWidget : public QAbstractSlider
{
    Q_OBJECT

public:
    explicit TimelineWidget(QWidget* parent = nullptr);

    void clear();
    void setRate(Rational fps);
    // `total` 0: not known, then what is ready is all.
    void setProgress(FrameIndex ready, FrameIndex total);
    void addChunk(FrameIndex frames);
    void addWords(const speech::Timing& timing);

    FrameIndex readyFrames() const { return m_ready; }
    std::size_t chunkCount() const { return m_chunkEnds.size(); }
    std::size_t wordCount() const { return m_words.size(); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    // The user wants to see this frame.
    void scrubbed(qint64 frame);

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    struct Word
    {
        double start = 0, end = 0; // seconds
        QString text;
    };

    QRectF track() const;
    double xOf(double frame) const;
    FrameIndex frameAt(double x) const;
    void scrubTo(double x);
    void paintWords(QPainter& painter);
    QString timeOf(FrameIndex frame) const;

    Rational m_fps{25, 1};
    FrameIndex m_ready = 0, m_total = 0;
    std::vector<FrameIndex> m_chunkEnds;
    std::vector<Word> m_words;
    bool m_focusByKey = false;
};

} // namespace loquor::ui
