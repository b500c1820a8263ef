#include "ui/models/project_files.h"

#include <mutex>
#include <utility>

#include <QFileInfo>
#include <QSettings>

#include "core/base/log.h"
#include "core/project/script_text.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/strings.h"
#include "ui/models/project_model.h"
#include "ui/settings/store_settings.h"

namespace loquor::ui {

namespace {

constexpr int kRecentLimit = 12;
constexpr int kRescueDelayMs = 3000;
constexpr auto kRecentKey = "files/recent";

QString titleOf(const project::Document& document)
{
    const QString text =
        QString::fromStdString(project::scriptText(document.scenes.front())).simplified();
    if (!text.isEmpty())
        return text.size() > 40 ? text.left(40) + QChar(0x2026) : text;
    return shownName(document.scenes.front().reference.file);
}

bool isSameName(const QString& a, const QString& b)
{
    return !a.isEmpty() && !b.isEmpty() && QFileInfo(a) == QFileInfo(b);
}

QStringList names(const std::vector<std::filesystem::path>& paths)
{
    QStringList out;
    for (const auto& path : paths)
        out += toQString(path);
    return out;
}

} // namespace

// Used by pool threads one after the other; closed = the work is saved or given up.
struct ProjectFiles::AutosaveSlot
{
    std::mutex mutex; // guards all below
    std::optional<project::Autosave> autosave;
    bool isClosed = false;

