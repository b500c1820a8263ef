#include "ui/models/recording_cutter.h"

#include "ui/models/project_model.h"

namespace loquor::ui {

RecordingCutter::RecordingCutter(SessionBridge& bridge, ProjectModel& model, QObject* parent)
    : QObject(parent), m_bridge(bridge), m_model(model)
{
    connect(&m_bridge, &SessionBridge::recordingCut, this, [this](CommandId id, const session::RecordedLines& lines) {
        if (id == m_id)
            onCut(lines);
    });
    connect(&m_bridge, &SessionBridge::commandFailed, this, [this](CommandId id, const Error& error) {
        if (id != m_id)
            return;
        m_id = 0;
        Q_EMIT changed();
        if (!error.isCancelled())
            Q_EMIT failed(QString::fromStdString(error.message()));
    });
    connect(&m_model, &ProjectModel::changed, this, [this] {
        if (isCutting() && !isSameRecording())
            cancel();
    });
}

bool RecordingCutter::isSameRecording() const
{
    const project::Document& document = m_model.document();
    const project::Speech& speech = m_model.scene().speech;
    return document.id == m_project && document.output.fps == m_request.fps && speech.audioFile == m_request.file &&
           speech.transcript == m_request.text && speech.language == m_request.language &&
           speech.import == m_request.import;
}

void RecordingCutter::start()
{
    const project::Speech& speech = m_model.scene().speech;
    if (isCutting() || speech.audioFile.empty())
        return;
    m_model.breakMerge();
    m_project = m_model.document().id;
    m_request = {speech.audioFile, speech.transcript, speech.language, m_model.document().output.fps, m_model.document().pronunciations,
                 speech.import};
    m_id = m_bridge.session().cutRecording(m_request);
    Q_EMIT changed();
}

void RecordingCutter::cancel()
{
    if (!isCutting())
        return;
    m_bridge.session().cancel(m_id);
    m_id = 0;
    Q_EMIT changed();
}

void RecordingCutter::onCut(const session::RecordedLines& lines)
{
    m_id = 0;
    m_model.edit(EditKind::Recording, tr("Make lines of the recording"), [&](project::Document& document) {
        project::Scene& scene = document.scenes.front();
        scene.lines = lines.lines;
        scene.leadIn.clear();
        scene.speech.mode = project::SpeechMode::Text;
    });
    m_model.breakMerge();
    QStringList said{tr("The recording has become %n line(s).", nullptr, static_cast<int>(lines.lines.size()))};
    for (const std::string& warning : lines.warnings)
        said += QString::fromStdString(warning);
    Q_EMIT changed();
    Q_EMIT done(said.join(QLatin1Char('\n')));
}

} // namespace loquor::ui
