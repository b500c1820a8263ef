#include "ui/main/project_flow.h"

#include <map>
#include <utility>

#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QStandardPaths>

#include "ui/bridge/background_task.h"
#include "ui/bridge/strings.h"
#include "ui/main/file_chooser.h"
#include "ui/models/project_model.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_bar.h"

namespace loquor::ui {

ProjectFlow::ProjectFlow(ProjectModel& model, ProjectFiles& files, MessageBar& messages,
                         QWidget* window)
    : QObject(window), m_model(model), m_files(files), m_messages(messages), m_window(window)
{
    connect(&files, &ProjectFiles::opened, this, &ProjectFlow::onOpened);
    connect(&files, &ProjectFiles::openFailed, this,
            [this](const QString&, const QString& message) {
                m_messages.showMessage(MessageBar::Level::Error, message);
            });
    connect(&files, &ProjectFiles::heldElsewhere, this, [this](const QString& message) {
        m_messages.showMessage(MessageBar::Level::Warning, message, tr("Save as…"), [this] { saveAs(); });
    });
    connect(&files, &ProjectFiles::saved, this, [this] {
        if (const auto next = std::exchange(m_afterSave, {}))
            next();
    });
    connect(&files, &ProjectFiles::saveFailed, this,
            [this](const QString&, const QString& message) {
                m_afterSave = {};
                m_messages.showMessage(MessageBar::Level::Error, message, tr("Save as…"),
                                       [this] { saveAs(); });
            });
    connect(&files, &ProjectFiles::rescuedFound, this, &ProjectFlow::offerRescued);
}

void ProjectFlow::newProject()
{
    leave([this] {
        m_files.startAnew();
        m_messages.dismiss();
        Q_EMIT replaced();
    });
}

void ProjectFlow::open()
{
    FileQuestion question;
    question.title = tr("Open project");
    question.filter = tr("Loquor projects (*.loquor)");
    question.memory = QStringLiteral("projects");
    question.folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    askForFile(m_window, question, [this](const QString& file) { openFile(file); });
}

void ProjectFlow::openFile(const QString& file)
{
    leave([this, file] { m_files.open(file); });
}

void ProjectFlow::save()
{
    if (m_model.file().isEmpty())
        saveAs();
    else
        saveTo(m_model.file());
}

void ProjectFlow::saveAs()
{
    FileQuestion question;
    question.title = tr("Save project");
    question.filter = tr("Loquor projects (*.loquor)");
    question.suffix = QStringLiteral("loquor");
    question.proposal = m_model.title() + QStringLiteral(".loquor");
    question.memory = QStringLiteral("projects");
    question.folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    askForTarget(m_window, question, [this](const QString& file) { saveTo(file); });
}

void ProjectFlow::saveTo(const QString& file)
{
    m_files.save(file);
}

void ProjectFlow::leave(std::function<void()> next)
{
    if (!m_model.isModified()) {
        next();
        return;
    }
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Unsaved changes"),
                        tr("Save the changes to “%1”?").arg(m_model.title()),
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(
        icon(QStringLiteral("loquor")).pixmap(QSize(48, 48), m_window->devicePixelRatio()));
    box->setInformativeText(tr("Without saving they are lost."));
    // Own words: Qt's translations are not installed everywhere.
    box->button(QMessageBox::Save)->setText(tr("Save"));
    box->button(QMessageBox::Discard)->setText(tr("Don't save"));
    box->button(QMessageBox::Cancel)->setText(tr("Cancel"));
    box->setDefaultButton(QMessageBox::Save);
    connect(box, &QMessageBox::finished, this, [this, next = std::move(next)](int answer) {
        if (answer == QMessageBox::Save) {
            m_afterSave = next;
            save();
        } else if (answer == QMessageBox::Discard) {
            next();
        }
    });
    box->open();
}

void ProjectFlow::onOpened(const QString&, const QStringList& missing)
{
    m_missing = missing;
    m_messages.dismiss();
    Q_EMIT replaced();
    if (missing.isEmpty())
        return;
    QStringList names;
    for (const QString& path : missing)
        names += shownName(path);
    m_messages.showMessage(MessageBar::Level::Warning,
                           tr("%n file(s) of this project cannot be found: %1", nullptr,
                              static_cast<int>(missing.size()))
                               .arg(names.join(QStringLiteral(", "))),
                           tr("Find…"), [this] {
                               FileQuestion question;
                               question.title = tr("Folder that holds the missing files");
                               question.memory = QStringLiteral("relink");
                               askForFolder(m_window, question,
                                            [this](const QString& folder) { relinkFrom(folder); });
                           });
}

// Looks for the missing files by name; what is found replaces the old place in one undo step.
void ProjectFlow::relinkFrom(const QString& folder)
{
    const auto look = [folder, missing = m_missing] {
        std::map<std::string, std::filesystem::path> found;
        for (const QString& old : missing) {
            const QFileInfo candidate(QDir(folder), QFileInfo(old).fileName());
            if (candidate.exists())
                found[toPath(old).string()] = toPath(candidate.absoluteFilePath());
        }
        return found;
    };
    using Found = std::map<std::string, std::filesystem::path>;
    runInBackground(this, look, [this](const Result<Found>& looked) {
        if (!looked)
            return m_messages.showMessage(MessageBar::Level::Warning, QString::fromStdString(looked.error().message()));
        const Found& found = *looked;
        m_model.breakMerge();
        m_model.edit(EditKind::Reference, tr("Find missing files"),
                     [&](project::Document& document) {
                         for (project::Scene& scene : document.scenes) {
                             for (auto* file : {&scene.reference.file, &scene.speech.audioFile}) {
                                 if (const auto it = found.find(file->string()); it != found.end())
                                     *file = it->second;
                             }
                             if (const auto it = found.find(scene.background); it != found.end())
                                 scene.background = it->second.string();
                         }
                     });
        const int left = static_cast<int>(m_missing.size()) - static_cast<int>(found.size());
        if (left > 0)
            m_messages.showMessage(MessageBar::Level::Warning,
                                   tr("%n file(s) are still missing", nullptr, left));
    });
}

void ProjectFlow::offerRescued(const QList<RescuedWork>& works)
{
    const RescuedWork& work = works.front();
    auto* box = new QMessageBox(QMessageBox::Question, tr("Unsaved work found"),
                                tr("Loquor was not closed properly. Open the unsaved work of %1?")
                                    .arg(QLocale().toString(work.when, QLocale::ShortFormat)),
                                QMessageBox::NoButton, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(
        icon(QStringLiteral("loquor")).pixmap(QSize(48, 48), m_window->devicePixelRatio()));
    QStringList details;
    if (!work.title.isEmpty())
        details += tr("It begins: “%1”").arg(work.title);
    if (work.fileSaved.isValid())
        details += tr("The file “%1” was saved on %2 and lacks it.")
                       .arg(shownName(work.work.project), QLocale().toString(work.fileSaved, QLocale::ShortFormat));
    if (work.work.fileChangedSince)
        details += tr("The project file has been changed by something else since.");
    box->setInformativeText(details.join(QLatin1Char('\n')));
    QPushButton* restore = box->addButton(tr("Open as a copy"), QMessageBox::AcceptRole);
    QPushButton* discard = box->addButton(tr("Discard"), QMessageBox::DestructiveRole);
    box->addButton(tr("Later"), QMessageBox::RejectRole);
    box->setDefaultButton(restore);
    connect(box, &QMessageBox::buttonClicked, this, [=, this](QAbstractButton* clicked) {
        if (clicked == restore)
            leave([this, work] { m_files.restore(work); });
        else if (clicked == discard)
            ProjectFiles::discard(work);
    });
    box->open();
}

} // namespace loquor::ui
