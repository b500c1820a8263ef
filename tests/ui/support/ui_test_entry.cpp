// main() of test programs with windows: offscreen, with settings and data in a folder of their own.
#include <QApplication>
#include <QLoggingCategory>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTranslator>

#include "tests/support/test_main.h"

int main(int argc, char** argv)
{
    QTemporaryDir home;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toLocal8Bit());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("share")).toLocal8Bit());
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent"); // the tester's desktop stays out
    QLoggingCategory::setFilterRules(QStringLiteral("qt.qpa.*=false"));
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("loquor-test"));
    QApplication::setApplicationName(QStringLiteral("loquor-test"));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QTranslator english;
    if (english.load(QStringLiteral(":/translations/loquor_en")))
        QApplication::installTranslator(&english);
    return loquor::test::runRegistered(argc, argv);
}
