#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

using namespace loquor::test;

class tst_cli_info : public QObject
{
    Q_OBJECT
    CliRunner m_cli;

private Q_SLOTS:
    void version_voices_devices()
    {
        const auto version = QJsonDocument::fromJson(m_cli.run({"version", "--json"}).output.toUtf8()).object();
        QVERIFY(!version["version"].toString().isEmpty());
        QCOMPARE(version["packs"].toArray()[0].toObject()["id"].toString(), QString("portrait"));
        const auto voices = QJsonDocument::fromJson(m_cli.run({"voices", "--json"}).output.toUtf8()).array();
        QVERIFY(voices.size() > 3);
        QVERIFY(voices[0].toObject()["exact_timing"].toBool());
        const auto devices = QJsonDocument::fromJson(m_cli.run({"devices", "--json"}).output.toUtf8()).array();
        QCOMPARE(devices[0].toObject()["kind"].toString(), QString("CPU"));
        QCOMPARE(m_cli.run({"--help"}).exitCode, 0);
        QCOMPARE(m_cli.run({}).exitCode, 2);
        const CliResult unknown = m_cli.run({"dance"});
        QCOMPARE(unknown.exitCode, 2);
        QVERIFY2(unknown.errors.contains("'dance'") && unknown.errors.contains("render"), qPrintable(unknown.errors));
    }

    void check_says_what_files_are()
    {
        const QString photo = CliRunner::media("hopper.jpg");
        const CliResult good = m_cli.run({"check", photo, CliRunner::media("jfk.wav"), "--json"});
        QCOMPARE(good.exitCode, 0);
        const auto list = QJsonDocument::fromJson(good.output.toUtf8()).array();
        QCOMPARE(list.size(), 2);
        const auto image = list[0].toObject();
        QCOMPARE(image["kind"].toString(), QString("image"));
        QCOMPARE(image["width"].toInt(), 512);
        QCOMPARE(image["faces"].toArray().size(), 1);
        QVERIFY(image["faces"].toArray()[0].toObject()["eye_distance_px"].toDouble() > 60);
        QCOMPARE(list[1].toObject()["duration_s"].toDouble(), 11.0);

        const CliResult bad = m_cli.run({"check", CliRunner::media("chelsea.png"), m_cli.path("missing.png"), photo});
        QCOMPARE(bad.exitCode, 8);
        QVERIFY2(bad.output.contains("No face was found"), qPrintable(bad.output));
        QVERIFY2(bad.output.contains("missing.png"), qPrintable(bad.output));
        QVERIFY2(bad.output.contains("hopper.jpg': usable"), qPrintable(bad.output));
    }

    void say_writes_sound_and_times()
    {
        const CliResult result = m_cli.run({"say", "-t", "One two three.", "-o", m_cli.path("say.wav"), "--timing-out",
                                            m_cli.path("say.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(m_cli.json("say.json")["words"].toArray().size(), 3);
        QVERIFY(QFileInfo(m_cli.path("say.wav")).size() > 20'000);
        QCOMPARE(m_cli.run({"say", "-t", "Again.", "-o", m_cli.path("say.wav")}).exitCode, 6);
    }

    void align_finds_the_words()
    {
        const CliResult result = m_cli.run({"align", "-a", CliRunner::media("jfk.wav"), "-t",
                                            "And so my fellow Americans ask not what your country can do for you ask what "
                                            "you can do for your country",
                                            "-o", m_cli.path("align.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(m_cli.json("align.json")["words"].toArray().size(), 22);
        QCOMPARE(m_cli.run({"align", "-a", m_cli.path("none.wav"), "-t", "x", "-o", m_cli.path("y.json")}).exitCode, 3);
    }

    void programs_that_are_missing_are_named()
    {
        const CliResult result = m_cli.run({"bench", "nonsense"});
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains("bench_nonsense"), qPrintable(result.errors));
    }
};

LOQUOR_TEST(tst_cli_info)
#include "tst_cli_info.moc"
