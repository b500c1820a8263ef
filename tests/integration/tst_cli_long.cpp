#include "core/media/audio_writer.h"
#include "core/media/probe.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <cmath>

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
        const CliResult result = m_cli.run({"render", "-r", CliRunner::media("astronaut.png"), "-a", audio, "-o",
                                            m_cli.path("long.mp4"), "--size", "64x64", "--fps", "5", "--overwrite",
                                            "--report", m_cli.path("long.json")});
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
        QVERIFY2(longRun < shortRun * 1.05 + 5, qPrintable(QString("%1 MB, %2 MB").arg(shortRun).arg(longRun)));
        const auto facts = media::probeMedia(m_cli.path("long.mp4").toStdString(), media::ProbeDepth::Packets);
        QVERIFY(facts && facts->video && facts->audio);
        QCOMPARE(facts->video->packets, std::int64_t(3000));
        QVERIFY(std::abs(facts->video->durationSeconds - facts->audio->durationSeconds) < .2);
    }
};

LOQUOR_TEST(tst_cli_long)
#include "tst_cli_long.moc"
