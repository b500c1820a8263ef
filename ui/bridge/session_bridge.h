// The only code that turns session events into Qt signals.
#pragma once

#include <memory>

#include <QObject>

#include "core/session/session.h"

namespace loquor::ui {

using CommandId = session::CommandId;

// Lives on the UI thread. A wakeup of the session posts one call here unless one is on its way;
// that call drains all events, then reports the newest snapshot.
class SessionBridge : public QObject
{
    Q_OBJECT

public:
    explicit SessionBridge(session::Session& session, QObject* parent = nullptr);
    ~SessionBridge() override;
    bool event(QEvent* event) override; // a wakeup

    session::Session& session() { return m_session; }
    const session::Snapshot& snapshot() const { return m_snapshot; }

Q_SIGNALS:
    void jobStarted(CommandId job);
    void warning(CommandId job, const QString& text);
    void lineTimed(CommandId job, const speech::Timing& timing);
    void chunkFinished(CommandId job, const session::ChunkReport& chunk);
    void jobFinished(CommandId job, const session::RenderReport& report);
    void jobFailed(CommandId job, const Error& error);
    void jobCancelled(CommandId job);
    void checked(CommandId id, const session::CheckReport& report,
                 const std::shared_ptr<const Image>& picture);
    void engineRestarted(const QString& text);
    void projectInspected(CommandId id, const session::ProjectState& state);
    void recordingCut(CommandId id, const session::RecordedLines& lines);
    void said(CommandId id, const std::shared_ptr<const AudioBlock>& sound);
    void soundLooked(CommandId id, const std::shared_ptr<const session::SoundLook>& look);
    void soundTaken(CommandId id, qint64 samples);
    void partCut(CommandId id, const project::Recording& part);
    void commandFailed(CommandId id, const Error& error);
    void snapshotChanged(const session::Snapshot& snapshot);
    // Something woke us: a frame that was asked for may be there now.
    void woken();

private:
    struct Link;
    void drain();
    void deliver(const session::Event& event);

    session::Session& m_session;
    std::shared_ptr<Link> m_link;
    session::Snapshot m_snapshot;
};

} // namespace loquor::ui
