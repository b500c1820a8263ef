// The way of a project through the window: new, open, save, close, recover, relink, with the
// questions that belong to it. No question blocks: each has an answer that comes later.
#pragma once

#include <functional>

#include <QObject>
#include <QStringList>

#include "ui/models/project_files.h"

class QWidget;

namespace loquor::ui {

class MessageBar;
class ProjectModel;

class ProjectFlow : public QObject
{
    Q_OBJECT

public:
    ProjectFlow(ProjectModel& model, ProjectFiles& files, MessageBar& messages, QWidget* window);

    void newProject();
    void open();
    void openFile(const QString& file);
    void save();
    void saveAs();
    // Runs `next` once the work is saved or may be lost; not at all if the user stays.
    void leave(std::function<void()> next);
    void relinkFrom(const QString& folder);

Q_SIGNALS:
    // Another project is there now.
    void replaced();

private:
    void saveTo(const QString& file);
    void onOpened(const QString& file, const QStringList& missing);
    void offerRescued(const QList<loquor::ui::RescuedWork>& works);

    ProjectModel& m_model;
    ProjectFiles& m_files;
    MessageBar& m_messages;
    QWidget* m_window;
    std::function<void()> m_afterSave;
    QStringList m_missing;
};

} // namespace loquor::ui
