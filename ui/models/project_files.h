// Opening, saving and remembering .loquor files, and rescuing unnamed or unsaved work.
#pragma once

#include <memory>

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "core/base/error.h"
#include "core/project/project_file.h"

namespace loquor::ui {

class ProjectModel;

// Work that a crashed start of the program left behind.
struct RescuedWork
{
    QString rescueFile; // in the data folder
    QString title;
    QDateTime when;
};

// All reading and writing happens on pool threads; answers come as signals.
class ProjectFiles : public QObject
{
    Q_OBJECT

public:
    // `rescueFolder`: where unsaved work is kept (empty: inside the data folder of the user).
    explicit ProjectFiles(ProjectModel& model, const QString& rescueFolder = {},
                          QObject* parent = nullptr);
    ~ProjectFiles() override;

    void open(const QString& file);
    void save(const QString& file);
    static QStringList recent();
    static void clearRecent();

    // Looks for rescued work of other starts that are not running any more.
    void findRescued();
    // Opens it as unnamed, modified work; the rescue file goes once the work is saved or discarded.
    void restore(const RescuedWork& work);
    static void discard(const RescuedWork& work);
    // The program ends in an orderly way: nothing to rescue.
    void forgetRescue();
    // Writes the rescue copy now; otherwise it happens some seconds after the last edit.
    void rescueNow();

Q_SIGNALS:
    void opened(const QString& file, const QStringList& missing);
    void openFailed(const QString& file, const QString& message);
    void saved(const QString& file);
    void saveFailed(const QString& file, const QString& message);
    void recentChanged();
    void rescuedFound(const QList<loquor::ui::RescuedWork>& works);

private:
    void remember(const QString& file);
    QString rescuePath() const;

    ProjectModel& m_model;
    const QString m_rescueFolder;
    const QString m_instance;
    std::unique_ptr<QLockFile> m_lock; // held while this start owns its rescue file
    QTimer m_rescueTimer;
    QString m_restoredFrom; // rescue file that the current work came from
    quint64 m_saveNumber = 0;
};

} // namespace loquor::ui
