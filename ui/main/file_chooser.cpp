#include "ui/main/file_chooser.h"

#include <QFileDialog>
#include <QSettings>

#include "ui/settings/store_settings.h"

namespace loquor::ui {

namespace {

QFileDialog* makeDialog(QWidget* parent, const FileQuestion& question,
                        std::function<void(const QString&)> answer)
{
    const QString folder =
        QSettings().value(QStringLiteral("folders/") + question.memory, question.folder).toString();
    auto* dialog = new QFileDialog(parent, question.title, folder, question.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!question.suffix.isEmpty())
        dialog->setDefaultSuffix(question.suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                     [memory = question.memory, answer = std::move(answer)](const QString& file) {
                         if (file.isEmpty())
                             return;
                         storeSettings([&](QSettings& settings) {
                             settings.setValue(QStringLiteral("folders/") + memory,
                                               QFileInfo(file).absolutePath());
                         });
                         answer(file);
                     });
    return dialog;
}

} // namespace

void askForFile(QWidget* parent, const FileQuestion& question,
                std::function<void(const QString&)> answer)
{
    QFileDialog* dialog = makeDialog(parent, question, std::move(answer));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->open();
}

void askForTarget(QWidget* parent, const FileQuestion& question,
                  std::function<void(const QString&)> answer)
{
    QFileDialog* dialog = makeDialog(parent, question, std::move(answer));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->selectFile(question.proposal);
    dialog->open();
}

void askForFolder(QWidget* parent, const FileQuestion& question,
                  std::function<void(const QString&)> answer)
{
    QFileDialog* dialog = makeDialog(parent, question, std::move(answer));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->open();
}

} // namespace loquor::ui
