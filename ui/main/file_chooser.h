// File dialogs that never block: the answer comes later.
#pragma once

#include <functional>

#include <QString>

class QWidget;

namespace loquor::ui {

struct FileQuestion
{
    QString title;
    QString filter;   // as QFileDialog takes it
    QString suffix;   // added when saving without one
    QString proposal; // file name to begin with when saving
    QString memory;   // settings key that remembers the folder
    QString folder;   // used when nothing is remembered
};

// Shows the dialog; `answer` runs with the chosen path, not at all when it is closed.
void askForFile(QWidget* parent, const FileQuestion& question,
                std::function<void(const QString&)> answer);
void askForTarget(QWidget* parent, const FileQuestion& question,
                  std::function<void(const QString&)> answer);
void askForFolder(QWidget* parent, const FileQuestion& question,
                  std::function<void(const QString&)> answer);

} // namespace loquor::ui
