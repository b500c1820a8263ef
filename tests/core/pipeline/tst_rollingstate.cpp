#include "tests/support/fake_pack.h"
#include "tests/support/test_main.h"

#include <set>

using namespace loquor;
using namespace loquor::pipeline;
using namespace loquor::fake;

namespace {

std::shared_ptr<FakeStore> runFrom(const FakePack& pack, const RollingState& state = {},
                                   Executor executor = Executor::Streaming)
{
    FakeRunOptions options;
    options.executor = executor;
    options.pipeline.startState = state;
    auto store = std::make_shared<FakeStore>(pack);
    const auto result = runFake(pack, options, store);
    if (!result)
        qWarning("%s", result.error().logText().c_str());
    return store;
}

} // namespace

class tst_rollingstate : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void survives_the_way_through_bytes()
    {
        ChunkSpec chunk;
        chunk.lineId = 77;
        chunk.indexInLine = 3;
        chunk.firstFrame = 100;
        chunk.frames = 25;
        const StateParts parts{{"motion", {1, 2, 3}}, {"other", {}}};
        const RollingState state = makeState(parts, chunk);
        QCOMPARE(state.lineId, std::uint64_t(77));
        QCOMPARE(state.nextFrame, FrameIndex(125));
        QCOMPARE(state.hash.size(), std::size_t(64));
        const auto read = readState(state);
        QVERIFY(read);
        QVERIFY(*read == parts);
        QVERIFY(makeState({}, chunk).isEmpty());
        QVERIFY(readState({})->empty());
    }

    void damage_is_seen()
    {
        const RollingState good = makeState({{"motion", {1, 2, 3}}}, {});
        for (std::size_t i = 0; i < good.boundary.size(); ++i) {
            RollingState bad = good;
            bad.boundary[i] ^= 1;
            QCOMPARE(readState(bad).error().code(), ErrorCode::Corrupt);
        }
    }

    void resumed_equals_uninterrupted()
    {
        FakePack whole;
        whole.lines = {60, 41, 33, 77};
        const auto all = runFrom(whole);
        for (const std::size_t cut : {1u, 2u, 3u}) {
            for (const Executor executor : {Executor::Streaming, Executor::Batch}) {
                FakePack head = whole, tail = whole;
                head.lines.resize(cut);
                tail.lines.erase(tail.lines.begin(), tail.lines.begin() + static_cast<std::ptrdiff_t>(cut));
                tail.firstLine = static_cast<int>(cut) + 1;
                const auto first = runFrom(head, {}, executor);
                tail.plan.left = first->chunks.back(); // so that the join is made as well
                tail.plan.left->index = -1;
                const auto second = runFrom(tail, first->state, executor);
                std::vector<FakeFrame> frames = first->frames;
                for (FakeFrame frame : second->frames) {
                    frame.index += static_cast<FrameIndex>(first->frames.size());
                    frames.push_back(std::move(frame));
                }
                QVERIFY(frames == all->frames);
                QCOMPARE(second->state.hash, all->state.hash);
                QVERIFY(second->state.boundary == all->state.boundary);
            }
        }
    }

    // A touched line equals a fresh render of that line with the same boundary; others stay as they are.
    void a_line_depends_on_itself_and_its_boundary_alone()
    {
        FakePack pack;
        pack.plan.joins = {};
        FakePack first = pack;
        first.lines.resize(1);
        const RollingState boundary = runFrom(first)->state;
        FakePack alone = pack;
        alone.lines = {60};
        alone.firstLine = 2;
        const auto a = runFrom(alone, boundary);
        alone.lines = {60, 90};
        const auto b = runFrom(alone, boundary);
        for (std::size_t i = 0; i < 60; ++i)
            QVERIFY(a->frames[i] == b->frames[i]);
        QVERIFY(a->frames[0].pose != runFrom(alone)->frames[0].pose); // conditioned on another boundary
    }

    void the_state_does_not_grow()
    {
        FakePack pack;
        pack.lines.assign(100, 58);
        pack.chunks = {8, 25};
        std::set<std::size_t> sizes;
        auto store = std::make_shared<FakeStore>(pack);
        store->onChunk = [&](const ChunkSpec& chunk) {
            if (chunk.frames == 25)
                sizes.insert(store->state.boundary.size());
        };
        QVERIFY(runFake(pack, {}, store));
        QCOMPARE(sizes.size(), std::size_t(1));
    }

    void another_engines_state_is_refused()
    {
        for (const StateParts& parts : {StateParts{{"another", {1}}}, StateParts{{"motion", {1, 2}}}}) {
            FakeRunOptions options;
            options.pipeline.startState = makeState(parts, {});
            const FakePack pack;
            auto store = std::make_shared<FakeStore>(pack);
            const auto result = runFake(pack, options, store);
            QVERIFY(!result);
            QCOMPARE(result.error().code(), ErrorCode::Corrupt);
            QCOMPARE(store->received.load(), 0);
        }
    }
};

LOQUOR_TEST(tst_rollingstate)
#include "tst_rollingstate.moc"
