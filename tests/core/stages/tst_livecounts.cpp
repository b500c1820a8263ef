#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/core/stages/task_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/base/guarded_thread.h"
#include "core/portrait/portrait_builder.h"
#include "core/stages/project_chain.h"

using namespace loquor;
using namespace loquor::stages;
using pipeline::ChunkSpec;

namespace {

// Remembers every frame and every task that went through, without keeping them alive.
class Watcher : public pipeline::Sink<FrameGroup>
{
public:
    const char* name() const override { return "watch"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> consume(const ChunkSpec&, FrameGroup in, const CancelToken&) override
    {
        std::lock_guard lock(m_mutex);
        for (const FramePtr& frame : in.frames)
            m_frames.push_back(frame);
        boundaryBytes += in.boundary.size();
        return {};
    }
    Result<void> endChunk(const ChunkSpec&) override
    {
        ++chunks;
        return {};
    }
    Result<void> endRun() override { return {}; }

    int framesSeen() const
    {
        std::lock_guard lock(m_mutex);
        return static_cast<int>(m_frames.size());
    }
    int framesAlive() const
    {
        std::lock_guard lock(m_mutex);
        return static_cast<int>(std::count_if(m_frames.begin(), m_frames.end(),
                                              [](const auto& frame) { return !frame.expired(); }));
    }

    std::atomic<int> chunks{0};
    std::atomic<std::size_t> boundaryBytes{0};

private:
    mutable std::mutex m_mutex; // guards m_frames
    std::vector<std::weak_ptr<const VideoFrame>> m_frames;
};

// The chain of a project run on a thread of its own, with a small picture.
class RunningChain
{
public:
    RunningChain()
        : live(std::make_shared<LiveCount>()),
          queue(std::make_shared<TaskQueue>(RunShape{{25, 1}, made::kRate, 1, {8, 25}, {6, 0, 0, pipeline::JoinAt::Lines}})),
          watcher(std::make_shared<Watcher>())
    {
        m_thread = guardedThread("running the chain", [this] {
            ReferenceContext reference;
            reference.model = portrait::makeSyntheticPortrait({160, 96});
            auto faults = std::make_shared<TaskFaults>([this](const ChunkSpec&, const Error&) { ++faulty; });
            auto painter = std::make_shared<FramePainter>(reference, Image(), reference.model->width,
                                                          reference.model->height, 1);
            pipeline::Pipeline chain({.live = live});
            auto frames = addProjectStages(chain, queue, faults, {}, painter, reference.model->width,
                                           reference.model->height);
            chain.into<FrameGroup>(frames, watcher, {2, 0, std::chrono::microseconds{0}});
            if (!chain.run({}))
                ++faulty;
        });
    }
    ~RunningChain() { end(); }
    void end()
    {
        queue->close();
        if (m_thread.joinable())
            m_thread.join();
    }
    bool waitForChunks(int count) const
    {
        return QTest::qWaitFor([&] { return watcher->chunks >= count; }, 60'000);
    }
    // Nothing travels, no frame is alive.
    bool waitUntilEmpty() const
    {
        return QTest::qWaitFor([&] { return live->now() == LiveNumbers{} && watcher->framesAlive() == 0; }, 10'000);
    }

    std::shared_ptr<LiveCount> live;
    std::shared_ptr<TaskQueue> queue;
    std::shared_ptr<Watcher> watcher;
    std::atomic<int> faulty{0};

private:
    std::thread m_thread;
};

} // namespace

// What the portrait stages leave behind a chunk: the state of the solver, and nothing that was made with it.
class tst_livecounts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void nothing_stays_behind_a_chunk()
    {
        RunningChain run;
        for (int n = 1; n <= 8; ++n) {
            LineTask task = made::line(static_cast<std::uint64_t>(n), 8); // one chunk
            if (n > 1)
                task.start = LineStart::Before;
            QVERIFY(run.queue->add(std::move(task)));
            QVERIFY(run.waitForChunks(n));
            QVERIFY2(run.waitUntilEmpty(), qPrintable(QString("behind chunk %1: %2 objects, %3 bytes, %4 frames")
                                                          .arg(n)
                                                          .arg(run.live->now().objects)
                                                          .arg(run.live->now().bytes)
                                                          .arg(run.watcher->framesAlive())));
            QCOMPARE(run.watcher->framesSeen(), 8 * n);
        }
        QVERIFY(run.watcher->boundaryBytes > 0);
        QVERIFY(run.live->peak().bytes > 160 * 96 * 3); // the frames themselves were counted
        run.end();
        QCOMPARE(run.faulty.load(), 0);
        QCOMPARE(run.live->now(), LiveNumbers{});
    }

    void the_task_of_a_line_goes_with_its_last_chunk()
    {
        RunningChain run;
        LineTask task = made::line(1, 60); // 8, 25, 25 and 2 frames
        QVERIFY(run.queue->add(std::move(task)));
        QVERIFY(run.waitForChunks(4));
        QVERIFY(run.waitUntilEmpty());
        bool known = true;
        try {
            run.queue->line(1);
        } catch (const std::exception&) {
            known = false;
        }
        QVERIFY(!known);
        run.end();
        QCOMPARE(run.faulty.load(), 0);
    }

    // What is held at once depends on the queues (and on how threads are scheduled), not on the line.
    void a_long_line_is_never_held_as_a_whole()
    {
        constexpr int kFrames = 8 + 24 * 25;
        RunningChain run;
        QVERIFY(run.queue->add(made::line(1, kFrames)));
        run.end();
        QCOMPARE(run.faulty.load(), 0);
        QCOMPARE(run.watcher->framesSeen(), kFrames);
        // Two packets in each of the five queues, one at each of their ends, and the ends of chunks between them.
        const LiveNumbers peak = run.live->peak();
        QVERIFY2(peak.objects > 0 && peak.objects <= 5 * 2 * 2 + 6, qPrintable(QString::number(peak.objects)));
        constexpr std::int64_t kAllFrames = std::int64_t{kFrames} * 160 * 96 * 3;
        QVERIFY2(peak.bytes < kAllFrames / 10, qPrintable(QString::number(peak.bytes)));
    }
};

LOQUOR_TEST(tst_livecounts)
#include "tst_livecounts.moc"
