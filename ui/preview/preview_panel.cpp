#include "ui/preview/preview_panel.h"

#include <QBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/bridge/strings.h"
#include "ui/models/media_checks.h"
#include "ui/preview/framed_still.h"
#include "ui/preview/playback_controller.h"
#include "ui/preview/preview_widget.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

PreviewPanel::PreviewPanel(PlaybackController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller), m_picture(new PreviewWidget(controller, this)),
      m_time(new QLabel(this))
{
    m_start = makeButton(QStringLiteral("to-start"), tr("To the start"), tr("Home"));
    m_back = makeButton(QStringLiteral("frame-back"), tr("One frame back"), tr("Left"));
    m_play = makeButton(QStringLiteral("play"), tr("Play"), tr("Space"));
    m_forward = makeButton(QStringLiteral("frame-forward"), tr("One frame forward"), tr("Right"));
    m_end = makeButton(QStringLiteral("to-end"), tr("To the end"), tr("End"));
    m_time->setProperty("timecode", true);
    m_time->setAccessibleName(tr("Time"));

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(2);
    for (QToolButton* button : {m_start, m_back, m_play, m_forward, m_end})
        buttons->addWidget(button);
    buttons->insertStretch(0);
    buttons->addSpacing(8);
    buttons->addWidget(m_time);
    buttons->addStretch();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_picture, 1);
    layout->addLayout(buttons);

    connect(m_start, &QToolButton::clicked, &controller, [this] { m_controller.seek(0); });
    connect(m_back, &QToolButton::clicked, &controller, [this] { m_controller.step(-1); });
    connect(m_play, &QToolButton::clicked, &controller, &PlaybackController::toggle);
    connect(m_forward, &QToolButton::clicked, &controller, [this] { m_controller.step(1); });
    connect(m_end, &QToolButton::clicked, &controller,
            [this] { m_controller.seek(m_controller.reach() - 1); });
    connect(m_picture, &PreviewWidget::clicked, &controller, &PlaybackController::toggle);
    connect(&controller, &PlaybackController::positionChanged, this, &PreviewPanel::updateTime);
    connect(&controller, &PlaybackController::progressChanged, this, [this] {
        updateState();
        m_picture->update();
    });
    connect(&controller, &PlaybackController::stateChanged, this, &PreviewPanel::updateState);
    updateState();
}

QToolButton* PreviewPanel::makeButton(const QString& iconName, const QString& name,
                                      const QString& key)
{
    auto* button = new QToolButton(this);
    button->setIcon(icon(iconName));
    button->setIconSize(QSize(20, 20));
    button->setAccessibleName(name);
    button->setToolTip(tr("%1 (%2)").arg(name, key));
    // Reached by Tab; a click leaves the keys to the preview.
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void PreviewPanel::showStill(const MediaCheck& person, const project::Document& document)
{
    const project::Output& output = document.output;
    const int face = document.scenes.front().reference.faceIndex;
    const auto made = std::make_tuple(person.picture.cacheKey(), face, output.width, output.height, output.framing);
    if (made == m_stillMade)
        return;
    m_stillMade = made;
    m_picture->setStill(
        framedStill(person.picture, person.report.value_or(session::CheckReport{}), face, output));
}

void PreviewPanel::updateState()
{
    const bool some = m_controller.hasFrames();
    for (QToolButton* button : {m_start, m_back, m_forward, m_end})
        button->setEnabled(some);
    m_play->setEnabled(some || m_controller.isPlaying());
    const bool playing = m_controller.isPlaying();
    m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    updateTime();
}

void PreviewPanel::updateTime()
{
    const Rational fps = m_controller.fps();
    m_time->setText(tr("%1 / %2").arg(timeText(secondsOf(m_controller.position(), fps)),
                                      timeText(secondsOf(m_controller.total(), fps))));
}

} // namespace loquor::ui
