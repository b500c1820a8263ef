#include "ui/jobs/job_controller.h"

#include <algorithm>

#include <QLocale>

#include "ui/bridge/strings.h"

namespace loquor::ui {

session::RenderRequest makeRequest(const project::Document& document, const QString& output)
{
    const project::Scene& scene = document.scenes.front();
    session::RenderRequest request;
    request.reference = scene.reference.file;
    request.speech.audioFile = scene.speech.audioFile;
    request.speech.import = scene.speech.import;
    request.speech.text = scene.speech.transcript;
    request.speech.voice = scene.speech.voice;
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
                if (mine(job))
                    onFinished(report);
            });
    connect(&bridge, &SessionBridge::jobFailed, this,
            [this, mine](CommandId job, const Error& error) {
                if (!mine(job))
                    return;
                if (error.isCancelled()) { // never shown as a failure
                    setState(JobState::Idle);
                    return;
                }
                failWith(QString::fromStdString(error.message()));
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

void JobController::startExport(const project::Document& document, const ExportChoice& choice)
{
    start(document, JobKind::Export, choice);
}

void JobController::start(const project::Document& document, JobKind kind, const ExportChoice& choice)
{
    if (isRunning())
        m_bridge.session().cancel(m_job);
    m_kind = kind;
    m_choice = choice;
    m_document = document;
    m_isProject = document.scenes.front().speech.mode == project::SpeechMode::Text;
    m_puttingTogether = false;
    m_report.reset();
    m_making.reset();
    m_warnings.clear();
    m_errorText.clear();
    if (m_isProject) {
        session::ProjectRequest request;
        request.document = document;
        m_job = m_bridge.session().renderProject(std::move(request));
    } else {
        session::RenderRequest request = makeRequest(document, choice.file);
        request.label = choice.label;
        m_job = m_bridge.session().render(std::move(request));
    }
    setState(JobState::Running);
    Q_EMIT started();
}

void JobController::onFinished(const session::RenderReport& report)
{
    if (!m_puttingTogether)
        m_making = report;
    if (m_isProject && !m_puttingTogether && m_kind == JobKind::Export) {
        const int missing = static_cast<int>(report.failedLines.size() + report.failedJoins.size());
        if (missing > 0) {
            Q_EMIT incomplete();
            return failWith(tr("%n line(s) could not be made, so there is no video yet. Export tries again.", nullptr, missing));
        }
        if (m_state == JobState::Cancelling)
            return setState(JobState::Idle);
        session::ExportRequest request;
        request.document = *m_document;
        request.output = toPath(m_choice.file);
        request.overwrite = true; // the file dialog has asked
        request.captions = m_choice.captions;
        request.label = m_choice.label;
        request.width = m_choice.width;
        request.height = m_choice.height;
        m_puttingTogether = true;
        m_job = m_bridge.session().exportProject(std::move(request));
        Q_EMIT progressed();
        return;
    }
    m_report = report;
    if (!report.failedLines.empty() || !report.failedJoins.empty())
        Q_EMIT incomplete();
    setState(JobState::Finished);
    Q_EMIT finished();
}

void JobController::failWith(const QString& message)
{
    m_errorText = message;
    setState(JobState::Failed);
    Q_EMIT failed(message);
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
    return madeSeconds(report) >= kEnough && report.totalSeconds > 0;
}

double JobController::madeSeconds(const session::RenderReport& report)
{
    FrameIndex found = 0;
    for (const session::ChunkReport& chunk : report.chunks)
        found += chunk.cached && chunk.kind == "N" ? chunk.frames : 0;
    return report.durationSeconds - secondsOf(found, report.fps);
}

double JobController::speedOf(const session::RenderReport& report)
{
    return report.totalSeconds > 0 ? madeSeconds(report) / report.totalSeconds : 0;
}

QString JobController::summaryOf(const session::RenderReport& report)
{
    const double made = madeSeconds(report);
    const QString video = timeText(report.durationSeconds), total = timeText(report.totalSeconds);
    if (made < report.durationSeconds - 0.01)
        return tr("%1 of video, %2 of it made in %3").arg(video, timeText(std::max(0.0, made)), total);
    if (!tellsSpeed(report))
        return tr("%1 of video in %2").arg(video, total);
    return tr("%1 of video in %2, %3 times real time").arg(video, total, QLocale().toString(speedOf(report), 'f', 1));
}

void JobController::setState(JobState state)
{
    m_state = state;
    Q_EMIT stateChanged();
}

} // namespace loquor::ui
