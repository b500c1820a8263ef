// The stage: picture, timeline, transport buttons, time.
#pragma once

#include <QImage>
#include <QWidget>

#include "core/session/session.h"

class QLabel;
class QToolButton;

namespace loquor::ui {

class PlaybackController;
class PreviewWidget;
class TimelineWidget;

class PreviewPanel : public QWidget
{
    Q_OBJECT

public:
    PreviewPanel(session::Session& session, PlaybackController& controller,
                 QWidget* parent = nullptr);

    PreviewWidget& picture() { return *m_picture; }
    TimelineWidget& timeline() { return *m_timeline; }
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
};

} // namespace loquor::ui
