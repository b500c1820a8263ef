#include "tests/support/fake_pack.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace loquor;
using namespace loquor::pipeline;
using namespace loquor::fake;

namespace {

const PlanOptions kNoJoins{GridMode::Lines, {}, {}};

std::shared_ptr<FakeStore> runToEnd(const FakePack& pack, const FakeRunOptions& options = {})
{
    auto store = std::make_shared<FakeStore>(pack);
    const auto result = runFake(pack, options, store);
    if (!result)
        qWarning("%s", result.error().logText().c_str());
    return store;
}

FakeRunOptions batch(int window, std::size_t memory = 0, std::shared_ptr<Spill> spill = {})
{
    FakeRunOptions options;
    options.executor = Executor::Batch;
    options.batch = {window, memory, std::move(spill)};
    return options;
}

class FullDisk : public Spill
{
public:
    Result<SpillSlot> append(std::span<const std::uint8_t>) override
    {
        return fail(ErrorCode::DiskFull, "No room for results.");
    }
    Result<std::vector<std::uint8_t>> read(const SpillSlot&) override { return std::vector<std::uint8_t>{}; }
    Result<void> clear() override { return {}; }
};

} // namespace

class tst_executors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void streaming_equals_batch()
    {
        FakePack pack;
        pack.lines = {60, 33, 8, 2, 100};
        const auto streamed = runToEnd(pack);
        QVERIFY(streamed->ended);
        QCOMPARE(streamed->frames.size(), std::size_t(203));
        QTemporaryDir folder;
        const auto spill = makeFileSpill(folder.path().toStdString());
        QVERIFY(spill);
        for (const int window : {1, 2, 3, 8, 100}) {
            QVERIFY(runToEnd(pack, batch(window))->frames == streamed->frames);
            QVERIFY(runToEnd(pack, batch(window, 4000, *spill))->frames == streamed->frames);
            QVERIFY(runToEnd(pack, batch(window))->chunks == streamed->chunks);
        }
        QVERIFY(runToEnd(pack)->frames == streamed->frames); // and again
    }

    void chunked_equals_unchunked()
    {
        FakePack pack;
        pack.plan = kNoJoins;
        const auto chunked = runToEnd(pack);
        pack.chunks = {1, 3};
        const auto small = runToEnd(pack);
        pack.chunks = {1000, 1000};
        const auto whole = runToEnd(pack, batch(2));
        QCOMPARE(whole->chunks.size(), std::size_t(3));
        QVERIFY(small->chunks.size() > 50);
        QVERIFY(chunked->frames == whole->frames);
        QVERIFY(small->frames == whole->frames);
    }

    // Every frame once and in order; the first ones of a line come from its join.
    void case_016_joins_replace_frames_and_add_none()
    {
        FakePack pack;
        const auto joined = runToEnd(pack);
        pack.plan = kNoJoins;
        const auto plain = runToEnd(pack);
        QCOMPARE(joined->frames.size(), plain->frames.size());
        for (std::size_t i = 0; i < plain->frames.size(); ++i) {
            QCOMPARE(joined->frames[i].index, FrameIndex(i));
            const bool replaced = i >= 60 && i % 60 < 6;
            QCOMPARE(joined->frames[i].pose != plain->frames[i].pose, replaced);
        }
        // N1 is complete behind its join, though it was made before it.
        std::vector<int> order;
        for (const ChunkSpec& chunk : joined->chunks)
            order.push_back(chunk.index);
        const auto at = [&order](int index) { return std::find(order.begin(), order.end(), index) - order.begin(); };
        QCOMPARE(joined->chunks[static_cast<std::size_t>(at(5))].kind, ChunkKind::I);
        QVERIFY(at(5) < at(4) && at(4) < at(6));
    }

    void first_frames_leave_before_chunk_0_is_complete()
    {
        FakePack pack;
        pack.chunks = {25, 25};
        pack.groupFrames = 1;
        ExecutionLog log;
        FakeRunOptions options;
        options.pipeline.log = &log;
        const auto store = runToEnd(pack, options);
        QCOMPARE(store->chunksAtFirstFrame, 0);
        const auto all = log.lines();
        const auto at = [&all](const char* what) { return std::find(all.begin(), all.end(), what) - all.begin(); };
        QVERIFY(at("gate emit 0") < at("decode end 0"));
        QVERIFY(at("decode end 0") < std::ssize(all));
    }

    void joins_between_all_chunks_too()
    {
        FakePack pack;
        pack.plan = {GridMode::Lines, {6, 2, 2, JoinAt::Chunks}, {}};
        const auto streamed = runToEnd(pack);
        QCOMPARE(streamed->frames.size(), std::size_t(180));
        for (std::size_t i = 0; i < streamed->frames.size(); ++i)
            QCOMPARE(streamed->frames[i].index, FrameIndex(i));
        QVERIFY(runToEnd(pack, batch(1))->frames == streamed->frames);
    }

    // 103, 104, 107: memory does not grow with the length of a run.
    void case_103_104_nothing_stays_behind_a_chunk()
    {
        FakePack pack;
        pack.plan = kNoJoins;
        pack.lines.assign(200, 25);
        pack.chunks = {25, 25};
        const auto store = runToEnd(pack, batch(1));
        QCOMPARE(store->aliveAfter.size(), std::size_t(200));
        for (const LiveNumbers& alive : store->aliveAfter)
            QCOMPARE(alive, (LiveNumbers{1, 0})); // the mark that the chunk is complete
        QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
    }

    void case_103_104_nothing_stays_behind_a_chunk_with_joins_and_threads()
    {
        for (const bool inBatch : {false, true}) {
            FakePack shortRun, longRun;
            shortRun.lines.assign(10, 60);
            longRun.lines.assign(120, 60);
            const FakeRunOptions options = inBatch ? batch(5) : FakeRunOptions{};
            runToEnd(shortRun, options);
            const auto store = runToEnd(longRun, options);
            QCOMPARE(store->frames.size(), std::size_t(7'200));
            QCOMPARE(longRun.live->now(), (LiveNumbers{0, 0}));
            const LiveNumbers few = shortRun.live->peak(), many = longRun.live->peak();
            if (inBatch) {
                QCOMPARE(many, few);
            } else { // bounded by the queues: 6 edges of 2, what waits for a join, and what is in work
                QVERIFY2(many.objects <= 60, qPrintable(QString::number(many.objects)));
            }
            // Behind the same chunk of an early and of a late line, the same is alive.
            for (std::size_t i = 0; inBatch && i < 5; ++i)
                QCOMPARE(store->aliveAfter[i + 5 * 100], store->aliveAfter[i + 5 * 4]);
        }
    }

    void spilling_bounds_memory()
    {
        FakePack pack, spilling;
        pack.lines.assign(20, 60);
        spilling.lines = pack.lines;
        pack.pixels = spilling.pixels = 1000;
        QTemporaryDir folder;
        const auto spill = makeFileSpill(folder.path().toStdString());
        QVERIFY(spill);
        const auto inMemory = runToEnd(pack, batch(20));
        const auto onDisk = runToEnd(spilling, batch(20, 100'000, *spill));
        QVERIFY(inMemory->frames == onDisk->frames);
        QVERIFY(pack.live->peak().bytes > 4'000'000);
        QVERIFY2(spilling.live->peak().bytes < 1'200'000, qPrintable(QString::number(spilling.live->peak().bytes)));
        QVERIFY(folder.isValid() && QDir(folder.path()).isEmpty()); // no name, nothing left
    }

    void a_window_beyond_its_memory_says_so()
    {
        FakePack pack;
        pack.pixels = 1000;
        auto store = std::make_shared<FakeStore>(pack);
        const auto result = runFake(pack, batch(8, 50'000), store);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::OutOfMemory);
        QVERIFY(result.error().message().find("smaller window") != std::string::npos);
    }

    // 160: a full disk ends the run with a reason, a chunk and a line.
    void case_160_a_full_disk_under_the_spill()
    {
        FakePack pack;
        pack.pixels = 1000;
        auto store = std::make_shared<FakeStore>(pack);
        const auto result = runFake(pack, batch(8, 50'000, std::make_shared<FullDisk>()), store);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::DiskFull);
        QVERIFY2(result.error().text().find("making chunk") != std::string::npos, result.error().text().c_str());
        QVERIFY(!store->ended);
        QCOMPARE(pack.live->now(), (LiveNumbers{0, 0}));
    }

    void what_waits_for_a_join_is_bounded()
    {
        FakePack pack;
        FakeRunOptions options;
        options.limits = {2, 2000, std::chrono::microseconds{0}};
        pack.pixels = 100;
        pack.plan.joins.anchorsRight = 2;
        pack.chunks = {25, 25};
        auto store = std::make_shared<FakeStore>(pack);
        const auto result = runFake(pack, options, store);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::OutOfMemory);
        QVERIFY(result.error().message().find("wait for a join") != std::string::npos);
    }

    void the_trace_knows_stage_chunk_and_line()
    {
        Trace trace;
        FakeRunOptions options;
        options.pipeline.trace = &trace;
        runToEnd(FakePack{}, options);
        const auto events = trace.events();
        const auto join = std::find_if(events.begin(), events.end(), [](const TraceEvent& e) {
            return std::string(e.name) == "motion" && std::string(e.args.kind) == "I";
        });
        QVERIFY(join != events.end());
        QCOMPARE(join->args.line, 2);
        QCOMPARE(trace.totals().at("motion").count, std::uint64_t(14)); // 3 x 4 chunks and 2 joins
        const std::string json = trace.chromeEvents("test");
        for (const char* stage : {"motion", "decode", "gate", "playback order", "store"}) // threads
            QVERIFY2(json.find(std::string("\"args\":{\"name\":\"") + stage + "\"}") != std::string::npos, stage);
    }
};

LOQUOR_TEST(tst_executors)
#include "tst_executors.moc"
