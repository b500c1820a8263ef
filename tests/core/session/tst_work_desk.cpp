#include "core/session/work_desk.h"

#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace std::chrono_literals;

class tst_work_desk : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void works_in_order_on_its_own_thread()
    {
        std::mutex mutex;
        std::vector<int> order;
        std::atomic<int> done{0};
        WorkDesk desk("test", [](WorkDesk::Id, const Error&) {});
        for (int i = 0; i < 5; ++i)
            desk.ask(static_cast<WorkDesk::Id>(i), [&, i, asker = std::this_thread::get_id()](const CancelToken&) -> Result<void> {
                if (std::this_thread::get_id() == asker)
                    return fail(ErrorCode::Internal, "on the asker's thread");
                const std::lock_guard lock(mutex);
                order.push_back(i);
                ++done;
                return {};
            });
        QTRY_COMPARE(done.load(), 5);
        QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
    }

    void what_is_cancelled_fails_so_also_before_it_began()
    {
        std::mutex mutex;
        std::map<WorkDesk::Id, ErrorCode> failed;
        std::atomic<bool> begun{false}, second{false};
        WorkDesk desk("test", [&](WorkDesk::Id id, const Error& error) {
            const std::lock_guard lock(mutex);
            failed[id] = error.code();
        });
        const auto count = [&] {
            const std::lock_guard lock(mutex);
            return failed.size();
        };
        desk.ask(1, [&](const CancelToken& cancel) -> Result<void> {
            begun = true;
            while (!cancel.waitFor(1000)) {
            }
            return cancelled();
        });
        desk.ask(2, [&](const CancelToken&) -> Result<void> {
            second = true;
            return {};
        });
        desk.ask(3, [](const CancelToken&) -> Result<void> { throw std::runtime_error("broken"); });
        QTRY_VERIFY(begun);
        desk.cancel(2);
        desk.cancel(99); // not here
        desk.cancel(1);
        QTRY_COMPARE(count(), std::size_t(3));
        QVERIFY(!second);
        QVERIFY(failed[1] == ErrorCode::Cancelled && failed[2] == ErrorCode::Cancelled);
        QVERIFY(failed[3] == ErrorCode::Internal);
    }

    void its_end_cancels_what_runs()
    {
        std::atomic<bool> begun{false}, ended{false};
        {
            WorkDesk desk("test", [](WorkDesk::Id, const Error&) {});
            desk.ask(1, [&](const CancelToken& cancel) -> Result<void> {
                begun = true;
                ended = cancel.waitFor(60'000);
                return {};
            });
            QTRY_VERIFY(begun);
        }
        QVERIFY(ended);
    }
};

LOQUOR_TEST(tst_work_desk)
#include "tst_work_desk.moc"
