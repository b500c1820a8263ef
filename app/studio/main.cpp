// The desktop program: makes the engine's facade, the sound and the window, and lets them go.
#include <cstdlib>

#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QMessageBox>

#include "app/studio/translations.h"
#include "core/audio/audio_backend.h"
#include "core/base/log.h"
#include "core/platform/paths.h"
#include "core/session/session.h"
#include "ui/main/main_window.h"
#include "ui/settings/preferences.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

int main(int argc, char** argv)
{
    using namespace loquor;
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("loquor"));
    QApplication::setApplicationName(QStringLiteral("loquor"));
    QApplication::setApplicationDisplayName(QStringLiteral("Loquor"));
    QApplication::setApplicationVersion(QStringLiteral(LOQUOR_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("org.loquor.Loquor"));
    studio::installTranslations(application, ui::Preferences::load().language);

    QCommandLineParser options;
    options.setApplicationDescription(
        QCoreApplication::translate("main", "Studio for talking-avatar video"));
    options.addHelpOption();
    options.addVersionOption();
    options.addPositionalArgument(
        QStringLiteral("files"),
        QCoreApplication::translate("main", "Project, photo, clip, sound or text to open"),
        QStringLiteral("[files...]"));
    options.process(application);

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
    ui::MainWindow window({**session, *sound, *silence, dataFolder}, theme);
    window.show();
    window.importFiles(options.positionalArguments());
    return QApplication::exec();
}
