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

// What an export is to be.
struct ExportChoice
{
    QString file;
    session::Captions captions = session::Captions::None; // of texts only
    session::PictureLabel label;
    int width = 0, height = 0; // 0 = as the project; of texts only
};

// A scene that speaks one recording as a whole, as the engine wants it. `output` empty: preview only.
session::RenderRequest makeRequest(const project::Document& document, const QString& output);

// A text is a project: what is missing is made into the store, and an export puts it together afterwards. One recording
// as a whole is made in one piece.
class JobController : public QObject
{
    Q_OBJECT

public:
    explicit JobController(SessionBridge& bridge, QObject* parent = nullptr);

    // A run that is on is cancelled first; its events are not listened to any more.
    void startPreview(const project::Document& document);
    void startExport(const project::Document& document, const ExportChoice& choice);
    void cancel();

    bool isRunning() const
    {
        return m_state == JobState::Running || m_state == JobState::Cancelling;
    }
    JobState state() const { return m_state; }
    JobKind kind() const { return m_kind; }
    CommandId job() const { return m_job; }
    // The run makes lines into the store.
    bool isProject() const { return m_isProject; }
    // The document the newest run was made from; its preview is out of date when it differs.
    const std::optional<project::Document>& renderedDocument() const { return m_document; }
    const std::optional<session::RenderReport>& report() const { return m_report; }
    // Of the run that made the pictures; the same as report() but for an export of a project.
    const std::optional<session::RenderReport>& making() const { return m_making; }
    const QString& output() const { return m_choice.file; }
    const QStringList& warnings() const { return m_warnings; }
    const QString& errorText() const { return m_errorText; }
    // Snapshot of the current job; default values when the engine speaks of another one.
    session::Snapshot snapshot() const;

    // "0:07.2 of video in 0:02.0, 3.6 times real time"; of a short run most is its start, so its speed is not
    // told and says nothing about the next one.
    static QString summaryOf(const session::RenderReport& report);
    static bool tellsSpeed(const session::RenderReport& report);
    // Of a project only what was made counts: what was found costs nothing.
    static double madeSeconds(const session::RenderReport& report);
    static double speedOf(const session::RenderReport& report); // seconds of video made in a second

Q_SIGNALS:
    void started();
    void stateChanged();
    void progressed();
    // Some lines could not be made: making() says which. Before finished() or failed().
    void incomplete();
    void finished();
    void failed(const QString& message);
    void warned(const QString& message);
    void timed(const speech::Timing& timing);
    void chunkFinished(const session::ChunkReport& chunk);

private:
    void start(const project::Document& document, JobKind kind, const ExportChoice& choice);
    void onFinished(const session::RenderReport& report);
    void failWith(const QString& message);
    void setState(JobState state);

    SessionBridge& m_bridge;
    JobState m_state = JobState::Idle;
    JobKind m_kind = JobKind::Preview;
    CommandId m_job = 0;
    ExportChoice m_choice;
    bool m_isProject = false;
    bool m_puttingTogether = false; // the second step of a project's export
    std::optional<project::Document> m_document;
    std::optional<session::RenderReport> m_report, m_making;
    QStringList m_warnings;
    QString m_errorText;
};

} // namespace loquor::ui
