// A sound as a picture: how loud it is, where nobody speaks, where it is distorted, which part is meant.
#pragma once

#include <utility>
#include <vector>

#include <QString>
#include <QWidget>

namespace loquor::ui {

// Times are seconds. The part can be dragged at its ends; boxes beside it are for the keyboard.
class WaveformView : public QWidget
{
    Q_OBJECT

public:
    explicit WaveformView(QWidget* parent = nullptr);

    struct Span
    {
        double from = 0, to = 0;
        QString text{};
    };
    // The loudest of equal stretches, 0 to 1. `seconds`: of all of it.
    void setSound(std::vector<float> peaks, double peakSeconds, double seconds);
    void setSilences(std::vector<Span> spans);
    void setClipped(std::vector<Span> spans);
    void setWords(std::vector<Span> words);
    void setPart(double from, double to);
    double seconds() const { return m_seconds; }
    double from() const { return m_from; }
    double to() const { return m_to; }
    // Pixels from the left edge.
    double xOf(double seconds) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void partDragged(double from, double to);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    enum class Grip { None = 0,
                      From,
                      To };
    double secondsAt(double x) const;
    Grip gripAt(double x) const;
    void drag(double x);
    void paintWave(QPainter& painter, const QRectF& wave) const;
    void paintMarks(QPainter& painter, const QRectF& wave) const;
    void paintWords(QPainter& painter, const QRectF& row) const;

    std::vector<float> m_peaks;
    std::vector<Span> m_silences, m_clipped, m_words;
    double m_peakSeconds = 0, m_seconds = 0, m_from = 0, m_to = 0;
    Grip m_grip = Grip::None;
};

} // namespace loquor::ui
