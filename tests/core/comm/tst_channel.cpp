#include "core/comm/channel.h"
#include "core/platform/shared_memory.h"
#include "tests/support/test_main.h"

#include <thread>

#include <unistd.h>

using namespace loquor;
using namespace loquor::comm;

class tst_channel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void frames_arrive_whole_and_in_order()
    {
        auto pair = platform::makeSocketPair();
        QVERIFY(pair);
        Channel left(std::move(pair->first)), right(std::move(pair->second));
        std::thread sender([&] {
            for (int i = 0; i < 50; ++i) {
                Frame frame{"header " + std::to_string(i),
                            std::vector<std::byte>(static_cast<std::size_t>(i) * 10007, std::byte(i))};
                QVERIFY(left.send(frame));
            }
        });
        for (int i = 0; i < 50; ++i) {
            auto got = right.receive(5000);
            QVERIFY(got && *got);
            QCOMPARE((*got)->header, "header " + std::to_string(i));
            QCOMPARE((*got)->payload.size(), static_cast<std::size_t>(i) * 10007);
            if (i > 0)
                QVERIFY((*got)->payload.back() == std::byte(i));
        }
        sender.join();
        auto nothing = right.receive(10);
        QVERIFY(nothing && !*nothing);
    }

    void a_closed_peer_is_connection_lost()
    {
        auto pair = platform::makeSocketPair();
        QVERIFY(pair);
        Channel left(std::move(pair->first));
        {
            Channel right(std::move(pair->second));
        }
        auto got = left.receive(1000);
        QVERIFY(!got);
        QCOMPARE(got.error().code(), ErrorCode::ConnectionLost);
    }

    void shutdown_wakes_a_blocked_receiver()
    {
        auto pair = platform::makeSocketPair();
        QVERIFY(pair);
        Channel left(std::move(pair->first)), right(std::move(pair->second));
        std::thread waker([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            left.shutdown();
        });
        auto got = left.receive(-1);
        waker.join();
        QVERIFY(!got);
    }

    void other_protocols_are_refused()
    {
        auto pair = platform::makeSocketPair();
        QVERIFY(pair);
        const char text[] = "GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n";
        QVERIFY(platform::writeAll(pair->first.get(), text, sizeof text, "test"));
        Channel right(std::move(pair->second));
        auto got = right.receive(1000);
        QVERIFY(!got);
        QCOMPARE(got.error().code(), ErrorCode::Corrupt);
    }
};

LOQUOR_TEST(tst_channel)
#include "tst_channel.moc"
