#include "tests/core/pipeline/fake_stages.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace loquor;
using namespace loquor::pipeline;
using namespace loquor::pipeline::test;

namespace {

struct Rig
{
    std::shared_ptr<FakeSource> source;
    std::shared_ptr<FakeMaker> maker = std::make_shared<FakeMaker>();
    std::shared_ptr<FakePlusOne> plus = std::make_shared<FakePlusOne>();
    std::shared_ptr<FakeSink> sink = std::make_shared<FakeSink>();
    ExecutionLog log;
    Trace trace;
    std::size_t budget = 0;
    std::size_t queueBytes = 0;

    explicit Rig(int lines = 3, int frames = 60, ChunkNumbers numbers = {8, 25})
        : source(std::make_shared<FakeSource>(lines, frames, numbers))
    {
    }
    Result<void> run(const CancelToken& cancel = {})
    {
        Pipeline pipeline({&trace, &log, budget});
        const QueueLimits limits{4, queueBytes, std::chrono::microseconds{0}};
        auto specs = pipeline.from("plan", source);
        auto made = pipeline.then<ChunkSpec, Item>(specs, maker, limits);
        auto more = pipeline.then<Item, Item>(made, plus, limits);
        pipeline.into<Item>(more, sink, limits);
        return pipeline.run(cancel);
    }
};

std::vector<std::int64_t> expected(int frames)
{
    std::vector<std::int64_t> out;
    for (int i = 0; i < frames; ++i)
        out.push_back(i * 10 + 1);
    return out;
}

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

class tst_pipeline : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void results_leave_in_playback_order()
    {
        Rig rig;
        QVERIFY(rig.run());
        QCOMPARE(rig.sink->values, expected(180));
        QVERIFY(rig.sink->ended);
        std::vector<int> chunks(rig.sink->chunks.size());
        for (std::size_t i = 0; i < chunks.size(); ++i)
            chunks[i] = static_cast<int>(i);
        QCOMPARE(rig.sink->chunks, chunks);
        QCOMPARE(rig.trace.totals().at("make").count, std::uint64_t(chunks.size()));
    }

    void chunked_equals_unchunked()
    {
        Rig small(1, 100, {1, 3});
        Rig whole(1, 100, {1000, 1000});
        QVERIFY(small.run());
        QVERIFY(whole.run());
        QCOMPARE(whole.sink->chunks.size(), std::size_t(1));
        QVERIFY(small.sink->chunks.size() > 30);
        QCOMPARE(small.sink->values, whole.sink->values);
    }

    void stages_of_different_chunks_overlap_and_log_their_order()
    {
        Rig rig(1, 60, {10, 10});
        rig.sink = std::make_shared<FakeSink>(500);
        QVERIFY(rig.run());
        const auto lines = rig.log.lines("make");
        QCOMPARE(lines[0], std::string("make begin 0"));
        QCOMPARE(lines[1], std::string("make emit 0"));
        QCOMPARE(lines[11], std::string("make end 0"));
        QCOMPARE(lines.size(), std::size_t(6 * 12));
        // A result reached the sink's side before the maker had finished the chunk, and the maker had
        // begun a chunk before the sink was through with the one before it.
        const auto all = rig.log.lines();
        auto at = [&](const char* what) {
            return std::find(all.begin(), all.end(), std::string(what)) - all.begin();
        };
        QVERIFY(at("plus emit 0") < at("make end 0"));
        QVERIFY(at("make begin 1") < at("sink end 0"));
    }

    void memory_is_bounded_for_any_length()
    {
        AliveCounter counter;
        Rig rig(200, 50);
        rig.maker = std::make_shared<FakeMaker>(Behaviour::Instant, -1, &counter);
        QVERIFY(rig.run());
        QCOMPARE(rig.sink->received.load(), 10000);
        QVERIFY2(counter.most() <= 4 + 4 + 3 + 1, qPrintable(QString::number(counter.most())));
        QCOMPARE(counter.now(), 0);
    }

    void bytes_bound_the_queues_too()
    {
        AliveCounter counter;
        Rig rig(20, 50);
        rig.queueBytes = 2000; // two items of 1000
        rig.maker = std::make_shared<FakeMaker>(Behaviour::Instant, -1, &counter);
        QVERIFY(rig.run());
        QVERIFY2(counter.most() <= 2 + 2 + 3 + 1, qPrintable(QString::number(counter.most())));
    }

