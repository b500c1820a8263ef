#include "core/platform/shared_memory.h"
#include "tests/support/test_main.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace loquor;
using namespace loquor::platform;

class tst_shared_memory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void otherProcessSeesIt()
    {
        auto memory = SharedMemory::create("test", 1 << 20);
        QVERIFY(memory);
        QCOMPARE(memory->size(), std::size_t(1 << 20));
        QCOMPARE(int(memory->data()[12345]), 0);
        auto sockets = makeSocketPair();
        QVERIFY(sockets);
        const pid_t child = ::fork();
        if (child == 0) {
            auto fd = receiveDescriptor(sockets->second.get());
            auto mine = fd ? SharedMemory::open(std::move(*fd), 1 << 20) : fail(fd.error());
            if (mine)
                mine->data()[12345] = 77;
            ::_exit(mine ? 0 : 1);
        }
        QVERIFY(sendDescriptor(sockets->first.get(), memory->fd()));
        int status = 0;
        ::waitpid(child, &status, 0);
        QCOMPARE(status, 0);
        QCOMPARE(int(memory->data()[12345]), 77);
    }

    void movesWithoutCopy()
    {
        auto memory = SharedMemory::create("test", 4096);
        QVERIFY(memory);
        const std::uint8_t* at = memory->data();
        SharedMemory other = std::move(*memory);
        QCOMPARE(static_cast<const std::uint8_t*>(other.data()), at);
        QVERIFY(memory->data() == nullptr);
    }

    void refusesWhatCouldCrashTheReader()
    {
        auto memory = SharedMemory::create("test", 4096);
        QVERIFY(memory);
        const auto larger = SharedMemory::open(FileDescriptor(::dup(memory->fd())), 8192);
        QVERIFY(!larger);
        QCOMPARE(larger.error().code(), ErrorCode::Corrupt);
        FileDescriptor unsealed(::memfd_create("x", MFD_CLOEXEC));
        QCOMPARE(::ftruncate(unsealed.get(), 4096), 0);
        QVERIFY(!SharedMemory::open(std::move(unsealed), 4096));
        QVERIFY(!SharedMemory::create("none", 0));
    }

    void closedPeerIsSaid()
    {
        auto sockets = makeSocketPair();
        QVERIFY(sockets);
        sockets->first.reset();
        const auto result = receiveDescriptor(sockets->second.get());
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::ConnectionLost);
        QCOMPARE(sendDescriptor(sockets->second.get(), 0).error().code(),
                 ErrorCode::ConnectionLost);
    }
};

LOQUOR_TEST(tst_shared_memory)
#include "tst_shared_memory.moc"
