#include "app/studio/early_answers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include <QCommandLineParser>
#include <QCoreApplication>

namespace loquor::studio {

namespace {

// Qt ends with an abort where it finds no display; its reason goes with ours.
void onQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    if (type != QtFatalMsg) {
        const bool isAboutDisplays = context.category && std::string_view(context.category).starts_with("qt.qpa");
        if (type != QtDebugMsg && type != QtInfoMsg && !isAboutDisplays)
            std::fprintf(stderr, "%s\n", qPrintable(text));
        return;
    }
    const char* display = std::getenv("DISPLAY");
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    const bool none = (!display || !*display) && (!wayland || !*wayland);
    std::fprintf(stderr,
                 "loquor: the studio cannot be shown: %s. Start it in a desktop session (or with DISPLAY set to one). "
                 "Without a display, loquor-cli makes the same videos: loquor-cli --help\n",
                 none ? "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
                      : "the display does not answer");
    std::fflush(stderr);
    ::_exit(EXIT_FAILURE);
}

} // namespace

bool asksOnlyForWords(int argc, char** argv)
{
    constexpr std::string_view kWords[] = {"-h", "--help", "--help-all", "-v", "--version"};
    return std::any_of(argv + std::min(argc, 1), argv + argc, [&](const char* argument) {
        return std::find(std::begin(kWords), std::end(kWords), std::string_view(argument)) != std::end(kWords);
    });
}

void explainMissingDisplay()
{
    qInstallMessageHandler(onQtMessage);
}

void keepQtMessages()
{
    qInstallMessageHandler(nullptr);
}

void addOptions(QCommandLineParser& options)
{
    options.setApplicationDescription(QCoreApplication::translate("main", "Studio for talking-avatar video"));
    options.addHelpOption();
    options.addVersionOption();
    options.addPositionalArgument(QStringLiteral("files"),
                                  QCoreApplication::translate("main", "Project, photo, clip, sound or text to open"),
                                  QStringLiteral("[files...]"));
}

} // namespace loquor::studio