    void a_failure_ends_the_run_with_its_error_and_context()
    {
        Rig rig;
        rig.maker = std::make_shared<FakeMaker>(Behaviour::Fail, 3);
        const auto result = rig.run();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::DiskFull);
        QCOMPARE(result.error().text(),
                 std::string("The disk is full. (while making chunk 4 of line 1)"));
        QVERIFY(!rig.sink->ended);
        const auto lines = rig.log.lines("make");
        QCOMPARE(lines.back(), std::string("make fail 3"));
    }

    void a_failing_sink_wakes_everybody()
    {
        Rig rig(-1, 60); // endless
        rig.sink = std::make_shared<FakeSink>(0, true);
        const auto result = rig.run();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::DiskFull);
        QCOMPARE(rig.sink->values.size(), std::size_t(5));
    }

    // 62: the error line itself hid the reason. Exceptions stop at the stage boundary.
    void case_062_exceptions_become_errors()
    {
        Rig throwing;
        throwing.maker = std::make_shared<FakeMaker>(Behaviour::Throw, 1);
        const auto result = throwing.run();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Internal);
        QVERIFY(result.error().message().find("bad luck") != std::string::npos);
        Rig starved;
        starved.maker = std::make_shared<FakeMaker>(Behaviour::ThrowBadAlloc, 1);
        const auto memory = starved.run();
        QVERIFY(!memory);
        QCOMPARE(memory.error().code(), ErrorCode::OutOfMemory);
    }

    // 106: estimate before the start instead of dying half way.
    void case_106_too_hungry_is_refused_before_it_starts()
    {
        Rig rig;
        rig.budget = 100u << 20;
        rig.maker = std::make_shared<FakeMaker>(Behaviour::Instant, -1, nullptr, 900u << 20);
        const auto result = rig.run();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::OutOfMemory);
        QVERIFY(result.error().message().find("'make' needs the most") != std::string::npos);
        QVERIFY(rig.log.lines().empty());
    }

    // 115: cancel acts within a second, whatever the stages are doing.
    void case_115_cancel_acts_at_once_data()
    {
        QTest::addColumn<int>("behaviour");
        QTest::newRow("instant") << static_cast<int>(Behaviour::Instant);
        QTest::newRow("slow") << static_cast<int>(Behaviour::Slow);
        QTest::newRow("hanging") << static_cast<int>(Behaviour::Hang);
    }
    void case_115_cancel_acts_at_once()
    {
        QFETCH(int, behaviour);
        Rig rig(-1, 60); // endless
        rig.maker = std::make_shared<FakeMaker>(static_cast<Behaviour>(behaviour));
        CancelSource source;
        std::chrono::steady_clock::time_point asked;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            asked = std::chrono::steady_clock::now();
            source.cancel();
        });
        const auto result = rig.run(source.token());
        const double latency = secondsSince(asked);
        canceller.join();
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
        QVERIFY2(latency < 0.9, qPrintable(QString::number(latency)));
        QVERIFY(!rig.sink->ended);
    }

    void cancelled_before_the_start()
    {
        CancelSource source;
        source.cancel();
        Rig rig(-1, 60);
        const auto result = rig.run(source.token());
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
    }

    void create_run_cancel_destroy_many_times()
    {
        for (int round = 0; round < 60; ++round) {
            AliveCounter counter;
            {
                Rig rig(-1, 40);
                rig.maker = std::make_shared<FakeMaker>(Behaviour::Instant, -1, &counter);
                CancelSource source;
                std::thread canceller([&] {
                    std::this_thread::sleep_for(std::chrono::microseconds(round * 50));
                    source.cancel();
                });
                QVERIFY(!rig.run(source.token()));
                canceller.join();
            }
            QCOMPARE(counter.now(), 0);
        }
    }

    void a_stage_that_runs_once_gives_one_result()
    {
        FakeMaker maker;
        ChunkSpec chunk;
        chunk.frames = 1;
        const auto none = runOnce<ChunkSpec, Item>(maker, chunk, {});
        QVERIFY(!none); // the spec passed by runOnce has no frames: nothing was emitted
        QCOMPARE(none.error().code(), ErrorCode::Internal);
        FakePlusOne plus;
        const auto one = runOnce<Item, Item>(plus, Item{4, 0, nullptr}, {});
        QVERIFY(one);
        QCOMPARE(one->value, std::int64_t(5));
    }
};

LOQUOR_TEST(tst_pipeline)
#include "tst_pipeline.moc"
