#include "core/media/probe.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <unistd.h>

using namespace loquor;
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
        expectRefusal("/proc/out.mp4", 6, "/proc"); // the kernel says "no such file", but the folder is there
        expectRefusal(m_cli.writeText("plain", "x") + "/out.mp4", 3, "plain");
        QDir(m_cli.path("")).mkdir("folder.mp4");
        expectRefusal(m_cli.path("folder.mp4"), 2, "folder");
        expectRefusal("/sys/out.mp4", 6, "/sys"); // a folder nobody can write to, not even root
        expectRefusal("/dev/full", 2, "/dev/full");
        if (::geteuid() != 0) { // nothing else is read-only for root
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

    // 155 for every other input and every other command.
    void case_155_no_command_destroys_what_it_reads()
    {
        const QString script = m_cli.writeText("talk.txt", "Hello there.");
        const QString sound = m_cli.speech(.4, "sound.wav"), out = m_cli.path("made.mp4");
        const QString picture = m_cli.path("picture.png");
        QVERIFY(QFile::copy(m_photo, picture));
        QVERIFY(QFile::link(script, m_cli.path("talk.link")));
        const QStringList photo{"render", "--overwrite", "--size", "192x108", "-r", m_photo};
        const QStringList text = photo + QStringList{"--script", script}, audio = photo + QStringList{"-a", sound};
        const QList<QStringList> commands{
            text + QStringList{"-o", script},
            text + QStringList{"-o", m_cli.path("talk.link")},
            text + QStringList{"-o", out, "--timing-out", script},
            text + QStringList{"-o", out, "--report", m_cli.path("talk.link")},
            audio + QStringList{"-o", sound},
            audio + QStringList{"-o", out, "--background", picture, "--report", picture},
            audio + QStringList{"-o", out, "--report", out},
            audio + QStringList{"-o", out, "--report", m_cli.path("r.json"), "--timing-out", m_cli.path("r.json")},
            {"say", "--overwrite", "--script", script, "-o", script},
            {"say", "--overwrite", "--script", script, "-o", m_cli.path("s.wav"), "--timing-out", script},
            {"say", "--overwrite", "-t", "Hi.", "-o", m_cli.path("s.wav"), "--timing-out", m_cli.path("s.wav")},
            {"align", "--overwrite", "-a", sound, "-t", "and so", "-o", sound},
            {"align", "--overwrite", "-a", sound, "--script", script, "-o", script},
            {"evaluate", sound, "--plot", sound},
        };
        for (const QStringList& command : commands) {
            const CliResult result = m_cli.run(command);
            QVERIFY2(result.exitCode == 2, qPrintable(command.join(' ') + "\n" + result.errors));
            QVERIFY2(!result.errors.isEmpty(), qPrintable(command.join(' ')));
        }
        QCOMPARE(m_cli.leftovers({"talk.txt", "talk.link", "sound.wav", "picture.png", "mine.png", "link.mp4", "plain",
                                  "folder.mp4", "locked", "speech.wav"}),
                 QStringList());
        QCOMPARE(QFileInfo(script).size(), qint64(12));
        QVERIFY(media::probeMedia(sound.toStdString(), media::ProbeDepth::Headers));
        QCOMPARE(QFileInfo(picture).size(), QFileInfo(m_photo).size());
    }

    // The video is an MP4, a report JSON: no other name is written, whatever the command.
    void a_name_that_promises_another_format_is_refused()
    {
        const QString sound = m_cli.speech(.4, "sound.wav");
        const QStringList video{"render", "-r", m_photo, "-t", "Hi.", "--size", "192x108"};
        const QStringList good = video + QStringList{"-o", m_cli.path("a.mp4")};
        const QList<QStringList> commands{
            video + QStringList{"-o", m_cli.path("a.avi")},
            video + QStringList{"-o", m_cli.path("a.mov")},
            video + QStringList{"-o", m_cli.path("a.mkv")},
            video + QStringList{"-o", m_cli.path("a")},
            good + QStringList{"--report", m_cli.path("r.mp4")},
            good + QStringList{"--timing-out", m_cli.path("t.wav")},
            good + QStringList{"--trace", m_cli.path("t.jpg")},
            {"say", "-t", "Hi.", "-o", m_cli.path("a.ogg")},
            {"say", "-t", "Hi.", "-o", m_cli.path("a.wav"), "--timing-out", m_cli.path("t.wav")},
            {"align", "-a", sound, "-t", "and so", "-o", m_cli.path("t.mp4")},
            {"project", "new", m_cli.path("p.mp4"), "-r", m_photo},
            {"project", "new", m_cli.path("p"), "-r", m_photo},
            {"project", "from-video", sound, "-o", m_cli.path("p.png")},
        };
        for (const QStringList& command : commands) {
            const CliResult result = m_cli.run(command);
            QVERIFY2(result.exitCode == 2, qPrintable(command.join(' ') + "\n" + result.errors));
            QVERIFY2(result.errors.contains("Call it '"), qPrintable(command.join(' ') + "\n" + result.errors));
        }
        for (const char* name : {"a.mp4", "a.avi", "a", "r.mp4", "a.ogg", "a.wav", "t.mp4", "p.mp4", "p", "p.png"})
            QVERIFY2(!QFile::exists(m_cli.path(QString::fromLatin1(name))), name);
        QVERIFY(QFile::remove(sound));
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

    // 160: a disk that fills up while the video is written.
    void case_160_a_full_disk()
    {
        QVERIFY(QDir(m_cli.path("")).mkdir("disk"));
        const QString disk = m_cli.path("disk");
        const CliResult result = m_cli.runOnSmallDisk({"render", "-r", m_photo, "-a", m_cli.speech(8, "long.wav"), "-o",
                                                       disk + "/full.mp4", "--size", "640x360", "--timing-out",
                                                       disk + "/full.json"},
                                                      disk, 128);
        QVERIFY2(result.exitCode == 6, qPrintable(QString::number(result.exitCode) + ": " + result.errors));
        QVERIFY2(result.errors.contains("full") || result.errors.contains("too large"), qPrintable(result.errors));
        QCOMPARE(result.output, QString("files left: \n"));
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
