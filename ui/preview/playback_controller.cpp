#include "ui/preview/playback_controller.h"

#include <algorithm>
#include <cmath>

namespace loquor::ui {

namespace {

constexpr int kTickMs = 15;
constexpr int kMaxShuttle = 8;
constexpr double kLeadSeconds = 0.5; // pictures to have before playing starts or goes on

} // namespace

PlaybackController::PlaybackController(session::Session& session, audio::Playback& playback,
                                       QObject* parent)
    : QObject(parent), m_session(session), m_playback(playback)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &PlaybackController::tick);
}

PlaybackController::~PlaybackController()
{
    m_playback.stop();
}

void PlaybackController::beginRun(Rational fps)
{
    clear();
    m_fps = fps;
    m_running = true;
    setSpeed(1);
}

void PlaybackController::clear()
{
    setSpeed(0);
    m_running = false;
    m_ready = m_total = 0;
    updateSoundLimit();
    m_position = 0;
    Q_EMIT positionChanged(0);
    Q_EMIT progressChanged();
}

void PlaybackController::setProgress(FrameIndex ready, FrameIndex total)
{
    if (ready == m_ready && total == m_total)
        return;
    m_ready = ready;
    m_total = total;
    updateSoundLimit();
    Q_EMIT progressChanged();
}

void PlaybackController::endRun()
{
    m_running = false;
    updateSoundLimit();
    if (m_ready == 0)
        setSpeed(0);
    Q_EMIT progressChanged();
}

void PlaybackController::updateSoundLimit()
{
    const int rate = m_session.audioRate();
    // The last picture covers a part of a frame only: at the end all of the sound may go.
    const bool all = !m_running && m_total > 0 && m_ready >= m_total;
    m_limit->samples = rate <= 0 ? 0 : firstSampleOf(all ? m_ready + 1 : m_ready, rate, m_fps);
}

bool PlaybackController::enoughToPlay() const
{
    if (m_ready == 0)
        return false;
    const auto lead = static_cast<FrameIndex>(std::ceil(kLeadSeconds * m_fps.toDouble()));
    const bool allThere = !m_running || (m_total > 0 && m_ready >= m_total);
    return allThere || m_ready >= m_position + lead;
}

void PlaybackController::play()
{
    if (!m_running && m_ready == 0)
        return;
    if (!m_running && m_position >= m_ready - 1)
        moveTo(0);
    setSpeed(1);
}

void PlaybackController::pause()
{
    setSpeed(0);
}

void PlaybackController::toggle()
{
    if (isPlaying())
        pause();
    else
        play();
}

void PlaybackController::seek(FrameIndex frame)
{
    if (m_ready == 0)
        return;
    moveTo(std::clamp<FrameIndex>(frame, 0, m_ready - 1));
    if (m_speed == 0)
        return;
    m_soundOn = false; // starts again from here with the next tick
    m_playback.stop();
    m_shuttleFrom = m_position;
    m_shuttleClock.start();
}

void PlaybackController::step(int frames)
{
    pause();
    seek(m_position + frames);
}

void PlaybackController::shuttleForward()
{
    if (m_ready > 0)
        setSpeed(m_speed <= 0 ? 1 : std::min(kMaxShuttle, m_speed * 2));
}

void PlaybackController::shuttleBackward()
{
    if (m_ready > 0)
        setSpeed(m_speed >= 0 ? -1 : std::max(-kMaxShuttle, m_speed * 2));
}

void PlaybackController::setSpeed(int speed)
{
    if (m_soundOn || speed == 0) {
        m_playback.stop();
        m_soundOn = false;
    }
    m_speed = speed;
    m_shuttleFrom = m_position;
    m_shuttleClock.start();
    if (speed == 0)
        m_timer.stop();
    else
        m_timer.start();
    setWaiting(speed == 1 && !enoughToPlay());
    Q_EMIT stateChanged();
}

void PlaybackController::tick()
{
    if (m_speed == 1)
        tickSound();
    else
        tickShuttle();
}

void PlaybackController::startSound()
{
    const std::int64_t from = firstSampleOf(m_position, m_session.audioRate(), m_fps);
    auto source = [limit = m_limit, session = &m_session](std::int64_t at, float* out,
                                                          std::size_t count) -> std::size_t {
        const std::int64_t room = limit->samples.load() - at;
        if (room <= 0)
            return 0;
        return session->readAudio(at, out, std::min(count, static_cast<std::size_t>(room)));
    };
    m_playback.play(std::move(source), m_session.audioRate(), from);
    m_soundOn = true;
}

void PlaybackController::tickSound()
{
    if (!m_soundOn) {
        if (!enoughToPlay() || m_session.audioRate() <= 0) {
            setWaiting(true);
            return;
        }
        updateSoundLimit();
        startSound();
        setWaiting(false);
        return;
    }
    const int rate = m_session.audioRate();
    const FrameIndex heard = frameOf(m_playback.position(), rate, m_fps);
    moveTo(std::clamp<FrameIndex>(heard, 0, std::max<FrameIndex>(0, m_ready - 1)));
    if (!m_playback.isStarved())
        return;
    const bool allThere = !m_running && m_position >= m_ready - 1;
    if (allThere) {
        setSpeed(0); // played to the end
    } else if (!enoughToPlay()) {
        // Out of pictures: hold, and go on only when there is a lead again.
        m_playback.stop();
        m_soundOn = false;
        setWaiting(true);
    }
}

void PlaybackController::tickShuttle()
{
    const double elapsed = static_cast<double>(m_shuttleClock.nsecsElapsed()) * 1e-9;
    const auto moved = static_cast<FrameIndex>(elapsed * m_fps.toDouble() * m_speed);
    const FrameIndex last = std::max<FrameIndex>(0, m_ready - 1);
    const FrameIndex target = m_shuttleFrom + moved;
    moveTo(std::clamp<FrameIndex>(target, 0, last));
    const bool atStart = target <= 0 && m_speed < 0;
    if (atStart || (target >= last && m_speed > 0 && !m_running))
        setSpeed(0);
}

void PlaybackController::moveTo(FrameIndex frame)
{
    if (frame == m_position)
        return;
    m_position = frame;
    Q_EMIT positionChanged(frame);
}

void PlaybackController::setWaiting(bool waiting)
{
    if (waiting == m_waiting)
        return;
    m_waiting = waiting;
    Q_EMIT stateChanged();
}

} // namespace loquor::ui
