#include "ui/preview/playback_controller.h"

#include <algorithm>
#include <cmath>

namespace loquor::ui {

namespace {

constexpr int kTickMs = 15;
constexpr int kMaxShuttle = 8;
constexpr double kLeadSeconds = 0.5; // pictures to have before playing starts or goes on

} // namespace

PlaybackController::PlaybackController(audio::Playback& playback, QObject* parent)
    : QObject(parent), m_playback(playback)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &PlaybackController::tick);
}

PlaybackController::~PlaybackController()
{
    m_playback.stop();
}

void PlaybackController::setSource(std::shared_ptr<PreviewSource> source, Rational fps)
{
    setSpeed(0);
    m_source = std::move(source);
    m_fps = fps;
    m_running = false;
    m_position = 0;
    updateSoundLimit();
    Q_EMIT positionChanged(0);
    Q_EMIT progressChanged();
    Q_EMIT stateChanged();
}

void PlaybackController::setRunning(bool running)
{
    m_running = running;
    updateSoundLimit();
    if (!running && m_speed != 0 && readyEnd() == m_position)
        setSpeed(0); // what it waited for does not come
    Q_EMIT progressChanged();
}

void PlaybackController::refresh(FrameIndex position)
{
    const FrameIndex last = std::max<FrameIndex>(0, reach() - 1);
    const FrameIndex there = std::clamp<FrameIndex>(position < 0 ? m_position : position, 0, last);
    if (there != m_position) {
        moveTo(there);
        restartSound();
    }
    updateSoundLimit();
    Q_EMIT progressChanged();
}

FrameIndex PlaybackController::total() const
{
    return m_source && m_source->total() > 0 ? m_source->total() : reach();
}

FrameIndex PlaybackController::readyEnd() const
{
    return m_source ? m_source->readyUntil(m_position) : m_position;
}

void PlaybackController::updateSoundLimit()
{
    const int rate = m_source ? m_source->audioRate() : 0;
    const FrameIndex end = readyEnd();
    // The last picture covers a part of a frame only: at the end all of the sound may go.
    const bool all = !m_running && m_source && m_source->total() > 0 && end >= m_source->total();
    m_limit->samples = rate <= 0 ? 0 : firstSampleOf(all ? end + 1 : end, rate, m_fps);
}

bool PlaybackController::enoughToPlay() const
{
    const FrameIndex end = readyEnd();
    if (end <= m_position)
        return false;
    const auto lead = static_cast<FrameIndex>(std::ceil(kLeadSeconds * m_fps.toDouble()));
    const bool allThere = !m_running || (m_source->total() > 0 && end >= m_source->total());
    return allThere || end >= m_position + lead;
}

void PlaybackController::play()
{
    if (!m_source || (!m_running && reach() == 0))
        return;
    if (!m_running) {
        if (m_position >= reach() - 1)
            moveTo(0);
        FrameIndex next = m_source->nextReady(m_position); // over what was not made
        if (next < 0)
            next = m_source->nextReady(0);
        if (next < 0)
            return;
        moveTo(next);
    }
    setSpeed(1);
}

void PlaybackController::playFrom(FrameIndex frame)
{
    setSpeed(0);
    moveTo(std::clamp<FrameIndex>(frame, 0, std::max<FrameIndex>(0, reach() - 1)));
    play();
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
    if (reach() == 0)
        return;
    moveTo(std::clamp<FrameIndex>(frame, 0, reach() - 1));
    restartSound();
}

// It starts again from the position with the next tick.
void PlaybackController::restartSound()
{
    updateSoundLimit();
    if (m_speed == 0)
        return;
    m_soundOn = false;
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
    if (reach() > 0)
        setSpeed(m_speed <= 0 ? 1 : std::min(kMaxShuttle, m_speed * 2));
}

void PlaybackController::shuttleBackward()
{
    if (reach() > 0)
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
    const int rate = m_source->audioRate();
    auto source = [limit = m_limit, read = m_source->sound()](std::int64_t at, float* out,
                                                              std::size_t count) -> std::size_t {
        const std::int64_t room = limit->samples.load() - at;
        if (room <= 0)
            return 0;
        return read(at, out, std::min(count, static_cast<std::size_t>(room)));
    };
    m_playback.play(std::move(source), rate, firstSampleOf(m_position, rate, m_fps));
    m_soundOn = true;
}

void PlaybackController::tickSound()
{
    if (!m_soundOn) {
        if (!enoughToPlay() || m_source->audioRate() <= 0) {
            setWaiting(true);
            return;
        }
        updateSoundLimit();
        startSound();
        setWaiting(false);
        return;
    }
    const FrameIndex end = readyEnd();
    const FrameIndex heard = frameOf(m_playback.position(), m_source->audioRate(), m_fps);
    moveTo(std::clamp<FrameIndex>(heard, 0, std::max<FrameIndex>(0, end - 1)));
    if (!m_playback.isStarved())
        return;
    if (!m_running && m_position >= end - 1) {
        setSpeed(0); // played to the end, or to what was not made
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
    const FrameIndex last = std::max<FrameIndex>(0, reach() - 1);
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
