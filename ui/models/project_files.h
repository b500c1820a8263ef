// Opening, saving and remembering .loquor files, and rescuing unnamed or unsaved work.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "core/base/error.h"
#include "core/project/autosave.h"
#include "core/project/project_file.h"
#include "core/project/project_lock.h"

namespace loquor::ui {

class ProjectModel;

// Work that a crashed start of the program left behind.
struct RescuedWork
{
    project::RecoverableWork work;
    QString title;
    QDateTime when;
    QDateTime fileSaved; // of the project's file; invalid = it never had one, or it is gone
};

// All reading and writing happens on pool threads; answers come as signals. The open project is locked:
// one that another program has open can be looked at and saved under another name.
class ProjectFiles : public QObject
{
    Q_OBJECT

public:
    // `rescueFolder`: where unsaved work is kept (empty: inside the data folder of the user).
    explicit ProjectFiles(ProjectModel& model, const QString& rescueFolder = {},
                          QObject* parent = nullptr);
    ~ProjectFiles() override;

    void open(const QString& file);
    // Saves run one after the other. A file that another program has open, or has changed since it
    // was opened here, is refused.
    void save(const QString& file);
    // An unnamed project takes the place of the open one; its lock and its rescued work go.
    void startAnew();
    static QStringList recent();
    static void clearRecent();

    // Looks for rescued work of other starts that are not running any more.
    void findRescued();
    // Opens it as unnamed, modified work; what was rescued goes once the work is saved or discarded.
    void restore(const RescuedWork& work);
    static void discard(const RescuedWork& work);
    // The program ends in an orderly way: nothing to rescue.
    void forgetRescue();
    // Writes the rescue copy now; otherwise it happens some seconds after the last edit.
    void rescueNow();

Q_SIGNALS:
    void opened(const QString& file, const QStringList& missing);
    void openFailed(const QString& file, const QString& message);
    // After opened(): another program has the project open.
    void heldElsewhere(const QString& message);
    void saved(const QString& file);
    void saveFailed(const QString& file, const QString& message);
    void recentChanged();
    void rescuedFound(const QList<loquor::ui::RescuedWork>& works);

private:
    struct AutosaveSlot;
    struct Opened;
    struct Saved;
    void remember(const QString& file);
    void onOpened(const QString& file, Opened& opened);
    void onSaved(const QString& file, int step, Saved& saved);
    void becomeFile(const QString& file, const std::string& fingerprint);
    project::LockOptions lockOptions() const;

    ProjectModel& m_model;
    const QString m_rescueFolder;
    QTimer m_rescueTimer;
    std::shared_ptr<AutosaveSlot> m_slot; // of the work as it is now
    std::optional<project::RecoverableWork> m_restored; // where the current work came from
    std::optional<project::ProjectLock> m_lock;         // of m_model.file()
    std::optional<project::LockHolder> m_holder;        // has m_model.file() open instead of us
    std::string m_fingerprint;                          // of m_model.file() as we know it
    QString m_identityFile; // the file whose project id the document has; another name gets another
    bool m_isSaving = false;
    std::optional<QString> m_nextSave; // asked for meanwhile
};

} // namespace loquor::ui
