#include "core/base/repeating_queue.h"
#include "tests/support/test_main.h"

#include <vector>

using namespace loquor;
using namespace std::chrono_literals;

namespace {

std::vector<int> drain(RepeatingQueue<int>& queue)
{
    queue.close();
    std::vector<int> out;
    while (const auto value = queue.next())
        out.push_back(*value);
    return out;
}

} // namespace

class tst_repeatingqueue : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // 1, 23: when starved the last frame is held, and it is counted.
    void case_023_the_last_value_is_repeated_and_counted()
    {
        RepeatingQueue<int> queue({.maxItems = 3});
        QVERIFY(!queue.next());
        QVERIFY(queue.push(1));
        QCOMPARE(*queue.next(), 1);
        QCOMPARE(*queue.next(), 1);
        QCOMPARE(*queue.next(), 1);
        QVERIFY(queue.push(2));
        QCOMPARE(*queue.next(), 2);
        QCOMPARE(queue.underflows(), std::uint64_t(2));
        queue.close();
        QVERIFY(!queue.next());
        QVERIFY(!queue.push(3));
    }

    void time_is_kept_when_the_reader_is_late()
    {
        RepeatingQueue<int> queue({.maxItems = 3});
        for (int i = 0; i < 6; ++i)
            QVERIFY(queue.push(i));
        QCOMPARE(queue.size(), std::size_t(3));
        QCOMPARE(drain(queue), (std::vector<int>{0, 1, 2, 2, 2, 2})); // six in, six out
        QCOMPARE(queue.overflows(), std::uint64_t(3));
    }

    void bytes_and_duration_bound_it_too()
    {
        RepeatingQueue<int> bytes({.maxBytes = 10});
        for (int i = 0; i < 4; ++i)
            bytes.push(i, {.bytes = 4});
        QCOMPARE(bytes.size(), std::size_t(2));
        QCOMPARE(drain(bytes), (std::vector<int>{0, 1, 1, 1}));
        RepeatingQueue<int> duration({.maxDuration = 100ms});
        for (int i = 0; i < 4; ++i)
            duration.push(i, {.duration = 40ms});
        QCOMPARE(duration.size(), std::size_t(2));
        QCOMPARE(*duration.next(), 0);
        duration.push(9, {.duration = 40ms}); // room again; the repeats of 1 come first
        QCOMPARE(drain(duration), (std::vector<int>{1, 1, 1, 9}));
    }
};

LOQUOR_TEST(tst_repeatingqueue)
#include "tst_repeatingqueue.moc"
