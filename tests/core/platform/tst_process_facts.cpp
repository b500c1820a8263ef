// Memory of processes, hashes, signals.
#include "core/platform/atomic_file.h"
#include "core/platform/child_process.h"
#include "core/platform/hash.h"
#include "core/platform/memory.h"
#include "core/platform/processor_wait.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

    // Pictures that were freed below one that lives: the heap would keep them.
    void largeBlocksGoBackAtOnce()
    {
        constexpr std::size_t kBlock = 3u << 20, kCount = 12;
        returnLargeBlocksAtOnce();
        std::vector<std::vector<char>> blocks;
        for (std::size_t i = 0; i <= kCount; ++i) {
            std::vector<char>(2 * kBlock, 'y'); // what is freed must not teach the allocator to keep such blocks
            blocks.emplace_back(kBlock, 'x');
        }
        const std::uint64_t during = memoryUse().rssBytes;
        const bool systemHeap = ::mallinfo2().arena > 0; // else a checking allocator
        blocks.erase(blocks.begin(), blocks.end() - 1);
        // A checking allocator keeps what is freed to find who still uses it.
        if (systemHeap)
            QVERIFY(memoryUse().rssBytes + kBlock * kCount * 3 / 4 <= during + (1u << 20));
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

    // 106: what a process may have is also what it is allowed to have.
    void case_106_a_limit_counts_as_available_memory()
    {
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_AS, &before), 0);
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        rlimit limit = before;
        limit.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + (64u << 20);
        QCOMPARE(::setrlimit(RLIMIT_AS, &limit), 0);
        const std::uint64_t left = availableMemory();
        ::setrlimit(RLIMIT_AS, &before);
        QVERIFY2(left > 0 && left <= 64u << 20, qPrintable(QString::number(left)));
    }

    // 113: four threads that share one processor wait most of the time; who sleeps does not wait.
    void case_113_waitingForAProcessorIsTold()
    {
        ProcessorWait wait(::getpid());
        QCOMPARE(wait.sinceLast().count(), 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        QVERIFY(wait.sinceLast() < std::chrono::milliseconds(100));
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        std::atomic<bool> go{true};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                ::sched_setaffinity(0, sizeof one, &one);
                while (go) {
                }
            });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        wait.sinceLast();
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        const auto waited = wait.sinceLast();
        go = false;
        for (std::thread& thread : threads)
            thread.join();
        QVERIFY2(waited > std::chrono::milliseconds(200), qPrintable(QString::number(waited.count())));
        ProcessorWait nobody(0x3FFFFFFF);
        nobody.sinceLast();
        QCOMPARE(nobody.sinceLast().count(), 0);
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
