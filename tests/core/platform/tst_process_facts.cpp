// Memory of processes, hashes, signals.
#include "core/platform/atomic_file.h"
#include "core/platform/child_process.h"
#include "core/platform/hash.h"
#include "core/platform/memory.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <csignal>
#include <cstring>
#include <vector>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace loquor;
using namespace loquor::platform;

namespace {

std::string nextLine(const FileDescriptor& fd)
{
    std::string line;
    char c = 0;
    while (::read(fd.get(), &c, 1) == 1 && c != '\n')
        line += c;
    return line;
}

} // namespace

class tst_process_facts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void memoryGrowsWithUse()
    {
        constexpr std::size_t kBytes = 64u << 20;
        const MemoryUse before = memoryUse();
        QVERIFY(before.rssBytes > 1u << 20);
        QVERIFY(before.peakRssBytes >= before.rssBytes);
        // From the system itself: an allocator, above all a checking one, may keep what is freed.
        void* block = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        QVERIFY(block != MAP_FAILED);
        std::memset(block, 1, kBytes);
        const MemoryUse during = memoryUse();
        ::munmap(block, kBytes);
        QVERIFY(during.rssBytes >= before.rssBytes + kBytes * 9 / 10);
        const MemoryUse after = memoryUse();
        QVERIFY(after.rssBytes < before.rssBytes + kBytes / 2);
        QVERIFY(after.peakRssBytes >= before.rssBytes + kBytes * 9 / 10);
    }

    // What was freed below something that lives stays resident until it is given back.
    void freeMemoryGoesBack()
    {
        constexpr std::size_t kBlock = 60'000, kCount = 1000;
        std::vector<std::vector<char>> blocks;
        for (std::size_t i = 0; i <= kCount; ++i)
            blocks.emplace_back(kBlock, 'x');
        blocks.erase(blocks.begin(), blocks.end() - 1);
        const std::uint64_t kept = memoryUse().rssBytes;
        // A checking allocator has no such heap, and nothing to give back.
        const bool systemHeap = ::mallinfo2().arena > kBlock * kCount;
        returnFreeMemory();
        const std::uint64_t back = systemHeap ? kBlock * kCount * 3 / 4 : 0;
        QVERIFY(memoryUse().rssBytes + back <= kept + (1u << 20));
        QCOMPARE(blocks.back().back(), 'x');
    }

    void memoryOfOthers()
    {
        const auto mine = memoryUseOf(::getpid());
        QVERIFY(mine);
        QVERIFY(mine->peakRssBytes > 0);
        const auto nobody = memoryUseOf(999'999'999);
        QVERIFY(!nobody);
        QCOMPARE(nobody.error().code(), ErrorCode::NotFound);
        QVERIFY(availableMemory() > 0 && availableMemory() <= totalMemory());
    }

    void sha256OfKnownBytes()
    {
        QCOMPARE(sha256(std::string()),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sha256(std::string("abc")),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("big").toStdString();
        const std::string content(3'000'001, 'q');
        QVERIFY(writeFile(file, content));
        QCOMPARE(*sha256File(file), sha256(content));
        QCOMPARE(sha256File(file.string() + "x").error().code(), ErrorCode::NotFound);
        CancelSource source;
        source.cancel();
        QVERIFY(sha256File(file, source.token()).error().isCancelled());
    }

    void interruptsBecomeCalls()
    {
        ChildOptions options;
        options.program = std::string(LOQUOR_BIN_DIR) + "/platform_child";
        options.arguments = {"watch-signals"};
        options.standardOutput = Stream::Pipe;
        auto child = ChildProcess::start(options);
        QVERIFY(child);
        const FileDescriptor out = child->takeOutput();
        QCOMPARE(nextLine(out), std::string("ready"));
        ::kill(child->pid(), SIGINT);
        QCOMPARE(nextLine(out), std::to_string(SIGINT));
        ::kill(child->pid(), SIGTERM);
        QCOMPARE(nextLine(out), std::to_string(SIGTERM));
        QCOMPARE(child->wait().code, 7);
    }

    void closedPipeIsAnErrorNotASignal()
    {
        std::signal(SIGPIPE, SIG_DFL);
        int fds[2];
        QCOMPARE(::pipe(fds), 0);
        ::close(fds[0]);
        const auto result = writeAll(fds[1], "x", 1, "Writing");
        ::close(fds[1]);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::ConnectionLost);
    }
};

LOQUOR_TEST(tst_process_facts)
#include "tst_process_facts.moc"
