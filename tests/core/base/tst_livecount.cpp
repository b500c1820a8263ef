#include "core/base/live_count.h"
#include "tests/support/test_main.h"

#include <thread>
#include <vector>

using namespace loquor;

class tst_livecount : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void copies_count_and_moves_hand_on()
    {
        const auto count = std::make_shared<LiveCount>();
        {
            LiveTag a(count, 100);
            QCOMPARE(count->now(), (LiveNumbers{1, 100}));
            LiveTag b = a;
            QCOMPARE(count->now(), (LiveNumbers{2, 200}));
            LiveTag c = std::move(b);
            QCOMPARE(count->now(), (LiveNumbers{2, 200}));
            c = LiveTag(count, 7);
            QCOMPARE(count->now(), (LiveNumbers{2, 107}));
            a = c;
            QCOMPARE(count->now(), (LiveNumbers{2, 14}));
            a.resize(20);
            QCOMPARE(count->now(), (LiveNumbers{2, 27}));
            LiveTag nothing;
            LiveTag copy = nothing;
            QCOMPARE(count->now(), (LiveNumbers{2, 27}));
        }
        QCOMPARE(count->now(), (LiveNumbers{0, 0}));
        QVERIFY(count->peak().objects >= 2 && count->peak().bytes >= 200);
    }

    void any_thread()
    {
        const auto count = std::make_shared<LiveCount>();
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([count] {
                for (int k = 0; k < 5000; ++k) {
                    LiveTag tag(count, 10);
                    LiveTag other = tag;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(count->now(), (LiveNumbers{0, 0}));
        QVERIFY(count->peak().objects >= 2 && count->peak().objects <= 8);
    }
};

LOQUOR_TEST(tst_livecount)
#include "tst_livecount.moc"
