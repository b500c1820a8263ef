#include "core/session/frame_store.h"
#include "core/session/memory_watch.h"
#include "core/session/state_board.h"
#include "tests/support/test_main.h"

#include <atomic>
#include <thread>

using namespace loquor;
using namespace loquor::session;

class tst_stateboard : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void state_merges_facts_queue()
    {
        StateBoard board;
        std::atomic<int> wakeups{0};
        board.setWakeup([&] { ++wakeups; });
        std::thread writer([&] {
            for (int i = 1; i <= 100; ++i) {
                board.update([i](Snapshot& s) { s.framesDone = i; });
                board.post(makeEvent(Event::Kind::Warning, static_cast<CommandId>(i)));
            }
        });
        writer.join();
        QCOMPARE(board.snapshot().framesDone, std::int64_t(100));
        QCOMPARE(board.snapshot().revision, std::uint64_t(100));
        const auto events = board.takeEvents();
        QCOMPARE(events.size(), std::size_t(100));
        QCOMPARE(events[41].command, CommandId(42));
        QVERIFY(board.takeEvents().empty());
        QCOMPARE(wakeups.load(), 200);
    }

    // Who takes its wakeup back is often about to go away.
    void a_wakeup_taken_back_runs_no_more()
    {
        StateBoard board;
        std::atomic<bool> started = false, finished = false;
        board.setWakeup([&] {
            started = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            finished = true;
        });
        std::thread writer([&] { board.post(makeEvent(Event::Kind::Warning, 1)); });
        while (!started)
            std::this_thread::yield();
        board.setWakeup({});
        const bool waited = finished;
        writer.join();
        QVERIFY(waited);
    }

    void a_frame_that_is_not_there_is_fetched_once()
    {
        FrameStore store;
        QVERIFY(!store.at(3) && !store.latest(-1)); // without a ring there is no preview
        int asked = 0;
        QVERIFY(store.open([&] { ++asked; }));
        QVERIFY(!store.at(3));
        QVERIFY(!store.at(3));
        QCOMPARE(asked, 1);
        QCOMPARE(*store.takeWanted(), std::int64_t(3));
        QVERIFY(!store.at(8)); // while another is on its way
        QCOMPARE(asked, 1);
        QVERIFY(!store.takeWanted());
        auto frame = std::make_shared<VideoFrame>();
        frame->image = Image(2, 2, 3);
        frame->index = 3;
        store.deliver(frame);
        QCOMPARE(asked, 2); // now the next one
        QVERIFY(store.at(3));
        QCOMPARE(*store.takeWanted(), std::int64_t(8));
        store.deliver(std::make_shared<VideoFrame>()); // there is no such frame
        QVERIFY(!store.at(8));
        store.restart();
        QVERIFY(!store.at(3));
    }

    void memory_counts_the_whole_program()
    {
        MemoryWatch watch;
        watch.restart();
        const double before = watch.sample();
        QVERIFY(before > 5);
        std::vector<char> much(80u << 20, 1);
        QVERIFY(watch.sample() > before + 60);
        QVERIFY(watch.peakMb() > before + 60);
        QVERIFY(much[1000] == 1);
    }
};

LOQUOR_TEST(tst_stateboard)
#include "tst_stateboard.moc"