    Result<void> store(const project::Document& document, const std::filesystem::path& file,
                       const std::filesystem::path& root, const std::string& base)
    {
        const std::lock_guard lock(mutex);
        if (isClosed)
            return {};
        if (!autosave) {
            auto opened = project::Autosave::open(file, root);
            if (!opened) // another program keeps its own work on this project
                opened = project::Autosave::open({}, root);
            if (!opened)
                return fail(std::move(opened).error());
            autosave.emplace(std::move(*opened));
        }
        return autosave->store(document, base);
    }
    void close()
    {
        const std::lock_guard lock(mutex);
        isClosed = true;
        if (autosave)
            autosave->clean();
        autosave.reset();
    }
};

struct ProjectFiles::Opened
{
    Result<project::LoadedProject> loaded;
    std::optional<project::LockOutcome> locked; // nothing: it was ours already, or cannot be locked
    std::string lockProblem;
};

struct ProjectFiles::Saved
{
    Result<std::string> fingerprint;
    std::optional<project::ProjectLock> lock; // of a new name
    std::uint64_t id = 0;
};

ProjectFiles::ProjectFiles(ProjectModel& model, const QString& rescueFolder, QObject* parent)
    : QObject(parent), m_model(model),
      m_rescueFolder(!rescueFolder.isEmpty() ? rescueFolder : toQString(project::autosaveRoot())),
      m_slot(std::make_shared<AutosaveSlot>())
{
    m_rescueTimer.setSingleShot(true);
    m_rescueTimer.setInterval(kRescueDelayMs);
    connect(&m_rescueTimer, &QTimer::timeout, this, &ProjectFiles::rescueNow);
    connect(&m_model, &ProjectModel::changed, &m_rescueTimer, qOverload<>(&QTimer::start));
}

ProjectFiles::~ProjectFiles() = default;

project::LockOptions ProjectFiles::lockOptions() const
{
    project::LockOptions options;
    options.program = "Loquor";
    options.sharedFolder = toPath(QFileInfo(m_rescueFolder).path() + QStringLiteral("/locks"));
    return options;
}

void ProjectFiles::open(const QString& file)
{
    const bool isOurs = m_lock && isSameName(file, m_model.file());
    const auto read = [file, isOurs, options = lockOptions()] {
        Opened opened{fail(ErrorCode::Internal, "not read"), std::nullopt, {}};
        if (!isOurs) {
            if (auto locked = project::lockProject(toPath(file), options))
                opened.locked = std::move(*locked);
            else
                opened.lockProblem = locked.error().message();
        }
        opened.loaded = project::loadProject(toPath(file));
        return std::make_shared<Opened>(std::move(opened));
    };
    runInBackground(this, read, [this, file](const Result<std::shared_ptr<Opened>>& opened) {
        if (opened)
            return onOpened(file, **opened);
        Opened none{fail(opened.error()), std::nullopt, {}};
        onOpened(file, none);
    });
}

void ProjectFiles::onOpened(const QString& file, Opened& opened)
{
    if (!opened.loaded) {
        Q_EMIT openFailed(file, QString::fromStdString(opened.loaded.error().message()));
        return;
    }
    forgetRescue();
    if (opened.locked) {
        m_lock = std::move(opened.locked->lock);
        m_holder = std::move(opened.locked->holder);
    } else if (!opened.lockProblem.empty()) {
        m_lock.reset();
        m_holder.reset();
    }
    m_model.reset(std::move(opened.loaded->document), file);
    becomeFile(file, opened.loaded->fingerprint);
    remember(file);
    Q_EMIT this->opened(file, names(opened.loaded->missing));
    if (m_holder)
        Q_EMIT heldElsewhere(tr("The project is open in %1. You can look at it here and save it under another name.")
                                 .arg(QString::fromStdString(project::describe(*m_holder))));
    else if (!opened.lockProblem.empty())
        Q_EMIT heldElsewhere(QString::fromStdString(opened.lockProblem));
}

void ProjectFiles::becomeFile(const QString& file, const std::string& fingerprint)
{
    m_fingerprint = fingerprint;
    m_identityFile = file;
}

void ProjectFiles::save(const QString& file)
{
    m_model.breakMerge();
    if (m_isSaving) {
        m_nextSave = file;
        return;
    }
    const bool isOurs = isSameName(file, m_model.file());
    if (isOurs && m_holder) {
        Q_EMIT saveFailed(file, QString::fromStdString(project::projectInUse(toPath(file), *m_holder).message()));
        return;
    }
    project::Document document = m_model.document();
    if (!m_identityFile.isEmpty() && !isSameName(file, m_identityFile))
        project::copyIdentity(document, project::randomIds());
    m_isSaving = true;
    const auto write = [document = std::move(document), file, isOurs, options = lockOptions(),
                        expected = isOurs ? m_fingerprint : std::string()] {
        Saved saved{fail(ErrorCode::Internal, "not written"), std::nullopt, document.id};
        if (!isOurs) {
            auto locked = project::lockProject(toPath(file), options);
            if (locked && !locked->lock) {
                saved.fingerprint = fail(project::projectInUse(toPath(file), locked->holder.value_or(project::LockHolder())));
                return std::make_shared<Saved>(std::move(saved));
            }
            if (locked)
                saved.lock = std::move(locked->lock);
        }
        saved.fingerprint = project::saveProject(document, toPath(file), expected);
        return std::make_shared<Saved>(std::move(saved));
    };
    const int step = m_model.undoStack().index();
    runInBackground(this, write, [this, file, step](const Result<std::shared_ptr<Saved>>& saved) {
        if (saved)
            return onSaved(file, step, **saved);
        Saved none{fail(saved.error()), std::nullopt, 0};
        onSaved(file, step, none);
    });
}

void ProjectFiles::onSaved(const QString& file, int step, Saved& saved)
{
    m_isSaving = false;
    if (!saved.fingerprint) {
        m_nextSave.reset();
        Q_EMIT saveFailed(file, QString::fromStdString(saved.fingerprint.error().message()));
        return;
    }
    if (!isSameName(file, m_model.file())) {
        m_lock = std::move(saved.lock);
        m_holder.reset();
    }
    m_model.setId(saved.id);
    becomeFile(file, *saved.fingerprint);
    remember(file);
    forgetRescue();
    m_model.setSaved(file);
    if (step != m_model.undoStack().index()) { // edits made while the disk worked are not in the file
        m_model.setModified();
        m_rescueTimer.start();
    }
    Q_EMIT this->saved(file);
    if (const auto next = std::exchange(m_nextSave, std::nullopt))
        save(*next);
}

void ProjectFiles::startAnew()
{
    forgetRescue();
    m_lock.reset();
    m_holder.reset();
    becomeFile({}, {});
    m_model.reset({}, {});
}

QStringList ProjectFiles::recent()
{
    return QSettings().value(kRecentKey).toStringList();
}

void ProjectFiles::clearRecent()
{
    storeSettings([](QSettings& settings) { settings.remove(kRecentKey); });
}

void ProjectFiles::remember(const QString& file)
{
    QStringList files = recent();
    const QString absolute = QFileInfo(file).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    storeSettings([&files](QSettings& settings) { settings.setValue(kRecentKey, files.mid(0, kRecentLimit)); });
    Q_EMIT recentChanged();
}

void ProjectFiles::rescueNow()
{
    m_rescueTimer.stop();
    if (!m_model.isModified())
        return;
    const auto store = [slot = m_slot, document = m_model.document(), file = toPath(m_model.file()),
                        root = toPath(m_rescueFolder), base = m_fingerprint] {
        return slot->store(document, file, root, base);
    };
    runInBackground(this, store, [](const Result<void>& stored) {
        if (!stored)
            log(LogLevel::Warning, "ui", "The unsaved work could not be kept: " + stored.error().text());
    });
}

void ProjectFiles::forgetRescue()
{
    m_rescueTimer.stop();
    // Not here: a store may be on its way to the disk, and deleting waits for it, too.
    const auto forget = [slot = std::exchange(m_slot, std::make_shared<AutosaveSlot>()),
                         restored = std::exchange(m_restored, std::nullopt)] {
        slot->close();
        if (restored)
            project::discardRecoverable(*restored);
        return true;
    };
    runInBackground(QCoreApplication::instance(), forget, [](const Result<bool>&) {});
}

void ProjectFiles::findRescued()
{
    const auto look = [root = toPath(m_rescueFolder)] {
        QList<RescuedWork> works;
        for (const project::RecoverableWork& work : project::findRecoverable(root)) {
            if (const auto document = project::loadRecoverable(work))
                works.append({work, titleOf(*document),
                              QDateTime::fromString(QString::fromStdString(work.savedAt), Qt::ISODate).toLocalTime(),
                              work.project.empty() ? QDateTime() : QFileInfo(toQString(work.project)).lastModified()});
        }
        return works;
    };
    runInBackground(this, look, [this](const Result<QList<RescuedWork>>& works) {
        if (works && !works->isEmpty())
            Q_EMIT rescuedFound(*works);
    });
}

void ProjectFiles::restore(const RescuedWork& work)
{
    const auto read = [work] { return project::loadRecoverable(work.work); };
    runInBackground(this, read, [this, work](Result<project::Document> document) {
        if (!document) {
            Q_EMIT openFailed(toQString(work.work.generation), QString::fromStdString(document.error().message()));
            return;
        }
        startAnew();
        const QStringList missing = names(project::missingFiles(*document));
        m_model.reset(std::move(*document), {});
        m_model.setModified();
        m_identityFile = toQString(work.work.project);
        m_restored = work.work;
        Q_EMIT opened({}, missing);
    });
}

void ProjectFiles::discard(const RescuedWork& work)
{
    const auto forget = [work = work.work] {
        project::discardRecoverable(work);
        return true;
    };
    runInBackground(QCoreApplication::instance(), forget, [](const Result<bool>&) {});
}

} // namespace loquor::ui
