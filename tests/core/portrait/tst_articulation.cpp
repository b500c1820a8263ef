#include "core/base/random.h"
#include "core/portrait/articulation.h"
#include "tests/core/portrait/motion_test_support.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

class tst_articulation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Lips meet on every p, b, m in at least one frame of the sound, at any speed and frame rate.
    void closuresAreReached_data()
    {
        QTest::addColumn<double>("phonesPerSecond");
        QTest::addColumn<QString>("fps");
        for (const double rate : {6.0, 10.0, 14.0, 20.0})
            for (const char* fps : {"15", "24", "25", "29.97", "30", "50", "60"})
                QTest::addRow("%g/s at %s", rate, fps) << rate << fps;
    }
    void closuresAreReached()
    {
        QFETCH(double, phonesPerSecond);
        QFETCH(QString, fps);
        const Rational rate = *Rational::parse(fps.toStdString());
        const auto speech = made::makeSpeech(7, 20, phonesPerSecond, 0);
        const Articulation mouth(speech.sounds, 1 / rate.toDouble());
        int sounds = 0;
        for (const Sound& sound : speech.sounds) {
            if (sound.symbol != "p" && sound.symbol != "b" && sound.symbol != "m")
                continue;
            ++sounds;
            float closed = 0;
            const auto first = static_cast<FrameIndex>(std::floor((sound.start - .01) * rate.toDouble()));
            for (FrameIndex i = first; secondsOf(i, rate) < sound.end + 1 / rate.toDouble(); ++i)
                closed = std::max(closed, mouth.at(secondsOf(i, rate)).close);
            QVERIFY2(closed >= .999f, qPrintable(QString("at %1 s closed only %2").arg(sound.start).arg(double(closed))));
        }
        QVERIFY(sounds > 10);
    }

    // Cases 82 and 83: no jitter and no open mouth where nobody speaks.
    void case_082_083_closesInPauses()
    {
        const std::vector<Sound> sounds{{"a", 0, .4}, {"", .4, 1.4}, {"ɔː", 1.4, 1.8}};
        const Articulation mouth(sounds, .04);
        for (double t = .56; t < 1.26; t += .01) {
            const MouthShape shape = mouth.at(t);
            QVERIFY2(shape.close > .99f, qPrintable(QString("open at %1 s").arg(t)));
            QVERIFY(shape.press > .29f); // so that no photo's lips read as parted
            QVERIFY(shape.jaw < .02f || t > 1.15); // the jaw may get ready behind closed lips
        }
        QVERIFY(mouth.at(.2).jaw > .6f && mouth.at(.2).close < .01f);
        QVERIFY(!mouth.isSpeech(.9) && mouth.isSpeech(.2));
    }

    void shortGapsStayOpen()
    {
        const std::vector<Sound> sounds{{"a", 0, .4}, {"", .4, .46}, {"a", .46, .9}};
        const Articulation mouth(sounds, .04);
        QVERIFY(mouth.at(.43).close < .01f);
        QVERIFY(mouth.isSpeech(.43));
    }

    // The same times, whatever is around the neighbourhood: a window may be cut anywhere .6 s away.
    void dependsOnNeighboursOnly()
    {
        const auto speech = made::makeSpeech(3, 30, 9, 0);
        const Articulation whole(speech.sounds, .04);
        for (double t = 1; t < 29; t += .37) {
            std::vector<Sound> near;
            for (const Sound& sound : speech.sounds)
                if (sound.end > t - .56 && sound.start < t + .56)
                    near.push_back(sound);
            const Articulation part(near, .04);
            const MouthShape a = whole.at(t), b = part.at(t);
            QVERIFY(std::memcmp(&a, &b, sizeof a) == 0);
            QCOMPARE(part.coverage(t), whole.coverage(t));
            QCOMPARE(part.isSpeech(t), whole.isSpeech(t));
        }
    }

    void orderDoesNotMatter()
    {
        auto speech = made::makeSpeech(5, 10, 9, 0);
        const Articulation sorted(speech.sounds, .04);
        Random random(1);
        for (std::size_t i = speech.sounds.size() - 1; i > 0; --i)
            std::swap(speech.sounds[i], speech.sounds[static_cast<std::size_t>(random.uniform() * double(i))]);
        const Articulation shuffled(speech.sounds, .04);
        for (double t = 0; t < 10; t += .04)
            QCOMPARE(shuffled.at(t).jaw, sorted.at(t).jaw);
    }

    void survivesNonsense()
    {
        const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
        // clang-format off
        const std::vector<Sound> sounds{{"a", 1, .5}, {"b", nan, 1}, {"m", 0, inf}, {"a", .2, .8}, {"a", .3, .6}, {"ʃ", .7, 1.2},
                                        {"(en)", 1.2, 1.3}, {"x", 1.3, 1.3}, {"e", -1, .1}};
        // clang-format on
        const Articulation mouth(sounds, .04);
        for (double t = -2; t < 3; t += .01) {
            const MouthShape s = mouth.at(t);
            for (const float v : {s.jaw, s.pucker, s.funnel, s.stretch, s.upperRaise, s.lowerDepress, s.tongueHeight, s.tongueTip, s.close, s.press, s.tuck})
                QVERIFY(v >= 0 && v <= 1);
        }
        QVERIFY(mouth.at(.5).jaw > .5f);
        const Articulation nothing({}, .04);
        QCOMPARE(nothing.at(1).jaw, 0.f);
        QCOMPARE(nothing.coverage(1), 0.f);
    }

    void roundingIsAnticipated()
    {
        const std::vector<Sound> sounds{{"", 0, .5}, {"s", .5, .62}, {"t", .62, .70}, {"uː", .70, .95}, {"", .95, 1.5}};
        const Articulation mouth(sounds, .04);
        QVERIFY(mouth.at(.60).pucker > .2f);
        QVERIFY(mouth.at(.85).pucker > mouth.at(.60).pucker);
    }
};

LOQUOR_TEST(tst_articulation)
#include "tst_articulation.moc"
