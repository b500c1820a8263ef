#include "core/base/time.h"
#include "tests/support/test_main.h"

using namespace loquor;

class tst_time : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void parsesRates_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("num");
        QTest::addColumn<qint64>("den");
        QTest::newRow("integer") << "25" << qint64(25) << qint64(1);
        QTest::newRow("ntsc") << "29.97" << qint64(30000) << qint64(1001);
        QTest::newRow("film") << "23.976" << qint64(24000) << qint64(1001);
        QTest::newRow("fraction") << "60000/1001" << qint64(60000) << qint64(1001);
        QTest::newRow("decimal") << "12.5" << qint64(25) << qint64(2);
    }
    void parsesRates()
    {
        QFETCH(QString, text);
        QFETCH(qint64, num);
        QFETCH(qint64, den);
        const auto rate = Rational::parse(text.toStdString());
        QVERIFY(rate.has_value());
        QCOMPARE(rate->num, num);
        QCOMPARE(rate->den, den);
    }
    void refusesBadRates_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* bad : {"", "x", "25fps", "1/0", "-5", "1.", ".5", "1/2/3", "1.-5", "1e3", "1.+5"})
            QTest::newRow(bad[0] ? bad : "empty") << bad;
    }
    void refusesBadRates()
    {
        QFETCH(QString, text);
        QVERIFY(!Rational::parse(text.toStdString()).has_value());
    }
    // Every sample belongs to exactly one frame, at every pair of rates (case 20: every rate pair).
    void case_020_everySampleHasOneFrame()
    {
        for (const int rate : {8000, 16000, 22050, 44100, 48000, 96000, 192000}) {
            for (const Rational fps : {Rational{24, 1}, Rational{25, 1}, Rational{30000, 1001}, Rational{60000, 1001}, Rational{25, 2}}) {
                for (FrameIndex f = 0; f < 400; ++f) {
                    const SampleIndex first = firstSampleOf(f, rate, fps);
                    QCOMPARE(frameOf(first, rate, fps), f);
                    if (first > 0)
                        QCOMPARE(frameOf(first - 1, rate, fps), f - 1);
                }
            }
        }
    }
    // 90 minutes at 29.97 do not lose a frame (case 19: integer arithmetic has no drift).
    void case_019_noDriftOverHours()
    {
        const Rational fps{30000, 1001};
        const SampleIndex samples = 48000LL * 5400;
        QCOMPARE(framesCovering(samples, 48000, fps), FrameIndex(161839));
        // 30000 frames last exactly 1001 seconds
        QCOMPARE(firstSampleOf(30000 * 5, 48000, fps), SampleIndex(48000LL * 1001 * 5));
        QCOMPARE(framesCovering(48000LL * 1001 * 5, 48000, fps), FrameIndex(150000));
    }
    void coversPartialFrames()
    {
        QCOMPARE(framesCovering(0, 16000, {25, 1}), FrameIndex(0));
        QCOMPARE(framesCovering(1, 16000, {25, 1}), FrameIndex(1));
        QCOMPARE(framesCovering(640, 16000, {25, 1}), FrameIndex(1));
        QCOMPARE(framesCovering(641, 16000, {25, 1}), FrameIndex(2));
    }
    void ordersRates()
    {
        QVERIFY((Rational{30000, 1001} < Rational{30, 1}));
        QVERIFY((Rational{50, 2} <=> Rational{25, 1}) == std::strong_ordering::equal);
    }

    void case_098_timesAreReadToTheMillisecond_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("microseconds"); // -1: none
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* text, qint64 time, const char* shown = "") {
            QTest::newRow(text) << text << time << shown;
        };
        row("0", 0, "0.000 s");
        row("12.5", 12'500'000, "12.500 s");
        row("59.9999", 59'999'900, "59.999 s");
        row("90", 90'000'000, "1:30.000");
        row("1:02.25", 62'250'000, "1:02.250");
        row("1:02:03.456", 3'723'456'000, "1:02:03.456");
        row("100:00:00", 360'000'000'000, "100:00:00.000");
        row("0.1234567", 123'456, "0.123 s");
        for (const char* text : {"", "-1", "+1", "1,5", "1.", ".5", ":30", "1:", "1:60", "1:2:60", "1:2:3:4", "ten", "1e3", "1 s", "5s",
                                 "1.-5", "1..5", "99999999999999999999", "0x10", "inf", "nan"})
            row(text, -1);
    }
    void case_098_timesAreReadToTheMillisecond()
    {
        QFETCH(QString, text);
        QFETCH(qint64, microseconds);
        QFETCH(QString, shown);
        const auto time = clockTimeFrom(text.toStdString());
        QCOMPARE(time ? static_cast<qint64>(time->count()) : -1, microseconds);
        if (time)
            QCOMPARE(QString::fromStdString(clockText(*time)), shown);
    }
};

LOQUOR_TEST(tst_time)
#include "tst_time.moc"
