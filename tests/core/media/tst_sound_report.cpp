#include "core/media/sound_report.h"

#include "core/media/audio_writer.h"
#include "core/media/flac_writer.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <cmath>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

namespace {

SoundReport inspect(const AudioBlock& block, SampleIndex piece)
{
    SoundInspector inspector(block.sampleRate, block.channels);
    for (SampleIndex at = 0; at < block.frames(); at += piece)
        inspector.add(block.samples.data() + at * block.channels, std::min(piece, block.frames() - at));
    return inspector.report();
}

} // namespace

class tst_sound_report : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private Q_SLOTS:
    void case_085_silenceHasPlaces()
    {
        AudioBlock block = test::sine(48000, 2, 10);
        const auto hush = [&](double from, double to) {
            std::fill(block.samples.begin() + std::lround(from * 48000) * 2, block.samples.begin() + std::lround(to * 48000) * 2, 0.f);
        };
        hush(0, .5);  // too short to be listed
        hush(4, 5.5); // a pause
        hush(8, 10);  // a second of trailing silence and more
        for (const SampleIndex piece : {1, 777, 480000}) {
            const SoundReport report = inspect(block, piece);
            QCOMPARE(report.frames, SampleIndex(480000));
            QCOMPARE(report.silenceCount, std::int64_t(2));
            QVERIFY(std::abs(report.silences[0].first - 4 * 48000) < 10);
            QVERIFY(std::abs(report.silences[0].frames - 72000) < 20);
            QVERIFY(std::abs(report.leadingSilence - 24000) < 10);
            QVERIFY(std::abs(report.trailingSilence - 96000) < 10);
        }
    }

    void clippingHasPlaces()
    {
        AudioBlock block = test::sine(44100, 1, 4, 200, 1.6f);
        std::fill(block.samples.begin(), block.samples.begin() + 2 * 44100, .01f);
        for (float& s : block.samples)
            s = std::clamp(s, -1.f, 32767.f / 32768);
        const SoundReport report = inspect(block, 1000);
        QVERIFY2(std::abs(report.clippedRuns - 800) <= 2, qPrintable(QString::number(report.clippedRuns)));
        QCOMPARE(report.clipped.size(), std::size_t(1)); // one place
        QVERIFY(std::abs(report.clipped[0].first - 2 * 44100) < 200);
        QVERIFY(report.peak >= .99f);
        // Full scale alone is not clipping, at any rate.
        for (const int rate : {8000, 44100, 192000})
            QCOMPARE(inspect(test::sine(rate, 2, 1, 220, 1.f), 4096).clippedRuns, std::int64_t(0));
    }

    void noiseIsMeasuredBelowTheSpeech()
    {
        AudioBlock block = test::sine(16000, 1, 4, 300, .5f);
        for (std::size_t i = 0; i < block.samples.size(); ++i) {
            if (i % 16000 < 8000) // half of the time nobody speaks
                block.samples[i] = i % 2 == 0 ? .003f : -.003f;
        }
        QVERIFY(std::abs(inspect(block, 333).noiseFloorDb - 20 * std::log10(.003)) < 1);
        const SoundReport silent = inspect({16000, 1, std::vector<float>(16000)}, 100);
        QCOMPARE(silent.noiseFloorDb, SoundReport::kQuietest);
        QCOMPARE(silent.leadingSilence, SampleIndex(16000));
        QCOMPARE(silent.trailingSilence, SampleIndex(16000));
    }

    void filesOfAnyKindAreInspected()
    {
        const fs::path folder = m_dir.path().toStdString();
        const AudioBlock block = test::sine(22050, 6, 1.5);
        auto writer = FlacWriter::create(folder / "a.flac", 22050, 6);
        QVERIFY(writer);
        QVERIFY(writer->write(block.samples.data(), block.frames()));
        QVERIFY(writer->finish());
        const auto report = inspectSound(folder / "a.flac");
        QVERIFY(report);
        QCOMPARE(report->channels, 6);
        QCOMPARE(report->frames, block.frames());
        QCOMPARE(QString::fromStdString(test::ffprobe(folder / "a.flac", "stream=bits_per_raw_sample", "a:0")).trimmed(),
                 QStringLiteral("24"));
        QCOMPARE(QString::fromStdString(test::ffprobe(folder / "a.flac", "stream=duration", "a:0")).trimmed(),
                 QStringLiteral("1.500000"));
        QCOMPARE(inspectSound(folder / "none.flac").error().code(), ErrorCode::NotFound);
    }
};

LOQUOR_TEST(tst_sound_report)
#include "tst_sound_report.moc"
