#include "core/base/queue.h"
#include "tests/support/test_main.h"

#include <thread>

using namespace loquor;

class tst_queue : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void keepsOrderUnderBackPressure()
    {
        BoundedQueue<int> queue({.maxItems = 3});
        std::thread producer([&] {
            for (int i = 0; i < 1000; ++i)
                queue.push(i);
            queue.close();
        });
        int expected = 0;
        while (const auto item = queue.pop()) {
            QVERIFY(queue.size() <= 3);
            QCOMPARE(*item, expected++);
        }
        producer.join();
        QCOMPARE(expected, 1000);
    }
    void limitsBytesButAdmitsOneOversizedItem()
    {
        BoundedQueue<int> queue({.maxBytes = 10}, QueuePolicy::DropOldest);
        QVERIFY(queue.push(1, {.bytes = 100}));
        QVERIFY(queue.push(2, {.bytes = 4}));
        QVERIFY(queue.push(3, {.bytes = 4}));
        QCOMPARE(queue.dropped(), 1u);
        QCOMPARE(queue.bytes(), std::size_t(8));
    }
    void limitsDuration()
    {
        using namespace std::chrono_literals;
        BoundedQueue<int> queue({.maxDuration = 100ms}, QueuePolicy::DropOldest);
        for (int i = 0; i < 10; ++i)
            queue.push(i, {.duration = 40ms});
        QCOMPARE(queue.size(), std::size_t(2));
        QCOMPARE(*queue.pop(), 8);
    }
    void blocksOnBytesAndOnDuration()
    {
        using namespace std::chrono_literals;
        for (const QueueLimits limits : {QueueLimits{.maxBytes = 10}, QueueLimits{.maxDuration = 10us}}) {
            BoundedQueue<int> queue(limits);
            std::thread producer([&] {
                for (int i = 0; i < 100; ++i)
                    queue.push(i, {.bytes = 4, .duration = 4us});
                queue.close();
            });
            int expected = 0;
            while (const auto item = queue.pop()) {
                QVERIFY(queue.bytes() <= 8 && queue.duration() <= 8us);
                QCOMPARE(*item, expected++);
            }
            producer.join();
            QCOMPARE(expected, 100);
            QCOMPARE(queue.dropped(), 0u);
        }
    }
    void closeWakesBothSides()
    {
        BoundedQueue<int> full({.maxItems = 1});
        full.push(1);
        bool pushed = true;
        std::thread producer([&] { pushed = full.push(2); });
        BoundedQueue<int> empty({.maxItems = 1});
        std::optional<int> popped = 5;
        std::thread consumer([&] { popped = empty.pop(); });
        full.close();
        empty.close();
        producer.join();
        consumer.join();
        QVERIFY(!pushed);
        QVERIFY(!popped.has_value());
        QCOMPARE(*full.pop(), 1); // what was in is still delivered
    }
    void abortThrowsAwayTheRest()
    {
        BoundedQueue<int> queue({.maxItems = 5});
        queue.push(1);
        queue.abort();
        QVERIFY(!queue.pop().has_value());
        QVERIFY(!queue.push(2));
    }
};

LOQUOR_TEST(tst_queue)
#include "tst_queue.moc"
