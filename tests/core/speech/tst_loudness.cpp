#include "core/speech/loudness.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace loquor;
using namespace loquor::speech;

namespace {

// Bursts of a tone, loud and soft, like syllables.
AudioBlock bursts(float peak)
{
    AudioBlock a{22050, 1, {}};
    for (int i = 0; i < 22050 * 3; ++i) {
        const double t = i / 22050.0;
        const double syllable = std::pow(std::sin(3.14159 * 4 * t), 2) * (std::fmod(t, 0.5) < 0.25 ? 1 : 0.3);
        a.samples.push_back(peak * static_cast<float>(syllable * std::sin(6.28318 * 2700.3 * t)));
    }
    return a;
}

} // namespace

class tst_loudness : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void quietSoundIsOnlyMultiplied()
    {
        AudioBlock a = bursts(0.1f);
        const AudioBlock before = a;
        applyGainLimited(a, 6.0);
        for (std::size_t i = 0; i < a.samples.size(); ++i)
            QVERIFY(std::abs(a.samples[i] - before.samples[i] * 1.99526f) < 1e-4f);
    }
    void peaksStayUnderTheCeiling()
    {
        AudioBlock a = bursts(0.9f);
        const auto frames = a.frames();
        applyGainLimited(a, 12.0);
        QCOMPARE(a.frames(), frames);
        const auto loudness = measureLoudness(a);
        QVERIFY(loudness.has_value());
        QVERIFY2(loudness->truePeakDb <= kCeilingDbtp, qPrintable(QString::number(loudness->truePeakDb)));
        QVERIFY2(loudness->truePeakDb > kCeilingDbtp - 1.5, qPrintable(QString::number(loudness->truePeakDb)));
    }
    void silenceHasNoLoudness()
    {
        AudioBlock a{16000, 1, std::vector<float>(16000, 0.0f)};
        applyGainLimited(a, 12.0);
        QVERIFY(!measureLoudness(a));
        AudioBlock none{16000, 1, {}};
        applyGainLimited(none, 12.0);
        QVERIFY(!measureLoudness(none));
    }
};

LOQUOR_TEST(tst_loudness)
#include "tst_loudness.moc"
