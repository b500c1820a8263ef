#include "core/portrait/worker_pool.h"
#include "tests/support/test_main.h"

#include <atomic>
#include <stdexcept>
#include <vector>

using namespace loquor;
using loquor::portrait::WorkerPool;

class tst_worker_pool : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void every_piece_is_worked_once_data()
    {
        QTest::addColumn<int>("threads");
        for (const int threads : {1, 2, 4, 9})
            QTest::addRow("%d threads", threads) << threads;
    }
    void every_piece_is_worked_once()
    {
        QFETCH(int, threads);
        WorkerPool pool(threads);
        for (std::size_t count = 0; count < 300; ++count) {
            std::vector<int> times(count); // each piece is one thread's own
            pool.run(count, [&times](std::size_t i) { ++times[i]; });
            QCOMPARE(times, std::vector<int>(count, 1));
        }
    }

    void what_a_piece_throws_comes_out_and_the_pool_works_on_data() { every_piece_is_worked_once_data(); }
    void what_a_piece_throws_comes_out_and_the_pool_works_on()
    {
        QFETCH(int, threads);
        WorkerPool pool(threads);
        for (std::size_t round = 0; round < 200; ++round) {
            const std::size_t count = 1 + round % 37;
            const std::size_t bad = round % count;
            std::atomic<int> working{0};
            const auto work = [&](std::size_t i) {
                ++working;
                if (i == bad) {
                    --working;
                    throw std::runtime_error("piece " + std::to_string(i));
                }
                --working;
            };
            QVERIFY_EXCEPTION_THROWN(pool.run(count, work), std::runtime_error);
            QCOMPARE(working.load(), 0); // nobody refers to `work` any more
            std::atomic<int> done{0};
            pool.run(count, [&done](std::size_t) { ++done; });
            QCOMPARE(done.load(), static_cast<int>(count));
        }
    }
};

LOQUOR_TEST(tst_worker_pool)
#include "tst_worker_pool.moc"
