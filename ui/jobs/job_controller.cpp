#include "ui/jobs/job_controller.h"

#include <QLocale>

#include "core/project/script_text.h"
#include "ui/bridge/strings.h"

namespace loquor::ui {

session::RenderRequest makeRequest(const project::Document& document, const QString& output)
{
    const project::Scene& scene = document.scenes.front();
    session::RenderRequest request;
    request.reference = scene.reference.file;
    if (scene.speech.mode == project::SpeechMode::Recording) {
        request.speech.audioFile = scene.speech.audioFile;
        request.speech.text = scene.speech.transcript;
    } else {
        request.speech.text = project::scriptText(scene);
        request.speech.voice = scene.speech.voice;
    }
    request.speech.language = scene.speech.language;
    request.settings.width = document.output.width;
    request.settings.height = document.output.height;
    request.settings.fps = document.output.fps;
    request.settings.seed = document.output.seed;
    request.settings.framing = document.output.framing == project::Framing::Fit
                                   ? session::Framing::Fit
                                   : session::Framing::Fill;
    request.settings.background = scene.background;
    request.settings.prompt = scene.prompt;
    request.settings.faceIndex = scene.reference.faceIndex;
    request.output = toPath(output);
    request.overwrite = !output.isEmpty(); // the file dialog has asked
    return request;
}

JobController::JobController(SessionBridge& bridge, QObject* parent)
    : QObject(parent), m_bridge(bridge)
{
    const auto mine = [this](CommandId job) { return job == m_job && job != 0; };
    connect(&bridge, &SessionBridge::jobFinished, this,
            [this, mine](CommandId job, const session::RenderReport& report) {
                if (!mine(job))
                    return;
                m_report = report;
                setState(JobState::Finished);
                Q_EMIT finished();
            });
    connect(&bridge, &SessionBridge::jobFailed, this,
            [this, mine](CommandId job, const Error& error) {
                if (!mine(job))
                    return;
                if (error.isCancelled()) { // never shown as a failure
                    setState(JobState::Idle);
                    return;
                }
                m_errorText = QString::fromStdString(error.message());
                setState(JobState::Failed);
                Q_EMIT failed(m_errorText);
            });
    connect(&bridge, &SessionBridge::jobCancelled, this, [this, mine](CommandId job) {
        if (mine(job))
            setState(JobState::Idle);
    });
    connect(&bridge, &SessionBridge::warning, this,
            [this, mine](CommandId job, const QString& text) {
                if (!mine(job))
                    return;
                m_warnings += text;
                Q_EMIT warned(text);
            });
    connect(&bridge, &SessionBridge::lineTimed, this,
            [this, mine](CommandId job, const speech::Timing& timing) {
                if (mine(job))
                    Q_EMIT timed(timing);
            });
    connect(&bridge, &SessionBridge::chunkFinished, this,
            [this, mine](CommandId job, const session::ChunkReport& chunk) {
                if (mine(job))
                    Q_EMIT chunkFinished(chunk);
            });
    connect(&bridge, &SessionBridge::snapshotChanged, this,
            [this, mine](const session::Snapshot& snapshot) {
                if (mine(snapshot.job))
                    Q_EMIT progressed();
            });
}

void JobController::startPreview(const project::Document& document)
{
    start(document, JobKind::Preview, {});
}

void JobController::startExport(const project::Document& document, const QString& output)
{
    start(document, JobKind::Export, output);
}

void JobController::start(const project::Document& document, JobKind kind, const QString& output)
{
    if (isRunning())
        m_bridge.session().cancel(m_job);
    m_kind = kind;
    m_output = output;
    m_document = document;
    m_report.reset();
    m_warnings.clear();
    m_errorText.clear();
    m_job = m_bridge.session().render(makeRequest(document, output));
    setState(JobState::Running);
    Q_EMIT started();
}

void JobController::cancel()
{
    if (m_state != JobState::Running)
        return;
    m_bridge.session().cancel(m_job);
    setState(JobState::Cancelling);
}

session::Snapshot JobController::snapshot() const
{
    return m_bridge.snapshot().job == m_job ? m_bridge.snapshot() : session::Snapshot{};
}

bool JobController::tellsSpeed(const session::RenderReport& report)
{
    constexpr double kEnough = 2; // seconds of video
    return report.durationSeconds >= kEnough && report.realtimeFactor > 0;
}

QString JobController::summaryOf(const session::RenderReport& report)
{
    const QString video = timeText(report.durationSeconds), total = timeText(report.totalSeconds);
    if (!tellsSpeed(report))
        return tr("%1 of video in %2").arg(video, total);
    return tr("%1 of video in %2, %3 times real time")
        .arg(video, total, QLocale().toString(report.realtimeFactor, 'f', 1));
}

void JobController::setState(JobState state)
{
    m_state = state;
    Q_EMIT stateChanged();
}

} // namespace loquor::ui
