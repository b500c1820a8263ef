#include "core/media/audio_writer.h"
#include "core/media/probe.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QtEndian>

#include <cmath>
#include <csignal>

using namespace loquor;
using namespace loquor::test;

namespace {

// `minutes` of speech with pauses, written piece by piece.
QString longRecording(const CliRunner& cli, double minutes)
{
    AudioBlock piece = CliRunner::jfk();
    piece.samples.resize(piece.samples.size() + 16000 * 4); // 11 s of speech, 4 s of silence
    const QString file = cli.path("long.wav");
    auto writer = media::WavWriter::create(file.toStdString(), 16000, 1, media::WavFormat::Int16,
                                           platform::IfExists::Replace);
    if (!writer)
        return {};
    for (int i = 0; i < static_cast<int>(minutes * 4); ++i) {
        if (!writer->write(piece.samples.data(), piece.frames()))
            return {};
    }
    return writer->finish() ? file : QString();
}

} // namespace

class tst_cli_long : public QObject
{
    Q_OBJECT
    CliRunner m_cli;

    double memoryFor(double minutes)
    {
        const QString audio = longRecording(m_cli, minutes);
        // The address sanitizer would keep up to 256 MB of freed memory in every process.
        const QByteArray options = qgetenv("ASAN_OPTIONS");
        qputenv("ASAN_OPTIONS", options + ":quarantine_size_mb=1");
        const CliResult result = m_cli.run({"render", "-r", CliRunner::media("astronaut.png"), "-a", audio, "-o",
                                            m_cli.path("long.mp4"), "--size", "64x64", "--fps", "5", "--overwrite",
                                            "--report", m_cli.path("long.json")});
        qputenv("ASAN_OPTIONS", options);
        if (result.exitCode != 0)
            qWarning("%s", qPrintable(result.errors));
        return result.exitCode == 0 ? m_cli.json("long.json")["peak_rss_mb"].toDouble() : -1;
    }

private Q_SLOTS:
    // 103, 107, 110: memory does not depend on the length. 14: sound and picture end together.
    void case_014_103_107_110_ten_minutes_in_constant_memory()
    {
        const double shortRun = memoryFor(1);
        QVERIFY(shortRun > 0);
        const double longRun = memoryFor(10);
        QVERIFY(longRun > 0);
        // 5 %; the allocator of a sanitizer remembers where each block came from.
        QVERIFY2(longRun < shortRun * (1 + .05 * slowdown()) + 5, qPrintable(QString("%1 MB, %2 MB").arg(shortRun).arg(longRun)));
        const auto facts = media::probeMedia(m_cli.path("long.mp4").toStdString(), media::ProbeDepth::Packets);
        QVERIFY(facts && facts->video && facts->audio);
        QCOMPARE(facts->video->packets, std::int64_t(3000));
        QVERIFY(std::abs(facts->video->durationSeconds - facts->audio->durationSeconds) < .2);
    }

    // The transcript is followed while the recording is read: the first picture does not wait for the last word.
    void a_long_recording_with_its_text_begins_at_once()
    {
        const QString audio = longRecording(m_cli, 4);
        const QByteArray text = "And so, my fellow Americans: ask not what your country can do for you, ask what you can do "
                                "for your country.\n\n";
        const CliResult result = m_cli.run({"render", "-r", CliRunner::media("astronaut.png"), "-a", audio, "--script",
                                            m_cli.writeText("long.txt", text.repeated(16)), "-o", m_cli.path("text.mp4"),
                                            "--size", "64x64", "--fps", "5", "--timing-out", m_cli.path("text.json"),
                                            "--report", m_cli.path("long.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const QJsonArray words = m_cli.json("text.json")["words"].toArray();
        QCOMPARE(words.size(), 16 * 22);
        for (qsizetype i = 22; i < words.size(); ++i) {
            const double apart = words[i].toObject()["start"].toDouble() - words[i - 22].toObject()["start"].toDouble();
            QVERIFY2(std::abs(apart - 15) < .15, qPrintable(QString("word %1: %2").arg(i).arg(apart)));
        }
        const QJsonObject report = m_cli.json("long.json");
        QVERIFY2(report["first_frame_s"].toDouble() < report["total_s"].toDouble() / 3,
                 qPrintable(QString("%1 of %2").arg(report["first_frame_s"].toDouble()).arg(report["total_s"].toDouble())));
    }

    // Three hours: pictures come at once, whatever the length; Ctrl-C is heard.
    void three_hours_begin_at_once()
    {
        const QString audio = longRecording(m_cli, 1);
        QFile file(audio);
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 bytes = qint64(3) * 3600 * 16000 * 2; // the rest is silence that takes no room on the disk
        QByteArray head = file.read(44);
        QCOMPARE(head.mid(36, 4), QByteArray("data"));
        qToLittleEndian<quint32>(static_cast<quint32>(bytes + 36), head.data() + 4);
        qToLittleEndian<quint32>(static_cast<quint32>(bytes), head.data() + 40);
        QVERIFY(file.seek(0) && file.write(head) == 44 && file.resize(bytes + 44));
        file.close();
        QElapsedTimer timer;
        timer.start();
        auto process = m_cli.start({"render", "-r", CliRunner::media("astronaut.png"), "-a", audio, "-o",
                                    m_cli.path("hours.mp4"), "--size", "64x64", "--fps", "5"});
        QByteArray seen;
        while (!seen.contains(" fps") && timer.elapsed() < 60'000 && process->state() == QProcess::Running) {
            process->waitForReadyRead(100);
            seen += process->readAllStandardError();
        }
        QVERIFY2(seen.contains(" fps"), seen.constData());
        QVERIFY2(seen.contains("/54000 frames"), seen.constData());
        sendSignal(*process, SIGINT);
        QVERIFY(process->waitForFinished(15'000));
        QCOMPARE(process->exitCode(), 130);
        QVERIFY(!QFile::exists(m_cli.path("hours.mp4")));
    }
};

LOQUOR_TEST(tst_cli_long)
#include "tst_cli_long.moc"
