#include "ui/models/media_checks.h"

#include <QFile>

#include "ui/bridge/background_task.h"
#include "ui/bridge/strings.h"
#include "ui/models/project_model.h"

namespace loquor::ui {

namespace {

constexpr qint64 kMaxTextBytes = 8 << 20;

QImage toQImage(const std::shared_ptr<const Image>& picture)
{
    if (!picture || picture->isEmpty() || picture->channels != 3)
        return {};
    auto* keep = new std::shared_ptr<const Image>(picture);
    return QImage(
        picture->data.data(), picture->width, picture->height,
        static_cast<qsizetype>(picture->stride()), QImage::Format_RGB888,
        [](void* kept) { delete static_cast<std::shared_ptr<const Image>*>(kept); }, keep);
}

} // namespace

MediaChecks::MediaChecks(SessionBridge& bridge, ProjectModel& model, QObject* parent)
    : QObject(parent), m_bridge(bridge), m_model(model)
{
    connect(&m_model, &ProjectModel::changed, this, &MediaChecks::followDocument);
    connect(&m_bridge, &SessionBridge::checked, this, &MediaChecks::onChecked);
}

QString MediaChecks::importing() const
{
    return m_imports.empty() ? QString() : shownName(m_imports.begin()->second);
}

void MediaChecks::importFile(const QString& path)
{
    m_imports[m_bridge.session().check(toPath(path))] = path;
    Q_EMIT changed();
}

// Undo, opening and relinking change files without an import: look at those too.
void MediaChecks::followDocument()
{
    const auto follow = [this](const std::filesystem::path& file, std::filesystem::path& known,
                               MediaCheck& check, CommandId& id) {
        if (file == known)
            return false;
        known = file;
        check = {};
        check.pending = !file.empty();
        id = file.empty() ? 0 : m_bridge.session().check(file);
        return true;
    };
    const bool reference =
        follow(m_model.scene().reference.file, m_referenceFile, m_reference, m_referenceCheck);
    const bool recording =
        follow(m_model.scene().speech.audioFile, m_recordingFile, m_recording, m_recordingCheck);
    if (reference || recording)
        Q_EMIT changed();
}

void MediaChecks::onChecked(CommandId id, const session::CheckReport& report,
                            const std::shared_ptr<const Image>& picture)
{
    if (id == m_referenceCheck) {
        m_reference = {false, report, toQImage(picture)};
        chooseLargestFace(report);
    } else if (id == m_recordingCheck) {
        m_recording = {false, report, {}};
    } else if (const auto import = m_imports.find(id); import != m_imports.end()) {
        const QString path = import->second;
        m_imports.erase(import);
        const bool isPicture = report.kind == "image" || report.kind == "video";
        if (isPicture || ((report.kind == "audio" || report.kind == "text") && report.usable))
            Q_EMIT taken();
        if (isPicture) {
            useReference(toPath(path), report, toQImage(picture));
        } else if (report.kind == "audio" && report.usable) {
            useRecording(toPath(path), report);
        } else if (report.kind == "text" && report.usable) {
            readText(path);
        } else {
            const QString reason = report.problems.empty()
                                       ? tr("it is not a picture, video, sound or text")
                                       : QString::fromStdString(report.problems.front());
            Q_EMIT refused(tr("%1 cannot be used: %2").arg(shownName(path), reason));
        }
    } else {
        return;
    }
    Q_EMIT changed();
}

void MediaChecks::useReference(const std::filesystem::path& file,
                               const session::CheckReport& report, const QImage& picture)
{
    m_referenceFile = file;
    m_referenceCheck = 0;
    m_reference = {false, report, picture};
    m_model.breakMerge();
    m_model.edit(EditKind::Reference, tr("Choose person"), [&](project::Document& document) {
        auto& reference = document.scenes.front().reference;
        if (reference.file != file)
            reference = {}; // a new face, a new confirmation
        reference.file = file;
        reference.faceIndex = report.faces.size() > 1 ? report.faces.front().index : 0;
    });
}

void MediaChecks::useRecording(const std::filesystem::path& file,
                               const session::CheckReport& report)
{
    m_recordingFile = file;
    m_recordingCheck = 0;
    m_recording = {false, report, {}};
    m_model.breakMerge();
    m_model.edit(EditKind::Recording, tr("Choose recording"), [&](project::Document& document) {
        auto& speech = document.scenes.front().speech;
        speech.mode = project::SpeechMode::Recording;
        if (speech.audioFile != file)
            speech.import = {};
        speech.audioFile = file;
    });
}

// With several faces the largest is taken until the user picks another one; the panel says so.
void MediaChecks::chooseLargestFace(const session::CheckReport& report)
{
    const int chosen = m_model.scene().reference.faceIndex;
    const int count = static_cast<int>(report.faces.size());
    if (count < 2 || (chosen >= 1 && chosen <= count))
        return;
    m_model.edit(EditKind::Face, tr("Choose face"), [&](project::Document& document) {
        document.scenes.front().reference.faceIndex = report.faces.front().index;
    });
}

void MediaChecks::readText(const QString& path)
{
    const auto read = [path]() -> std::optional<QString> {
        QFile file(path);
        if (file.size() > kMaxTextBytes || !file.open(QIODevice::ReadOnly))
            return std::nullopt;
        return QString::fromUtf8(file.readAll());
    };
    runInBackground(this, read, [this, path](const Result<std::optional<QString>>& text) {
        if (text && *text)
            Q_EMIT textImported(**text);
        else
            Q_EMIT refused(tr("%1 cannot be read, or is too long for a script")
                               .arg(shownName(path)));
    });
}

} // namespace loquor::ui
