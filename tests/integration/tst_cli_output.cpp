#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <unistd.h>

using namespace loquor::test;

class tst_cli_output : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png");

    void expectRefusal(const QString& output, int exitCode, const QString& words, const QStringList& more = {})
    {
        const CliResult result = m_cli.run(m_cli.renderArguments(m_photo, m_cli.speech(.4), output) + more);
        QVERIFY2(result.exitCode == exitCode, qPrintable(QString::number(result.exitCode) + ": " + result.errors));
        QVERIFY2(result.errors.contains(words), qPrintable(result.errors));
    }

private Q_SLOTS:
    void folders_that_cannot_take_it()
    {
        expectRefusal(m_cli.path("nowhere/out.mp4"), 3, "nowhere");
        expectRefusal("/proc/out.mp4", 3, "/proc"); // the kernel says "no such file"
        expectRefusal(m_cli.writeText("plain", "x") + "/out.mp4", 3, "plain");
        QDir(m_cli.path("")).mkdir("folder.mp4");
        expectRefusal(m_cli.path("folder.mp4"), 2, "folder");
        if (::geteuid() != 0) { // nothing is read-only for root
            QDir(m_cli.path("")).mkdir("locked");
            QFile(m_cli.path("locked")).setPermissions(QFile::ReadOwner | QFile::ExeOwner);
            expectRefusal(m_cli.path("locked/out.mp4"), 6, "locked");
        }
    }

    // 155: exporting onto the source destroyed it.
    void case_155_an_input_is_never_overwritten()
    {
        const QString photo = m_cli.path("mine.png");
        QVERIFY(QFile::copy(m_photo, photo));
        const qint64 size = QFileInfo(photo).size();
        QVERIFY(QFile::link(photo, m_cli.path("link.mp4")));
        for (const QString& output : {photo, m_cli.path("link.mp4")}) {
            const CliResult result = m_cli.run(m_cli.renderArguments(photo, m_cli.speech(.4), output) +
                                               QStringList{"--overwrite"});
            QCOMPARE(result.exitCode, 2);
            QCOMPARE(QFileInfo(photo).size(), size);
        }
        const CliResult report = m_cli.run(m_cli.renderArguments(photo, m_cli.speech(.4), m_cli.path("o.mp4")) +
                                           QStringList{"--report", photo});
        QCOMPARE(report.exitCode, 2);
        const CliResult timing = m_cli.run(m_cli.renderArguments(photo, m_cli.speech(.4), m_cli.path("o.mp4")) +
                                           QStringList{"--timing-out", photo, "--overwrite"});
        QCOMPARE(timing.exitCode, 2);
        QCOMPARE(QFileInfo(photo).size(), size);
        QVERIFY(!QFile::exists(m_cli.path("o.mp4")));
    }

    void an_existing_file_needs_permission_to_go()
    {
        const QString out = m_cli.writeText("there.mp4", "precious");
        expectRefusal(out, 6, "--overwrite");
        QCOMPARE(QFileInfo(out).size(), qint64(8));
        const CliResult result = m_cli.run(m_cli.renderArguments(m_photo, m_cli.speech(.4), out) +
                                           QStringList{"--overwrite"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY(QFileInfo(out).size() > 1000);
    }

    // 160, 164: a full disk is said in words, and nothing half-written stays.
    void case_160_164_no_room_for_the_file()
    {
        const QString audio = m_cli.speech(8, "long.wav");
        const CliResult result = m_cli.runWithFileLimit(
            {"render", "-r", m_photo, "-a", audio, "-o", m_cli.path("full.mp4"), "--size", "640x360"}, 60);
        QVERIFY2(result.exitCode == 6, qPrintable(QString::number(result.exitCode) + ": " + result.errors));
        QVERIFY2(result.errors.contains("too large") || result.errors.contains("full") ||
                     result.errors.contains("space"),
                 qPrintable(result.errors));
        QVERIFY(!QFile::exists(m_cli.path("full.mp4")));
        for (const QString& left : m_cli.leftovers({}))
            QVERIFY2(!left.contains(".part"), qPrintable(left));
    }
};

LOQUOR_TEST(tst_cli_output)
#include "tst_cli_output.moc"
