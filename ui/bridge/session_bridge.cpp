#include "ui/bridge/session_bridge.h"

#include <mutex>

#include <QCoreApplication>
#include <QEvent>

#include "ui/bridge/background_task.h"

namespace loquor::ui {

using Kind = session::Event::Kind;

// Shared with the wakeup function, which may run on any thread and outlive the bridge.
struct SessionBridge::Link
{
    std::mutex mutex;
    SessionBridge* target = nullptr; // mutex
    bool posted = false;             // mutex

    void wake()
    {
        std::lock_guard lock(mutex);
        if (!target || posted)
            return;
        posted = true;
        auto* event = new QEvent(QEvent::User);
        detail::handOver();
        QCoreApplication::postEvent(target, event);
    }
};

SessionBridge::SessionBridge(session::Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_link(std::make_shared<Link>())
{
    m_link->target = this;
    m_session.setWakeup([link = m_link] { link->wake(); });
    m_snapshot = m_session.snapshot();
}

SessionBridge::~SessionBridge()
{
    std::lock_guard lock(m_link->mutex);
    m_link->target = nullptr;
}

bool SessionBridge::event(QEvent* event)
{
    if (event->type() != QEvent::User)
        return QObject::event(event);
    detail::takeOver();
    drain();
    return true;
}

void SessionBridge::drain()
{
    {
        std::lock_guard lock(m_link->mutex);
        m_link->posted = false; // before looking, so that nothing that comes now is missed
    }
    for (const session::Event& event : m_session.takeEvents())
        deliver(event);
    session::Snapshot snapshot = m_session.snapshot();
    if (snapshot.revision != m_snapshot.revision) {
        m_snapshot = std::move(snapshot);
        Q_EMIT snapshotChanged(m_snapshot);
    }
    Q_EMIT woken();
}

void SessionBridge::deliver(const session::Event& event)
{
    switch (event.kind) {
    case Kind::JobStarted:
        Q_EMIT jobStarted(event.command);
        break;
    case Kind::Warning:
        Q_EMIT warning(event.command, QString::fromStdString(event.text));
        break;
    case Kind::LineTimed:
        if (event.timing)
            Q_EMIT lineTimed(event.command, *event.timing);
        break;
    case Kind::ChunkFinished:
        if (event.chunk)
            Q_EMIT chunkFinished(event.command, *event.chunk);
        break;
    case Kind::JobFinished:
        Q_EMIT jobFinished(event.command, event.report.value_or(session::RenderReport{}));
        break;
    case Kind::JobFailed:
        Q_EMIT jobFailed(event.command, event.error.value_or(Error(ErrorCode::Internal,
                                                                   "The engine gave no reason")));
        break;
    case Kind::JobCancelled:
        Q_EMIT jobCancelled(event.command);
        break;
    case Kind::Checked:
        if (event.check)
            Q_EMIT checked(event.command, *event.check, event.picture);
        break;
    case Kind::EngineRestarted:
        Q_EMIT engineRestarted(QString::fromStdString(event.text));
        break;
    case Kind::ProjectInspected:
        if (event.project)
            Q_EMIT projectInspected(event.command, *event.project);
        break;
    case Kind::RecordingCut:
        if (event.lines)
            Q_EMIT recordingCut(event.command, *event.lines);
        break;
    case Kind::Said:
        if (event.sound)
            Q_EMIT said(event.command, event.sound);
        break;
    case Kind::SoundLooked:
        if (event.look)
            Q_EMIT soundLooked(event.command, event.look);
        break;
    case Kind::SoundTaken:
        Q_EMIT soundTaken(event.command, event.samples);
        break;
    case Kind::PartCut:
        if (event.part)
            Q_EMIT partCut(event.command, *event.part);
        break;
    case Kind::CommandFailed:
        Q_EMIT commandFailed(event.command, event.error.value_or(Error(ErrorCode::Internal,
                                                                       "The engine gave no reason")));
        break;
    }
}

} // namespace loquor::ui
