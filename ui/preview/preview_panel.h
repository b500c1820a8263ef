// The stage: picture, transport buttons, time.
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
struct MediaCheck;

class PreviewPanel : public QWidget
{
    Q_OBJECT

public:
    explicit PreviewPanel(PlaybackController& controller, QWidget* parent = nullptr);

    PreviewWidget& picture() { return *m_picture; }
    // The photo, cut as the video will be; drawn again only when that changes.
    void showStill(const MediaCheck& person, const project::Document& document);

private:
    QToolButton* makeButton(const QString& icon, const QString& name, const QString& key);
    void updateState();
    void updateTime();

    PlaybackController& m_controller;
    PreviewWidget* m_picture;
    QToolButton *m_start, *m_back, *m_play, *m_forward, *m_end;
    QLabel* m_time;
    // Picture, face, size and framing of the still.
    std::tuple<qint64, int, int, int, project::Framing> m_stillMade{-1, 0, 0, 0, project::Framing::Fill};
};

} // namespace loquor::ui
