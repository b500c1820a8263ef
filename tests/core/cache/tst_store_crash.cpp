// What other processes do to a store: die in it, and work in it at the same time.
#include "core/platform/child_process.h"
#include "core/platform/file_descriptor.h"
#include "tests/core/cache/store_test.h"
#include "tests/support/slowdown.h"

#include <array>
#include <barrier>
#include <cmath>
#include <csignal>
#include <memory>
#include <thread>

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

Result<platform::ChildProcess> startChild(const char* mode, const fs::path& folder, std::vector<int> numbers)
{
    platform::ChildOptions options;
    options.program = fs::path(LOQUOR_BIN_DIR) / "cache_child";
    options.arguments = {mode, folder.string()};
    for (const int number : numbers)
        options.arguments.push_back(std::to_string(number));
    options.standardOutput = platform::Stream::Pipe;
    return platform::ChildProcess::start(options);
}

} // namespace

class tst_store_crash : public QObject, StoreTest
{
    Q_OBJECT
private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m_store.reset(); }

    void case_107_killedAtEachStepOfACommit_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("isFinished");
        for (int step = 1; step <= static_cast<int>(CommitStep::Indexed); ++step)
            QTest::addRow("step%d", step) << step << (step >= static_cast<int>(CommitStep::Renamed));
    }
    void case_107_killedAtEachStepOfACommit()
    {
        QFETCH(int, step);
        QFETCH(bool, isFinished);
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        auto child = startChild("commit-and-die", m_options.folder, {2, step});
        QVERIFY(child);
        const auto status = child->waitFor(20s);
        QVERIFY(status);
        QCOMPARE(status->signal, SIGKILL);
        // This process has the store open all the time and sees the truth without opening it again.
        QCOMPARE(m_store->find(keyOf(2)).has_value(), isFinished);
        for (int round = 0; round < 2; ++round) {
            QVERIFY(open());
            QCOMPARE(m_store->openReport().damaged, std::uint64_t(0));
            QVERIFY(holdsChunk(*m_store, 1));
            QCOMPARE(m_store->find(keyOf(2)).has_value(), isFinished);
            QCOMPARE(holdsChunk(*m_store, 2), isFinished);
            QVERIFY(fs::is_empty(m_options.folder / "staging"));
            // The take was begun; its chunk is in it or the session finds the chunk by its key.
            const auto takes = m_store->ledger().list(1);
            QVERIFY(takes);
            QCOMPARE(takes->size(), std::size_t(1));
            QVERIFY(m_store->missing(takes->front().chunks).empty());
            QVERIFY(m_store->takeWarnings().empty());
            // The same once more from the folders alone.
            m_store.reset();
            fs::remove(m_options.folder / "index.db");
        }
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 2));
        QVERIFY(holdsChunk(*m_store, 2));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(2));
    }

    void case_116_whatADeadProcessHeldIsFree()
    {
        QVERIFY(open());
        for (int n = 1; n <= 3; ++n)
            QVERIFY(addChunk(*m_store, n));
        auto child = startChild("protect-and-wait", m_options.folder, {1});
        QVERIFY(child);
        char ready[6] = {};
        const auto output = child->takeOutput();
        QVERIFY(platform::readUpTo(output.get(), ready, 5, "child"));
        QCOMPARE(std::string(ready), std::string("ready"));
        // While it lives, its chunk and its staging folder stay.
        m_store->setMaxBytes(0);
        auto trimmed = m_store->trim();
        QVERIFY(trimmed);
        QCOMPARE(trimmed->removedEntries, std::uint64_t(2));
        QVERIFY(trimmed->overBytes > 0);
        QVERIFY(holdsChunk(*m_store, 1));
        QVERIFY(!fs::is_empty(m_options.folder / "staging"));
        child->kill();
        QCOMPARE(child->wait().signal, SIGKILL);
        trimmed = m_store->trim();
        QVERIFY(trimmed);
        QCOMPARE(trimmed->removedEntries, std::uint64_t(1));
        QCOMPARE(trimmed->overBytes, std::uint64_t(0));
        QVERIFY(fs::is_empty(m_options.folder / "staging"));
    }

    void anOpeningForgetsTheDead()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        m_store.reset();
        auto child = startChild("protect-and-wait", m_options.folder, {1});
        QVERIFY(child);
        char ready[6] = {};
        const auto output = child->takeOutput();
        QVERIFY(platform::readUpTo(output.get(), ready, 5, "child"));
        child->kill();
        child->wait();
        QVERIFY(open());
        QCOMPARE(m_store->openReport().stagingRemoved, std::uint64_t(1));
        m_store->setMaxBytes(0);
        QCOMPARE(m_store->trim()->removedEntries, std::uint64_t(1));
    }

    // They start together, the folder is not there yet, and whoever comes first keeps the store open.
    void severalOpenANewStoreAtOnceAndKeepIt()
    {
        for (int round = 0; round < 20; ++round) {
            StoreOptions options = m_options;
            options.folder /= "new" + std::to_string(round);
            options.busyTimeout = 2000ms * static_cast<int>(std::ceil(slowdown()));
            constexpr std::size_t kOpeners = 4;
            std::array<std::string, kOpeners> told;
            std::array<std::unique_ptr<ChunkStore>, kOpeners> stores;
            std::barrier together(static_cast<std::ptrdiff_t>(kOpeners));
            std::vector<std::thread> openers;
            for (std::size_t i = 0; i < kOpeners; ++i)
                openers.emplace_back([&, i] {
                    together.arrive_and_wait();
                    if (auto store = ChunkStore::open(options))
                        stores[i] = std::move(*store);
                    else
                        told[i] = store.error().text();
                });
            for (std::thread& opener : openers)
                opener.join();
            for (const std::string& text : told)
                QVERIFY2(text.empty(), text.c_str());
        }
    }

    void severalProcessesCommitAtOnce()
    {
        // Not even the folder is there: they also make the index at the same time.
        auto first = startChild("commit-range", m_options.folder, {0, 20});
        auto second = startChild("commit-range", m_options.folder, {10, 20});
        QVERIFY(first && second);
        QVERIFY(open());
        for (int n = 24; n >= 5; --n)
            QVERIFY(addChunk(*m_store, n));
        const auto firstStatus = first->waitFor(40s);
        const auto secondStatus = second->waitFor(40s);
        QVERIFY(firstStatus && secondStatus);
        QVERIFY2(firstStatus->isSuccess(), firstStatus->describe().c_str());
        QVERIFY2(secondStatus->isSuccess(), secondStatus->describe().c_str());
        for (int n = 0; n < 30; ++n)
            QVERIFY(holdsChunk(*m_store, n));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(30));
        QVERIFY(open());
        QCOMPARE(m_store->openReport().indexed, std::uint64_t(0));
        QCOMPARE(m_store->openReport().forgotten, std::uint64_t(0));
        QVERIFY(m_store->verify()->empty());
        QVERIFY(fs::is_empty(m_options.folder / "staging"));
    }
};

LOQUOR_TEST(tst_store_crash)
#include "tst_store_crash.moc"
