#include "core/base/random.h"
#include "tests/support/fake_pack.h"
#include "tests/support/test_main.h"

#include <iterator>
#include <thread>

using namespace loquor;
using namespace loquor::pipeline;
using namespace loquor::fake;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

FakePack faulty(FaultAt at)
{
    FakePack pack;
    pack.faults = std::make_shared<FaultPlan>(std::vector<FaultAt>{std::move(at)});
    return pack;
}

FakeRunOptions with(Executor executor)
{
    FakeRunOptions options;
    options.executor = executor;
    options.batch.windowChunks = 3;
    return options;
}

constexpr Executor kBoth[] = {Executor::Streaming, Executor::Batch};

} // namespace

class tst_faults : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void errors_name_chunk_and_line_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, Fault fault, ErrorCode code, const char* says) {
            QTest::newRow(name) << static_cast<int>(fault) << static_cast<int>(code) << QString(says);
        };
        row("fail", Fault::Fail, ErrorCode::DiskFull, "The disk is full.");
        row("throw", Fault::Throw, ErrorCode::Internal, "bad luck");
        row("bad_alloc", Fault::BadAlloc, ErrorCode::OutOfMemory, "Not enough memory in the stage 'decode'");
        row("too much", Fault::Allocate, ErrorCode::OutOfMemory, "decode");
        row("no numbers", Fault::Nan, ErrorCode::Corrupt, "'precision'");
        row("black", Fault::Black, ErrorCode::Corrupt, "'precision'");
    }
    void errors_name_chunk_and_line()
    {
        QFETCH(int, fault);
        QFETCH(int, code);
        QFETCH(QString, says);
        for (const Executor executor : kBoth) {
            const FakePack pack = faulty({"decode", 2, 1, ChunkKind::N, static_cast<Fault>(fault)});
            auto store = std::make_shared<FakeStore>(pack);
            const auto result = runFake(pack, with(executor), store);
            QVERIFY(!result);
            QCOMPARE(static_cast<int>(result.error().code()), code);
            const QString text = QString::fromStdString(result.error().text());
            QVERIFY2(text.contains(says), qPrintable(text));
            QVERIFY2(text.contains("making chunk 7 of line 2"), qPrintable(text)); // 4 N, 1 N, 1 I before it
            QVERIFY(!store->ended);
            QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
        }
    }

    void a_failing_join_is_named()
    {
        for (const Executor executor : kBoth) {
            const FakePack pack = faulty({"motion", 3, 0, ChunkKind::I, Fault::Throw});
            auto store = std::make_shared<FakeStore>(pack);
            const auto result = runFake(pack, with(executor), store);
            QVERIFY(!result);
            const QString text = QString::fromStdString(result.error().text());
            QVERIFY2(text.contains("the join in front of chunk 10 of line 3"), qPrintable(text));
        }
    }

    // 119: a failure leaves nothing broken behind; the same chunk works at the attempt that may.
    void case_119_the_next_attempt_works()
    {
        FakePack pack = faulty({"motion", 2, 0, ChunkKind::N, Fault::Throw, 3});
        for (int attempt = 1; attempt <= 4; ++attempt) {
            auto store = std::make_shared<FakeStore>(pack);
            const auto result = runFake(pack, with(kBoth[attempt % 2]), store);
            QCOMPARE(bool(result), attempt == 4);
            QCOMPARE(store->ended, attempt == 4);
            QCOMPARE(pack.faults->attempts("motion", 2, 0), attempt);
        }
    }

    // 106: estimate before the start. Batch runs one stage at a time and needs less.
    void case_106_too_hungry_is_refused_before_it_starts()
    {
        FakePack pack;
        pack.motionMemory = 300u << 20;
        pack.decodeMemory = 400u << 20;
        FakeRunOptions options;
        options.pipeline.memoryBudget = 500u << 20;
        auto store = std::make_shared<FakeStore>(pack);
        const auto refused = runFake(pack, options, store);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code(), ErrorCode::OutOfMemory);
        QVERIFY(refused.error().message().find("'decode' needs the most") != std::string::npos);
        QCOMPARE(pack.faults->attempts("motion", 1, 0), 0);
        options.executor = Executor::Batch;
        QVERIFY(runFake(pack, options, std::make_shared<FakeStore>(pack)));
        options.pipeline.memoryBudget = 350u << 20;
        QVERIFY(!runFake(pack, options, std::make_shared<FakeStore>(pack)));
    }

    // 115: within a second, whatever is going on.
    void case_115_cancel_from_any_state_data()
    {
        QTest::addColumn<QString>("stage");
        QTest::addColumn<int>("executor");
        for (const char* stage : {"", "motion", "decode"}) {
            QTest::addRow("streaming, hanging in '%s'", stage) << QString(stage) << static_cast<int>(Executor::Streaming);
            QTest::addRow("batch, hanging in '%s'", stage) << QString(stage) << static_cast<int>(Executor::Batch);
        }
    }
    void case_115_cancel_from_any_state()
    {
        QFETCH(QString, stage);
        QFETCH(int, executor);
        FakePack pack = faulty({stage.toStdString(), 3, 0, ChunkKind::N, Fault::Hang});
        pack.endless = 60;
        CancelSource source;
        auto store = std::make_shared<FakeStore>(pack, false);
        std::atomic<bool> far{false};
        store->onChunk = [&](const ChunkSpec& chunk) { far = far || chunk.line >= 2; };
        Clock::time_point asked;
        std::thread canceller([&] {
            while (!far)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            asked = Clock::now();
            source.cancel();
        });
        const auto result = runFake(pack, with(static_cast<Executor>(executor)), store, source.token());
        canceller.join();
        const double latency = secondsSince(asked);
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
        QVERIFY2(latency < 0.9, qPrintable(QString::number(latency)));
        QVERIFY(!store->ended);
        QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
    }

    void cancel_inside_a_sink_and_before_the_start()
    {
        for (const Executor executor : kBoth) {
            FakePack pack;
            pack.endless = 60;
            CancelSource inside, before;
            auto store = std::make_shared<FakeStore>(pack, false);
            store->onChunk = [&inside](const ChunkSpec& chunk) {
                if (chunk.index == 9)
                    inside.cancel();
            };
            const auto result = runFake(pack, with(executor), store, inside.token());
            QVERIFY(!result && result.error().isCancelled());
            before.cancel();
            auto untouched = std::make_shared<FakeStore>(pack, false);
            const auto none = runFake(pack, with(executor), untouched, before.token());
            QVERIFY(!none && none.error().isCancelled());
            QCOMPARE(untouched->received.load(), 0);
        }
    }

    // 161: a cancel that comes while the sink closes is too late: what it closed is whole, and the run says so.
    void case_161_cancel_while_the_sink_closes()
    {
        for (const Executor executor : kBoth) {
            FakePack pack;
            CancelSource source;
            auto store = std::make_shared<FakeStore>(pack, false);
            store->onEnd = [&source] { source.cancel(); };
            const auto result = runFake(pack, with(executor), store, source.token());
            QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
            QVERIFY(store->ended);
            QVERIFY(store->received > 0);
            QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
        }
    }

    void create_run_cancel_destroy_200_times()
    {
        for (int round = 0; round < 200; ++round) {
            FakePack pack;
            pack.endless = 40;
            CancelSource source;
            auto store = std::make_shared<FakeStore>(pack, false);
            const int last = round % 23; // another state each time
            store->onChunk = [&source, last](const ChunkSpec& chunk) {
                if (chunk.index >= last)
                    source.cancel();
            };
            const auto result = runFake(pack, with(kBoth[round % 2]), store, source.token());
            QVERIFY(!result && result.error().isCancelled());
            QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
        }
    }

    // Cancelled from another thread at any moment, with faults in between: moments differ from round to round.
    void cancel_and_faults_at_random_moments_200_times()
    {
        Random random(20261130);
        constexpr Fault kFaults[] = {Fault::Fail, Fault::Throw, Fault::BadAlloc, Fault::Nan};
        for (int round = 0; round < 200; ++round) {
            FakePack pack;
            if (random.uniform() < .3) {
                FaultAt at;
                at.fault = kFaults[random.next() % std::size(kFaults)];
                at.stage = random.uniform() < .5 ? "motion" : "decode";
                at.line = static_cast<int>(1 + random.next() % 20);
                pack = faulty(at);
            }
            pack.endless = 40;
            FakeRunOptions options = with(kBoth[random.next() % 2]);
            options.limits.maxItems = 1 + random.next() % 4;
            options.batch.windowChunks = static_cast<int>(1 + random.next() % 5);
            const auto moment = std::chrono::microseconds(static_cast<int>(random.uniform(0, 12'000)));
            CancelSource source;
            auto store = std::make_shared<FakeStore>(pack, false);
            std::thread canceller([&source, moment] {
                std::this_thread::sleep_for(moment);
                source.cancel();
            });
            const auto result = runFake(pack, options, store, source.token());
            canceller.join();
            QVERIFY(!result);
            QVERIFY(!store->ended);
            QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
        }
    }

    void slow_stages_pass_their_time_on_the_clock()
    {
        FakePack pack;
        pack.motionTime = std::chrono::milliseconds(2);
        pack.decodeTime = std::chrono::milliseconds(10);
        QVERIFY(runFake(pack, {}, std::make_shared<FakeStore>(pack)));
        // 180 frames and 2 joins of 6, made by both stages
        QCOMPARE(pack.clock->passed(), std::chrono::microseconds(std::chrono::milliseconds(192 * 12)));
    }
};

LOQUOR_TEST(tst_faults)
#include "tst_faults.moc"
