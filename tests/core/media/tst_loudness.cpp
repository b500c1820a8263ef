#include "core/media/loudness.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace loquor;
using namespace loquor::media;

class tst_loudness : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void knownLevel()
    {
        // EBU Tech 3341: a stereo 1 kHz tone at -23 dBFS is -23 LUFS.
        const AudioBlock tone =
            test::sine(48000, 2, 5.0, 1000, static_cast<float>(std::pow(10, -23 / 20.0)));
        const Loudness loudness = measureLoudness(tone);
        QVERIFY2(std::abs(loudness.integratedLufs + 23) < 0.1,
                 qPrintable(QString::number(loudness.integratedLufs)));
        QVERIFY(std::abs(loudness.truePeakDb + 23) < 0.1);
        // One channel is heard from both speakers: the same.
        const AudioBlock mono =
            test::sine(48000, 1, 5.0, 1000, static_cast<float>(std::pow(10, -23 / 20.0)));
        QVERIFY(std::abs(measureLoudness(mono).integratedLufs + 23) < 0.1);
    }

    void silenceAndNothing()
    {
        QCOMPARE(measureLoudness(AudioBlock{}).integratedLufs, -70.0);
        AudioBlock silence = test::sine(16000, 1, 1.0, 440, 0.0f);
        QCOMPARE(measureLoudness(silence).integratedLufs, -70.0);
        QCOMPARE(measureLoudness(silence).truePeakDb, -200.0);
        const LoudnessChange change = normaliseLoudness(silence, -16);
        QCOMPARE(change.gainDb, 0.0);
        QCOMPARE(test::rms(silence, 0, 16000), 0.0);
    }

    void reachesTheTarget()
    {
        for (const int rate : {16000, 22050, 48000}) {
            AudioBlock quiet = test::sine(rate, 1, 3.0, 300, 0.02f);
            const LoudnessChange change = normaliseLoudness(quiet, -16);
            QVERIFY(std::abs(measureLoudness(quiet).integratedLufs + 16) < 0.1);
            QVERIFY(change.gainDb > 10);
            QCOMPARE(change.limitedDb, 0.0);
        }
    }

    void peaksStayBelowTheCeiling()
    {
        // Quiet sound with short loud bursts: normalising pushes these over full scale.
        AudioBlock block = test::sine(22050, 1, 4.0, 250, 0.05f);
        for (const int at : {11025, 33075, 60000})
            for (int i = 0; i < 220; ++i)
                block.samples[static_cast<std::size_t>(at + i)] =
                    static_cast<float>(0.9 * std::sin(0.9 * i));
        const std::size_t length = block.samples.size();
        const LoudnessChange change = normaliseLoudness(block, -16, -1);
        QVERIFY(change.limitedDb > 1);
        QCOMPARE(block.samples.size(), length);
        const Loudness after = measureLoudness(block);
        QVERIFY2(after.truePeakDb <= -0.9, qPrintable(QString::number(after.truePeakDb)));
        for (const float v : block.samples)
            QVERIFY(std::isfinite(v) && std::abs(v) < 0.95f);
    }

    void whatIsBelowTheCeilingIsNotTouched()
    {
        AudioBlock block = test::sine(16000, 2, 0.5, 700, 0.8f);
        const std::vector<float> before = block.samples;
        limitPeaks(block, -1);
        QVERIFY(block.samples == before);
    }

    void noiseIsNotBlownUp()
    {
        AudioBlock block = test::sine(16000, 1, 2.0, 700, 0.001f);
        QCOMPARE(normaliseLoudness(block, -16, -1, 30).gainDb, 30.0);
    }
};

LOQUOR_TEST(tst_loudness)
#include "tst_loudness.moc"
