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
#include "core/session/session.h"

namespace loquor::ui {

// UI thread. At normal speed the position follows the ear (audio::Playback); the sound is held back
// to the pictures that are ready, so neither runs ahead of the other. At other speeds a clock moves
// the position and there is no sound.
class PlaybackController : public QObject
{
    Q_OBJECT

public:
    PlaybackController(session::Session& session, audio::Playback& playback,
                       QObject* parent = nullptr);
    ~PlaybackController() override;

    // A new run begins: everything ready before is gone. Plays as soon as there is enough.
    void beginRun(Rational fps);
    // What can be shown by now, from 0 without a gap; total 0 = not known yet.
    void setProgress(FrameIndex ready, FrameIndex total);
    // The run is over, well or not: nothing more will come.
    void endRun();
    void clear();

    void play();
    void pause();
    void toggle();
    void seek(FrameIndex frame); // clamps to what is ready
    void step(int frames);       // pauses
    void shuttleForward();       // L: 1, 2, 4, 8 times
    void shuttleBackward();      // J

    FrameIndex position() const { return m_position; }
    FrameIndex ready() const { return m_ready; }
    FrameIndex total() const { return m_total > 0 ? m_total : m_ready; }
    Rational fps() const { return m_fps; }
    int speed() const { return m_speed; } // 0 = paused
    bool isPlaying() const { return m_speed != 0; }
    // Wants to play but must wait for pictures.
    bool isWaiting() const { return m_waiting; }
    bool hasFrames() const { return m_ready > 0; }

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
    void updateSoundLimit();
    bool enoughToPlay() const;
    void moveTo(FrameIndex frame);
    void setWaiting(bool waiting);

    session::Session& m_session;
    audio::Playback& m_playback;
    std::shared_ptr<SoundLimit> m_limit = std::make_shared<SoundLimit>();
    QTimer m_timer;
    Rational m_fps{25, 1};
    FrameIndex m_position = 0, m_ready = 0, m_total = 0;
    int m_speed = 0;
    bool m_running = false; // more frames will come
    bool m_waiting = false;
    bool m_soundOn = false;
    QElapsedTimer m_shuttleClock;
    FrameIndex m_shuttleFrom = 0;
};

} // namespace loquor::ui
