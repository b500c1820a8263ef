#include "core/media/probe.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>

#include <csignal>

using namespace loquor;
using namespace loquor::test;

class tst_cli_interrupt : public QObject
{
    Q_OBJECT
    CliRunner m_cli;
    QString m_photo = CliRunner::media("astronaut.png");

    // A run that is long enough to be met in the middle, past its first frames.
    std::unique_ptr<QProcess> startLong(const QStringList& speech = {})
    {
        QStringList arguments{"render", "-r", m_photo, "-o", m_cli.path("out.mp4"), "--size", "640x360", "--overwrite"};
        arguments += speech.isEmpty() ? QStringList{"-a", CliRunner::media("two_cities.wav")} : speech;
        auto process = m_cli.start(arguments);
        QByteArray seen;
        QElapsedTimer timer;
        timer.start();
        while (!seen.contains(" fps") && timer.elapsed() < 60'000 && process->state() == QProcess::Running) {
            process->waitForReadyRead(200);
            seen += process->readAllStandardError();
        }
        return seen.contains(" fps") ? std::move(process) : nullptr;
    }
    void expectNothingLeft()
    {
        QVERIFY(!QFile::exists(m_cli.path("out.mp4")));
        for (const QString& left : m_cli.leftovers({}))
            QVERIFY2(!left.contains(".part"), qPrintable(left));
    }

private Q_SLOTS:
    // 115, 170: a cancel acts within a second or so, and leaves nothing.
    void case_115_170_ctrl_c_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("terminate") << SIGTERM;
    }
    void case_115_170_ctrl_c()
    {
        QFETCH(int, signal);
        auto process = startLong();
        QVERIFY(process);
        QElapsedTimer timer;
        timer.start();
        sendSignal(*process, signal);
        QVERIFY(process->waitForFinished(10'000));
        QVERIFY2(static_cast<double>(timer.elapsed()) < 3000 * slowdown(), qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), 130);
        expectNothingLeft();
    }

    void ctrl_c_before_anything_happened()
    {
        auto process = m_cli.start({"render", "-r", m_photo, "-t", "Hello.", "-o", m_cli.path("out.mp4")});
        while (process->readAllStandardError().isEmpty() && process->state() == QProcess::Running)
            process->waitForReadyRead(100);
        sendSignal(*process, SIGINT);
        QVERIFY(process->waitForFinished(10'000));
        QCOMPARE(process->exitCode(), 130);
        expectNothingLeft();
    }

    // 161: stopped at any time, the name holds a whole video or nothing.
    void case_161_stopped_at_any_time_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("milliseconds");
        for (const int time : {0, 60, 250, 500, 800, 1100, 1500, 2000, 3000}) {
            QTest::addRow("Ctrl-C at %d", time) << SIGINT << time;
            QTest::addRow("kill -9 at %d", time) << SIGKILL << time;
        }
    }
    void case_161_stopped_at_any_time()
    {
        QFETCH(int, signal);
        QFETCH(int, milliseconds);
        const QString video = m_cli.path("out.mp4");
        auto process = m_cli.start(m_cli.renderArguments(m_photo, CliRunner::media("jfk.wav"), video));
        const auto pid = static_cast<pid_t>(process->processId());
        QVERIFY(pid > 0);
        if (!process->waitForFinished(milliseconds)) // a fast machine may have finished
            ::kill(pid, signal);
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(10'000));
        if (process->exitStatus() == QProcess::NormalExit)
            QCOMPARE(process->exitCode(), QFile::exists(video) ? 0 : 130);
        if (QFile::exists(video)) {
            const auto facts = media::probeMedia(video.toStdString(), media::ProbeDepth::Decode);
            QVERIFY(facts && facts->video);
            QCOMPARE(facts->video->decodedFrames, std::int64_t(275));
            QVERIFY(QFile::remove(video));
        }
        if (signal == SIGINT)
            expectNothingLeft();
    }

    // A book of a script starts as fast as a sentence, and can be stopped.
    void fifty_thousand_words_stream()
    {
        const QByteArray sentence = "The quick brown fox jumps over the lazy dog again and again. ";
        const QString script = m_cli.writeText("book.txt", sentence.repeated(4200));
        auto process = startLong({"--script", script});
        QVERIFY(process);
        sendSignal(*process, SIGINT);
        QVERIFY(process->waitForFinished(15'000));
        QCOMPARE(process->exitCode(), 130);
        expectNothingLeft();
    }

    // 161: after kill -9 there is no file with the final name, and no process that goes on.
    void case_161_kill_9_of_the_program()
    {
        auto process = startLong();
        QVERIFY(process);
        const QList<int> ranks = processesBelow(process->processId(), "loquor-rank");
        QCOMPARE(ranks.size(), 1);
        process->kill();
        QVERIFY(process->waitForFinished(5000));
        QTRY_VERIFY_WITH_TIMEOUT(::kill(ranks[0], 0) != 0, 8000);
        QVERIFY(!QFile::exists(m_cli.path("out.mp4")));
        // The next run for the same file cleans up and works.
        const CliResult again = m_cli.run(m_cli.renderArguments(m_photo, m_cli.speech(.4), m_cli.path("out.mp4")));
        QVERIFY2(again.exitCode == 0, qPrintable(again.errors));
        for (const QString& left : m_cli.leftovers({}))
            QVERIFY2(!left.contains(".part"), qPrintable(left));
        QVERIFY(QFile::remove(m_cli.path("out.mp4")));
    }

    // 119: the worker dies; it is restarted and the job goes on.
    void case_119_kill_9_of_the_engine_process()
    {
        auto process = startLong(); // long enough to be caught in the middle on any machine
        QVERIFY(process);
        const QList<int> ranks = processesBelow(process->processId(), "loquor-rank");
        QCOMPARE(ranks.size(), 1);
        ::kill(ranks[0], SIGKILL);
        QVERIFY(process->waitForFinished(120'000));
        const QString errors = QString::fromUtf8(process->readAllStandardError());
        QVERIFY2(process->exitCode() == 0, qPrintable(errors));
        QVERIFY2(errors.contains("SIGKILL"), qPrintable(errors));
        QVERIFY(QFile::exists(m_cli.path("out.mp4")));
        QVERIFY(QFile::remove(m_cli.path("out.mp4")));
    }
};

LOQUOR_TEST(tst_cli_interrupt)
#include "tst_cli_interrupt.moc"
