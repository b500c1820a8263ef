#include <QProcess>

#include "tests/support/folders.h"
#include "tests/support/test_main.h"

// The studio as it is started: what needs no display works without one, and what does says so.
class tst_start : public QObject
{
    Q_OBJECT

    struct Ended
    {
        int exitCode = -1;
        QString output, errors;
    };
    static Ended run(const QStringList& arguments, const QString& display = {})
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        if (!display.isEmpty())
            environment.insert(QStringLiteral("DISPLAY"), display);
        environment.insert(QStringLiteral("LANGUAGE"), QStringLiteral("en"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QString::fromUtf8(LOQUOR_BIN_DIR) + QStringLiteral("/loquor"), arguments);
        Ended out;
        if (!process.waitForFinished(30'000)) {
            process.kill();
            process.waitForFinished(5000);
            return out;
        }
        if (process.exitStatus() == QProcess::NormalExit) // an abort is none
            out.exitCode = process.exitCode();
        out.output = QString::fromUtf8(process.readAllStandardOutput());
        out.errors = QString::fromUtf8(process.readAllStandardError());
        return out;
    }

private Q_SLOTS:
    void helpAndVersionNeedNoDisplay()
    {
        for (const QStringList& arguments : {QStringList{"--help"}, QStringList{"-h"}, QStringList{"a.loquor", "--help"}}) {
            const Ended help = run(arguments);
            QVERIFY2(help.exitCode == 0, qPrintable(help.errors));
            QVERIFY2(help.output.contains("Usage:") && help.output.contains("[files...]"), qPrintable(help.output));
        }
        const Ended version = run({"--version"});
        QVERIFY2(version.exitCode == 0, qPrintable(version.errors));
        QVERIFY2(version.output.startsWith("loquor ") && version.output.contains('.'), qPrintable(version.output));
    }

    void withoutADisplayItSaysSo()
    {
        const Ended none = run({});
        QVERIFY2(none.exitCode == 1, qPrintable(none.errors));
        QVERIFY2(none.errors.contains("there is no display") && none.errors.contains("loquor-cli"), qPrintable(none.errors));
        QVERIFY2(!none.errors.contains("qt.qpa") && !none.errors.contains("plugin"), qPrintable(none.errors));
        const Ended deaf = run({"a.loquor"}, ":9876");
        QVERIFY2(deaf.exitCode == 1, qPrintable(deaf.errors));
        QVERIFY2(deaf.errors.contains("does not answer"), qPrintable(deaf.errors));
    }
};

LOQUOR_TEST(tst_start)
#include "tst_start.moc"
