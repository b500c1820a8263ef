// Starts, watches and cancels the one run that may be on: a preview or an export.
#pragma once

#include <optional>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/project/document.h"
#include "core/session/session.h"
#include "ui/bridge/session_bridge.h"

namespace loquor::ui {

enum class JobKind {
    Preview = 1,
    Export,
};

enum class JobState {
    Idle = 1,
    Running,
    Cancelling,
    Finished,
    Failed,
};

// The words of the document as the engine wants them. `output` empty: preview only.
session::RenderRequest makeRequest(const project::Document& document, const QString& output);

class JobController : public QObject
{
    Q_OBJECT

public:
    explicit JobController(SessionBridge& bridge, QObject* parent = nullptr);

    // A run that is on is cancelled first; its events are not listened to any more.
    void startPreview(const project::Document& document);
    void startExport(const project::Document& document, const QString& output);
    void cancel();

    bool isRunning() const
    {
        return m_state == JobState::Running || m_state == JobState::Cancelling;
    }
    JobState state() const { return m_state; }
    JobKind kind() const { return m_kind; }
    CommandId job() const { return m_job; }
    // The document the newest run was made from; its preview is out of date when it differs.
    const std::optional<project::Document>& renderedDocument() const { return m_document; }
    const std::optional<session::RenderReport>& report() const { return m_report; }
    const QString& output() const { return m_output; }
    const QStringList& warnings() const { return m_warnings; }
    const QString& errorText() const { return m_errorText; }
    // Snapshot of the current job; default values when the engine speaks of another one.
    session::Snapshot snapshot() const;

    // "0:07.2 of video in 0:02.0, 3.6 times real time"; of a short run most is its start, so its speed is not
    // told and says nothing about the next one.
    static QString summaryOf(const session::RenderReport& report);
    static bool tellsSpeed(const session::RenderReport& report);

Q_SIGNALS:
    void started();
    void stateChanged();
    void progressed();
    void finished();
    void failed(const QString& message);
    void warned(const QString& message);
    void timed(const speech::Timing& timing);
    void chunkFinished(const session::ChunkReport& chunk);

private:
    void start(const project::Document& document, JobKind kind, const QString& output);
    void setState(JobState state);

    SessionBridge& m_bridge;
    JobState m_state = JobState::Idle;
    JobKind m_kind = JobKind::Preview;
    CommandId m_job = 0;
    QString m_output;
    std::optional<project::Document> m_document;
    std::optional<session::RenderReport> m_report;
    QStringList m_warnings;
    QString m_errorText;
};

} // namespace loquor::ui
