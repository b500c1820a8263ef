// Where the preview stands: play, pause, shuttle, scrub. The sound is the master clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "core/audio/playback.h"
#include "core/base/time.h"
#include "ui/preview/preview_source.h"

namespace loquor::ui {

// UI thread. At normal speed the position follows the ear (audio::Playback); the sound is held back
// to the pictures that are ready, so neither runs ahead of the other. At other speeds a clock moves
// the position and there is no sound.
class PlaybackController : public QObject
{
    Q_OBJECT

public:
    explicit PlaybackController(audio::Playback& playback, QObject* parent = nullptr);
    ~PlaybackController() override;

    // Another source, or none: stops and goes to its start.
    void setSource(std::shared_ptr<PreviewSource> source, Rational fps);
    PreviewSource* source() const { return m_source.get(); }
    // More frames will come: where nothing is ready it waits; otherwise it stops there.
    void setRunning(bool running);
    // The source has more, or other, frames. What was seen is at `position` now (-1: where it was).
    void refresh(FrameIndex position = -1);

    void play();
    void pause();
    void toggle();
    void playFrom(FrameIndex frame);
    void seek(FrameIndex frame); // clamps to what can be reached
    void step(int frames);       // pauses
    void shuttleForward();       // L: 1, 2, 4, 8 times
    void shuttleBackward();      // J

    FrameIndex position() const { return m_position; }
    FrameIndex reach() const { return m_source ? m_source->reach() : 0; }
    FrameIndex total() const;
    Rational fps() const { return m_fps; }
    int speed() const { return m_speed; } // 0 = paused
    bool isPlaying() const { return m_speed != 0; }
    // Wants to play but must wait for pictures.
    bool isWaiting() const { return m_waiting; }
    bool isRunning() const { return m_running; }
    bool hasFrames() const { return reach() > 0; }

Q_SIGNALS:
    void positionChanged(qint64 frame);
    void progressChanged();
    void stateChanged();

private:
    // Shared with the thread of the sound.
    struct SoundLimit
    {
        std::atomic<std::int64_t> samples{0};
    };

    void tick();
    void tickSound();
    void tickShuttle();
    void setSpeed(int speed);
    void startSound();
    void restartSound();
    void updateSoundLimit();
    bool enoughToPlay() const;
    FrameIndex readyEnd() const; // of the stretch at the position; the position when there is none
    void moveTo(FrameIndex frame);
    void setWaiting(bool waiting);

    audio::Playback& m_playback;
    std::shared_ptr<PreviewSource> m_source;
    std::shared_ptr<SoundLimit> m_limit = std::make_shared<SoundLimit>();
    QTimer m_timer;
    Rational m_fps{25, 1};
    FrameIndex m_position = 0;
    int m_speed = 0;
    bool m_running = false; // more frames will come
    bool m_waiting = false;
    bool m_soundOn = false;
    QElapsedTimer m_shuttleClock;
    FrameIndex m_shuttleFrom = 0;
};

} // namespace loquor::ui
