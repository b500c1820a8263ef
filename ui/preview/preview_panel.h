// The stage: picture, timeline, transport buttons, time.
#pragma once

#include <tuple>

#include <QImage>
#include <QWidget>

#include "core/session/session.h"

class QLabel;
class QToolButton;

namespace loquor::ui {

class PlaybackController;
class PreviewWidget;
class TimelineWidget;
struct MediaCheck;

class PreviewPanel : public QWidget
{
    Q_OBJECT

public:
    PreviewPanel(session::Session& session, PlaybackController& controller,
                 QWidget* parent = nullptr);

    PreviewWidget& picture() { return *m_picture; }
    TimelineWidget& timeline() { return *m_timeline; }
    // The photo, cut as the video will be; drawn again only when that changes.
    void showStill(const MediaCheck& person, const project::Document& document);
    // A new run: forget frames, chunks and words.
    void beginRun(Rational fps);

private:
    QToolButton* makeButton(const QString& icon, const QString& name, const QString& key);
    void updateState();
    void updateTime();

    PlaybackController& m_controller;
    PreviewWidget* m_picture;
    TimelineWidget* m_timeline;
    QToolButton *m_start, *m_back, *m_play, *m_forward, *m_end;
    QLabel* m_time;
    // Picture, face, size and framing of the still.
    std::tuple<qint64, int, int, int, project::Framing> m_stillMade{-1, 0, 0, 0, project::Framing::Fill};
};

} // namespace loquor::ui
