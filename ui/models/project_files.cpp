#include "ui/models/project_files.h"

#include <utility>

#include <QDir>
#include <QSettings>
#include <QStandardPaths>
#include <QUuid>

#include "core/base/log.h"
#include "core/project/script_text.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/strings.h"
#include "ui/models/project_model.h"

namespace loquor::ui {

namespace {

constexpr int kRecentLimit = 12;
constexpr int kRescueDelayMs = 3000;
constexpr auto kRecentKey = "files/recent";
constexpr QLatin1String kRescueSuffix(".rescue.loquor");

QString titleOf(const project::Document& document)
{
    const QString text =
        QString::fromStdString(project::scriptText(document.scenes.front())).simplified();
    if (!text.isEmpty())
        return text.size() > 40 ? text.left(40) + QChar(0x2026) : text;
    return fileName(document.scenes.front().reference.file);
}

} // namespace

ProjectFiles::ProjectFiles(ProjectModel& model, const QString& rescueFolder, QObject* parent)
    : QObject(parent), m_model(model),
      m_rescueFolder(!rescueFolder.isEmpty()
                         ? rescueFolder
                         : QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                               QStringLiteral("/loquor/rescue")),
      m_instance(QUuid::createUuid().toString(QUuid::WithoutBraces))
{
    m_rescueTimer.setSingleShot(true);
    m_rescueTimer.setInterval(kRescueDelayMs);
    connect(&m_rescueTimer, &QTimer::timeout, this, &ProjectFiles::rescueNow);
    connect(&m_model, &ProjectModel::changed, &m_rescueTimer, qOverload<>(&QTimer::start));
}

ProjectFiles::~ProjectFiles() = default;

QString ProjectFiles::rescuePath() const
{
    return m_rescueFolder + QLatin1Char('/') + m_instance + kRescueSuffix;
}

void ProjectFiles::open(const QString& file)
{
    runInBackground(
        this, [file] { return project::loadProject(toPath(file)); },
        [this, file](Result<project::LoadedProject> loaded) {
            if (!loaded) {
                Q_EMIT openFailed(file, QString::fromStdString(loaded.error().message()));
                return;
            }
            QStringList missing;
            for (const auto& path : loaded->missing)
                missing += toQString(path);
            m_model.reset(std::move(loaded->document), file);
            remember(file);
            Q_EMIT opened(file, missing);
        });
}

void ProjectFiles::save(const QString& file)
{
    m_model.breakMerge();
    const quint64 number = ++m_saveNumber;
    const int step = m_model.undoStack().index();
    runInBackground(
        this,
        [document = m_model.document(), file] {
            return project::saveProject(document, toPath(file));
        },
        [this, file, number, step](const Result<std::string>& result) {
            if (!result) {
                Q_EMIT saveFailed(file, QString::fromStdString(result.error().message()));
                return;
            }
            remember(file);
            // Edits made while the disk worked are not in the file: then it stays modified.
            if (number == m_saveNumber && step == m_model.undoStack().index()) {
                m_model.setSaved(file);
                forgetRescue();
            }
            Q_EMIT saved(file);
        });
}

QStringList ProjectFiles::recent()
{
    return QSettings().value(kRecentKey).toStringList();
}

void ProjectFiles::clearRecent()
{
    QSettings().remove(kRecentKey);
}

void ProjectFiles::remember(const QString& file)
{
    QStringList files = recent();
    const QString absolute = QFileInfo(file).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    QSettings().setValue(kRecentKey, files.mid(0, kRecentLimit));
    Q_EMIT recentChanged();
}

void ProjectFiles::rescueNow()
{
    m_rescueTimer.stop();
    if (!m_model.isModified())
        return;
    if (!m_lock) {
        QDir().mkpath(m_rescueFolder);
        m_lock = std::make_unique<QLockFile>(rescuePath() + QStringLiteral(".lock"));
        m_lock->setStaleLockTime(0);
        if (!m_lock->tryLock(0))
            log(LogLevel::Warning, "ui", "The rescue file cannot be locked");
    }
    runInBackground(
        this,
        [document = m_model.document(), file = rescuePath()] {
            return project::saveProject(document, toPath(file));
        },
        [this](const Result<std::string>& result) {
            if (!result)
                log(LogLevel::Warning, "ui", result.error().logText());
            if (!m_model.isModified())
                forgetRescue(); // saved or reset in the meantime
        });
}

void ProjectFiles::forgetRescue()
{
    m_rescueTimer.stop();
    QFile::remove(rescuePath());
    if (!m_restoredFrom.isEmpty())
        QFile::remove(std::exchange(m_restoredFrom, QString()));
    m_lock.reset();
}

void ProjectFiles::findRescued()
{
    const auto look = [folder = m_rescueFolder, own = rescuePath()] {
        QList<RescuedWork> works;
        const auto files = QDir(folder).entryInfoList({QStringLiteral("*") + kRescueSuffix},
                                                      QDir::Files, QDir::Time);
        for (const QFileInfo& info : files) {
            if (info.absoluteFilePath() == QFileInfo(own).absoluteFilePath())
                continue;
            QLockFile lock(info.absoluteFilePath() + QStringLiteral(".lock"));
            lock.setStaleLockTime(0);
            if (!lock.tryLock(0))
                continue; // that start of the program is alive
            const auto loaded = project::loadProject(toPath(info.absoluteFilePath()));
            if (loaded)
                works.append(
                    {info.absoluteFilePath(), titleOf(loaded->document), info.lastModified()});
            else
                QFile::remove(info.absoluteFilePath()); // cannot be offered; must not come again
        }
        return works;
    };
    runInBackground(this, look, [this](const QList<RescuedWork>& works) {
        if (!works.isEmpty())
            Q_EMIT rescuedFound(works);
    });
}

void ProjectFiles::restore(const RescuedWork& work)
{
    runInBackground(
        this, [file = work.rescueFile] { return project::loadProject(toPath(file)); },
        [this, work](Result<project::LoadedProject> loaded) {
            if (!loaded) {
                Q_EMIT openFailed(work.rescueFile,
                                  QString::fromStdString(loaded.error().message()));
                return;
            }
            QStringList missing;
            for (const auto& path : loaded->missing)
                missing += toQString(path);
            m_model.reset(std::move(loaded->document), {});
            m_model.setModified();
            m_restoredFrom = work.rescueFile;
            Q_EMIT opened({}, missing);
        });
}

void ProjectFiles::discard(const RescuedWork& work)
{
    QFile::remove(work.rescueFile);
}

} // namespace loquor::ui
