#include "core/session/shown_progress.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

class tst_shownprogress : public QObject
{
    Q_OBJECT

    static Snapshot at(std::int64_t done, std::int64_t total, CommandId job = 1)
    {
        Snapshot out;
        out.job = job;
        out.framesDone = done;
        out.framesTotal = total;
        return out;
    }

private Q_SLOTS:
    void nothing_is_known_at_first()
    {
        ShownProgress shown;
        shown.update(at(0, 0));
        QVERIFY(shown.part() < 0);
        QCOMPARE(shown.total(), std::int64_t(0));
        shown.update(at(0, 100));
        QCOMPARE(shown.part(), 0.0);
    }

    // Lines turn out longer than was estimated; after a fault of the engine frames are made again.
    void it_never_steps_back()
    {
        ShownProgress shown;
        const std::pair<int, int> told[] = {{10, 100}, {50, 100}, {52, 200}, {90, 200}, {0, 200}, {60, 0}, {120, 200}, {200, 200}};
        double part = -1;
        std::int64_t done = 0;
        for (const auto& [now, total] : told) {
            shown.update(at(now, total));
            QVERIFY(shown.part() >= part && shown.part() <= 1);
            QVERIFY(shown.done() >= done && shown.total() >= shown.done());
            part = shown.part();
            done = shown.done();
        }
        QCOMPARE(part, 1.0);
    }

    void it_waits_until_the_job_has_caught_up()
    {
        ShownProgress shown;
        shown.update(at(50, 100));
        shown.update(at(52, 200));
        QCOMPARE(shown.part(), .5); // not 26 %
        QCOMPARE(shown.done(), std::int64_t(52));
        shown.update(at(110, 200));
        QCOMPARE(shown.part(), .55);
    }

    void another_job_starts_anew()
    {
        ShownProgress shown;
        shown.update(at(50, 100));
        shown.update(at(1, 100, 2));
        QCOMPARE(shown.part(), .01);
    }
};

LOQUOR_TEST(tst_shownprogress)
#include "tst_shownprogress.moc"
