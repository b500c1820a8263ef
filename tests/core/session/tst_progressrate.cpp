#include "core/session/progress_rate.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace loquor;
using namespace loquor::session;
using namespace std::chrono_literals;

class tst_progressrate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nothing_is_said_before_something_is_known()
    {
        ProgressRate rate;
        const auto start = ProgressRate::Clock::time_point(1h);
        rate.update(start, 0, 100);
        QCOMPARE(rate.secondsLeft(), -1.0);
        rate.update(start + 500ms, 10, 100);
        QCOMPARE(rate.secondsLeft(), -1.0); // too early
        rate.update(start + 2s, 40, 0);
        QVERIFY(std::abs(rate.framesPerSecond() - 20) < 3);
        QCOMPARE(rate.secondsLeft(), -1.0); // of what total?
    }

    // Chunks of 2.6 s arrive at once, lines turn out longer and shorter than was estimated.
    void the_time_left_does_not_jump()
    {
        ProgressRate rate;
        const auto start = ProgressRate::Clock::time_point(1h);
        double before = -1, worst = 0;
        std::int64_t done = 0, total = 3000;
        for (int tick = 0; tick < 600; ++tick) { // 60 s
            if (tick % 13 == 0)
                done += 65; // 50 frames a second
            if (tick == 150)
                total = 3300;
            if (tick == 300)
                total = 2900;
            rate.update(start + tick * 100ms, done, total);
            const double left = rate.secondsLeft();
            if (before >= 0 && done < total)
                worst = std::max(worst, std::abs(left - (before - .1)));
            before = left;
            if (tick > 100 && done < total) {
                const double truth = static_cast<double>(total - 50.0 * tick / 10) / 50;
                QVERIFY2(std::abs(left - truth) < .15 * truth + 3.5,
                         qPrintable(QString("%1 s: %2, really %3").arg(tick / 10.0).arg(left).arg(truth)));
            }
        }
        QVERIFY2(worst < .8, qPrintable(QString::number(worst))); // within a tenth of a second
    }

    void a_run_that_stands_still_takes_longer()
    {
        ProgressRate rate;
        const auto start = ProgressRate::Clock::time_point(1h);
        for (int tick = 0; tick <= 100; ++tick)
            rate.update(start + tick * 100ms, 2 * tick, 1000);
        const double running = rate.secondsLeft();
        QVERIFY2(std::abs(running - 40) < 2, qPrintable(QString::number(running)));
        for (int tick = 101; tick <= 300; ++tick)
            rate.update(start + tick * 100ms, 200, 1000);
        QVERIFY2(rate.secondsLeft() > 1.5 * running, qPrintable(QString::number(rate.secondsLeft())));
    }

    // What a project finds in its store is not work.
    void frames_that_were_there_do_not_count()
    {
        ProgressRate rate;
        const auto start = ProgressRate::Clock::time_point(1h);
        for (int tick = 0; tick <= 50; ++tick)
            rate.update(start + tick * 100ms, 5000 + tick, 6000);
        QVERIFY(std::abs(rate.framesPerSecond() - 10) < .5);
        rate.update(start + 6s, 10, 6000); // another run
        QCOMPARE(rate.secondsLeft(), -1.0);
    }
};

LOQUOR_TEST(tst_progressrate)
#include "tst_progressrate.moc"
