#include "ui/main/media_dialogs.h"

#include <QColorDialog>
#include <QCoreApplication>
#include <QDir>
#include <QStandardPaths>

#include "ui/main/file_chooser.h"

namespace loquor::ui {

namespace {

QString text(const char* source)
{
    return QCoreApplication::translate("MediaDialogs", source);
}

FileQuestion makeQuestion(const QString& title, const QString& filter, const char* memory,
                          QStandardPaths::StandardLocation place)
{
    FileQuestion question;
    question.title = title;
    question.filter = filter + QStringLiteral(";;") +
                      text(QT_TRANSLATE_NOOP("MediaDialogs", "All files")) + QStringLiteral(" (*)");
    question.memory = QString::fromLatin1(memory);
    question.folder = QStandardPaths::writableLocation(place);
    if (!QDir(question.folder).exists()) // the name of a folder that is not there would be taken for a file's
        question.folder = QDir::homePath();
    return question;
}

} // namespace

void askForPerson(QWidget* parent, Answer answer)
{
    const QString filter =
        text(QT_TRANSLATE_NOOP("MediaDialogs", "Pictures and videos")) +
        QStringLiteral(" (*.png *.jpg *.jpeg *.webp *.tif *.tiff *.bmp *.gif *.mp4 *.mov *.mkv "
                       "*.webm *.avi *.m4v)");
    askForFile(parent,
               makeQuestion(
                   text(QT_TRANSLATE_NOOP("MediaDialogs", "Choose a photo or a clip of a person")),
                   filter, "pictures", QStandardPaths::PicturesLocation),
               std::move(answer));
}

void askForSound(QWidget* parent, Answer answer)
{
    const QString filter =
        text(QT_TRANSLATE_NOOP("MediaDialogs", "Sound")) +
        QStringLiteral(" (*.wav *.mp3 *.flac *.ogg *.opus *.m4a *.aac *.wma *.aiff)");
    askForFile(parent,
               makeQuestion(text(QT_TRANSLATE_NOOP("MediaDialogs", "Open a recording")), filter,
                            "sounds", QStandardPaths::MusicLocation),
               std::move(answer));
}

void askForText(QWidget* parent, Answer answer)
{
    const QString filter =
        text(QT_TRANSLATE_NOOP("MediaDialogs", "Text")) + QStringLiteral(" (*.txt *.md)");
    askForFile(parent,
               makeQuestion(text(QT_TRANSLATE_NOOP("MediaDialogs", "Open a text")), filter, "texts",
                            QStandardPaths::DocumentsLocation),
               std::move(answer));
}

void askForBackground(QWidget* parent, Answer answer)
{
    const QString filter = text(QT_TRANSLATE_NOOP("MediaDialogs", "Pictures")) +
                           QStringLiteral(" (*.png *.jpg *.jpeg *.webp *.tif *.tiff *.bmp)");
    askForFile(parent,
               makeQuestion(text(QT_TRANSLATE_NOOP("MediaDialogs", "Choose a background picture")),
                            filter, "pictures", QStandardPaths::PicturesLocation),
               std::move(answer));
}

void askForColour(QWidget* parent, const QString& now, Answer answer)
{
    auto* dialog = new QColorDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const QColor colour(now);
    dialog->setCurrentColor(colour.isValid() ? colour : QColor(0x20, 0x60, 0x40));
    QObject::connect(dialog, &QColorDialog::colorSelected, parent,
                     [answer = std::move(answer)](const QColor& chosen) {
                         answer(chosen.name(QColor::HexRgb));
                     });
    dialog->open();
}

void askForExport(QWidget* parent, const QString& title, const QString& folder, Answer answer)
{
    FileQuestion question;
    question.title = text(QT_TRANSLATE_NOOP("MediaDialogs", "Export video"));
    question.filter =
        text(QT_TRANSLATE_NOOP("MediaDialogs", "MP4 video")) + QStringLiteral(" (*.mp4)");
    question.suffix = QStringLiteral("mp4");
    question.proposal = title + QStringLiteral(".mp4");
    question.memory = QStringLiteral("exports");
    question.folder = folder;
    askForTarget(parent, question, std::move(answer));
}

} // namespace loquor::ui
