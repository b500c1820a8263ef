// The desktop program: makes the engine's facade, the sound and the window, and lets them go.
#include <cstdlib>

#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QMessageBox>

#include "app/studio/early_answers.h"
#include "app/studio/translations.h"
#include "core/audio/audio_backend.h"
#include "core/base/log.h"
#include "core/platform/paths.h"
#include "core/session/session.h"
#include "ui/main/main_window.h"
#include "ui/settings/preferences.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace {

void nameProgram()
{
    QCoreApplication::setOrganizationName(QStringLiteral("loquor"));
    QCoreApplication::setApplicationName(QStringLiteral("loquor"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LOQUOR_VERSION));
}

void readOptions(QCommandLineParser& options, QCoreApplication& application)
{
    loquor::studio::installTranslations(application, loquor::ui::Preferences::load().language);
    loquor::studio::addOptions(options);
    options.process(application);
}

} // namespace

int main(int argc, char** argv)
{
    using namespace loquor;
    nameProgram();
    QCommandLineParser options;
    if (studio::asksOnlyForWords(argc, argv)) {
        QCoreApplication words(argc, argv);
        readOptions(options, words); // ends the program
        return EXIT_SUCCESS;
    }
    studio::explainMissingDisplay();
    QApplication application(argc, argv);
    studio::keepQtMessages();
    QApplication::setApplicationDisplayName(QStringLiteral("Loquor"));
    QApplication::setDesktopFileName(QStringLiteral("org.loquor.Loquor"));
    readOptions(options, application);

    ui::Theme theme;
    theme.setMode(ui::Preferences::load().theme);
    QApplication::setWindowIcon(ui::icon(QStringLiteral("loquor")));
    auto session = session::createSession();
    if (!session) {
        log(LogLevel::Error, "studio", session.error().text());
        QMessageBox::critical(nullptr, QStringLiteral("Loquor"),
                              QString::fromStdString(session.error().message()));
        return EXIT_FAILURE;
    }
    const auto sound = audio::createPortAudioBackend();
    const auto silence = audio::createClockBackend();
    // Destroyed before what it uses: the window, then the sound, then the engine.
    const QString dataFolder =
        QFile::decodeName(QByteArray::fromStdString(platform::dataFolder().string()));
    const QString configFolder = QFile::decodeName(QByteArray::fromStdString(platform::configFolder().string()));
    ui::MainWindow window({**session, *sound, *silence, dataFolder, configFolder}, theme);
    window.show();
    window.importFiles(options.positionalArguments());
    return QApplication::exec();
}
