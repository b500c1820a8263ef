#include "core/base/random.h"
#include "core/portrait/hearing.h"
#include "tests/core/portrait/motion_test_support.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

std::vector<HeardTick> hearAll(const AudioBlock& audio, int ticks)
{
    Hearing ear;
    HearingState state;
    std::vector<HeardTick> out;
    for (int k = 0; k < ticks; ++k)
        out.push_back(ear.hear(audio, 0, k, state));
    return out;
}

bool inSpeech(const made::Speech& speech, double time)
{
    for (const Sound& sound : speech.sounds)
        if (time >= sound.start && time < sound.end)
            return !sound.symbol.empty();
    return false;
}

} // namespace

class tst_hearing : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void findsVoice_data()
    {
        QTest::addColumn<int>("rate");
        QTest::addColumn<double>("gain");
        QTest::addColumn<double>("noise");
        for (const int rate : {8000, 16000, 22050, 44100, 48000, 192000})
            QTest::addRow("%d Hz", rate) << rate << 1.0 << 0.0;
        QTest::newRow("quiet") << 16000 << .02 << 0.0;
        QTest::newRow("loud") << 16000 << 3.0 << 0.0;
        QTest::newRow("noise at 20 dB") << 16000 << 1.0 << .012;
    }
    void findsVoice()
    {
        QFETCH(int, rate);
        QFETCH(double, gain);
        QFETCH(double, noise);
        auto speech = made::makeSpeech(2, 8, 9, rate);
        Random random(4);
        for (float& s : speech.audio.samples)
            s = float(s * gain + noise * random.normal());
        const auto ticks = hearAll(speech.audio, 800);
        int right = 0, total = 0;
        for (int k = 60; k < 800; ++k) {
            const double t = k * .01;
            if (inSpeech(speech, t - .12) != inSpeech(speech, t) || inSpeech(speech, t) != inSpeech(speech, t + .05))
                continue; // edges: the voice is held for a moment
            ++total;
            right += (ticks[std::size_t(k)].voice > .5f) == inSpeech(speech, t);
        }
        QVERIFY2(right > .95 * total, qPrintable(QString("%1 of %2").arg(right).arg(total)));
    }

    void silenceHasNoVoice()
    {
        AudioBlock audio{16000, 1, std::vector<float>(32000, 0.f)};
        for (const HeardTick& tick : hearAll(audio, 200)) {
            QCOMPARE(tick.voice, 0.f);
            QCOMPARE(tick.levelDb, kSilenceDb);
        }
        AudioBlock none;
        QCOMPARE(hearAll(none, 3)[2].voice, 0.f);
    }

    void steadyNoiseIsNoVoice()
    {
        AudioBlock audio{16000, 1, std::vector<float>(160000)};
        Random random(9);
        for (float& s : audio.samples)
            s = float(.02 * random.normal());
        const auto ticks = hearAll(audio, 1000);
        int voiced = 0;
        for (int k = 100; k < 1000; ++k)
            voiced += ticks[std::size_t(k)].voice > .5f;
        QVERIFY2(voiced < 90, qPrintable(QString::number(voiced)));
    }

    // Where the window of a chunk starts changes no value: positions are those of the run.
    void windowsAgree()
    {
        const auto speech = made::makeSpeech(2, 6, 9, 22050);
        Hearing ear;
        HearingState state;
        for (int k = 0; k < 599; ++k) {
            HearingState copy = state;
            const HeardTick whole = ear.hear(speech.audio, 0, k, state);
            const auto begin = std::max(0, int((k * .01 - .3) * 22050));
            AudioBlock part{22050, 1, std::vector<float>(speech.audio.samples.begin() + begin, speech.audio.samples.end())};
            const HeardTick cut = ear.hear(part, begin / 22050.0, k, copy);
            QVERIFY(std::memcmp(&whole, &cut, sizeof whole) == 0);
        }
    }

    void vowelsDiffer()
    {
        const auto mean = [](const char* symbol, float HeardTick::* field) {
            const auto made = made::makeVowel(symbol, 1, 16000);
            const auto ticks = hearAll(made, 80);
            float sum = 0;
            for (int k = 30; k < 70; ++k)
                sum += ticks[std::size_t(k)].*field;
            return sum / 40;
        };
        QVERIFY(mean("a", &HeardTick::open) > mean("i", &HeardTick::open) + .2f);
        QVERIFY(mean("i", &HeardTick::wide) > mean("u", &HeardTick::wide) + .2f);
        QVERIFY(mean("u", &HeardTick::round) > mean("i", &HeardTick::round) + .2f);
        QVERIFY(mean("s", &HeardTick::hiss) > mean("a", &HeardTick::hiss) + .5f);
    }

    void survivesNonsense()
    {
        AudioBlock audio{16000, 2, std::vector<float>(16000, std::numeric_limits<float>::quiet_NaN())};
        audio.samples[100] = std::numeric_limits<float>::infinity();
        for (const HeardTick& tick : hearAll(audio, 60))
            QVERIFY(std::isfinite(tick.levelDb));
    }

    // A microphone with strong lows must not shut every vowel.
    void lowsOfTheRecordingDoNotMatter()
    {
        const AudioBlock plain = made::makeSpeech(5, 14, 9).audio;
        AudioBlock bassy = plain;
        float low = 0;
        for (float& sample : bassy.samples) {
            low += .12f * (sample - low);
            sample = .25f * sample + low;
        }
        const auto meanOpen = [](const AudioBlock& audio) {
            Hearing hearing;
            HearingState state;
            double sum = 0, count = 0;
            for (std::int64_t tick = 0; tick < 1400; ++tick) {
                const HeardTick heard = hearing.hear(audio, 0, tick, state);
                if (tick < 400 || heard.voice == 0)
                    continue;
                sum += heard.open;
                ++count;
            }
            return sum / count;
        };
        const double expected = meanOpen(plain), boosted = meanOpen(bassy);
        QVERIFY2(std::abs(expected - boosted) < .1, qPrintable(QString("%1 %2").arg(expected).arg(boosted)));
        QVERIFY(expected > .3 && expected < .7);
    }
};

LOQUOR_TEST(tst_hearing)
#include "tst_hearing.moc"
