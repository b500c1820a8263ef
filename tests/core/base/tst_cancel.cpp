#include "core/base/cancel.h"
#include "tests/support/test_main.h"

#include <atomic>
#include <thread>

using namespace loquor;

class tst_cancel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void parentCancelsChildren()
    {
        CancelSource parent;
        CancelSource child(parent.token());
        CancelSource grandChild(child.token());
        parent.cancel();
        QVERIFY(grandChild.isCancelled());
    }
    void childDoesNotCancelParent()
    {
        CancelSource parent;
        CancelSource child(parent.token());
        child.cancel();
        QVERIFY(!parent.isCancelled());
    }
    void lateChildOfCancelledParentIsCancelled()
    {
        CancelSource parent;
        parent.cancel();
        QVERIFY(CancelSource(parent.token()).isCancelled());
    }
    void emptyTokenIsNeverCancelled()
    {
        QVERIFY(!CancelToken().isCancelled());
        QVERIFY(!CancelToken().waitFor(1));
    }
    void wakesWaiters()
    {
        CancelSource source;
        std::atomic<bool> woken = false;
        std::thread waiter([&] { woken = source.token().waitFor(20'000); });
        source.cancel();
        waiter.join();
        QVERIFY(woken);
    }
    void subscriptionEndsWithItsHandle()
    {
        CancelSource source;
        int calls = 0;
        {
            const auto handle = source.token().onCancel([&] { ++calls; });
        }
        const auto handle = source.token().onCancel([&] { calls += 10; });
        source.cancel();
        source.cancel();
        QCOMPARE(calls, 10);
    }
    // What a wake-up refers to goes away right after its handle.
    void endOfASubscriptionWaitsForItsWakeUp()
    {
        CancelSource source;
        std::atomic<bool> started = false, finished = false;
        auto handle = source.token().onCancel([&] {
            started = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            finished = true;
        });
        std::thread canceller([&] { source.cancel(); });
        while (!started)
            std::this_thread::yield();
        handle.reset();
        const bool waited = finished;
        canceller.join();
        QVERIFY(waited);
    }
    void wakeUpMayEndSubscriptions()
    {
        CancelSource source;
        int calls = 0;
        std::shared_ptr<void> own, other;
        own = source.token().onCancel([&] {
            ++calls;
            own.reset();
            other.reset();
        });
        other = source.token().onCancel([&] { calls += 10; });
        source.cancel();
        QCOMPARE(calls, 1);
    }
};

LOQUOR_TEST(tst_cancel)
#include "tst_cancel.moc"
