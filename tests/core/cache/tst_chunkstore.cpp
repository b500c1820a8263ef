#include "core/cache/chunk_store.h"
#include "tests/core/cache/store_test.h"

#include <atomic>
#include <thread>

#include <sys/stat.h>

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;
namespace fs = std::filesystem;

namespace {

int namesIn(const fs::path& folder)
{
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder))
        ++count;
    return count;
}

} // namespace

class tst_chunkstore : public QObject, StoreTest
{
    Q_OBJECT

    // Which of the chunks 0..count-1 are still there, as text: "0 2 3".
    std::string present(int count)
    {
        std::string out;
        for (int n = 0; n < count; ++n)
            if (m_store->missing({keyOf(n)}).empty())
                out += (out.empty() ? "" : " ") + std::to_string(n);
        return out;
    }
    bool fillWith(int count)
    {
        for (int n = 0; n < count; ++n)
            if (!addChunk(*m_store, n))
                return false;
        return true;
    }
    // Lets the store hold `count` of the test's chunks.
    void limitTo(std::uint64_t count) { m_store->setMaxBytes(count * (m_store->find(keyOf(0))->bytes + 40)); }

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m_store.reset(); }

    void roundTrip()
    {
        QVERIFY(open());
        QVERIFY(m_store->openReport().rebuilt);
        QVERIFY(!m_store->whyNotWritable());
        QVERIFY(!m_store->find(keyOf(1)));
        QCOMPARE(m_store->part(keyOf(1), "video.mp4").error().code(), ErrorCode::NotFound);
        const auto made = addChunk(*m_store, 1);
        QVERIFY2(made, made ? "" : qPrintable(textOf(made.error())));
        QCOMPARE(made->key, keyOf(1));
        QCOMPARE(made->facts, factsOf(1).facts);
        QCOMPARE(made->parts.size(), std::size_t(2));
        QCOMPARE(made->parts[0].bytes, std::uint64_t(kVideoBytes));
        QCOMPARE(made->parts[0].sha256, platform::sha256(bytesOf(1, kVideoBytes)));
        QVERIFY(holdsChunk(*m_store, 1));
        QCOMPARE(m_store->part(keyOf(1), "sound.wav").error().code(), ErrorCode::NotFound);
        QCOMPARE(namesIn(m_options.folder / "staging"), 0);
        QCOMPARE(m_store->usage()->entries, std::uint64_t(1));
        QCOMPARE(m_store->usage()->bytes, made->bytes);
        std::uint64_t onDisk = 0;
        for (const auto& file : fs::directory_iterator(entryFile(1, "").parent_path()))
            onDisk += file.file_size();
        QCOMPARE(made->bytes, onDisk);
        QVERIFY(open());
        QVERIFY(!m_store->openReport().rebuilt);
        const auto found = m_store->find(keyOf(1));
        QVERIFY(found);
        QVERIFY(*found == *made);
        QVERIFY(holdsChunk(*m_store, 1));
        QVERIFY(m_store->takeWarnings().empty());
    }

    void kindsAndFactsAreKept()
    {
        QVERIFY(open());
        for (const EntryKind kind : {EntryKind::N, EntryKind::I, EntryKind::Speech}) {
            const int n = static_cast<int>(kind);
            const auto staging = stageChunk(*m_store, n);
            QVERIFY(staging);
            EntryFacts facts = factsOf(n, kind);
            facts.facts = R"({ "text": "Grüße, 日本語", "b": [1.25, null, true], "a": {} })";
            const auto made = m_store->commit(*staging, facts);
            QVERIFY(made);
            QCOMPARE(made->facts, std::string(R"({"a":{},"b":[1.25,null,true],"text":"Grüße, 日本語"})"));
        }
        fs::remove(m_options.folder / "index.db");
        for (int round = 0; round < 2; ++round) {
            QVERIFY(open());
            for (const EntryKind kind : {EntryKind::N, EntryKind::I, EntryKind::Speech})
                QVERIFY(m_store->find(keyOf(static_cast<int>(kind)))->kind == kind);
        }
    }

    void firstCommitWins()
    {
        QVERIFY(open());
        const auto first = addChunk(*m_store, 1);
        QVERIFY(first);
        const auto staging = m_store->stage();
        QVERIFY(staging);
        QVERIFY(platform::writeFile(*staging / "video.mp4", std::string("other")));
        QVERIFY(platform::writeFile(*staging / "boundary.bin", std::string("bytes")));
        const auto second = m_store->commit(*staging, factsOf(1));
        QVERIFY(second);
        QVERIFY(*second == *first);
        QVERIFY(holdsChunk(*m_store, 1));
        QVERIFY(!fs::exists(*staging));
    }

    void case_154_stagingIsOnTheStoresVolume()
    {
        QVERIFY(open());
        const auto staging = m_store->stage();
        const auto another = m_store->stage();
        QVERIFY(staging && another && *staging != *another);
        QVERIFY(fs::is_empty(*staging));
        struct stat inside{}, objects{};
        QCOMPARE(::stat(staging->c_str(), &inside), 0);
        QCOMPARE(::stat((m_options.folder / "objects").c_str(), &objects), 0);
        QCOMPARE(inside.st_dev, objects.st_dev);
    }

    void case_170_discardedLeavesNothing()
    {
        QVERIFY(open());
        const auto staging = stageChunk(*m_store, 1);
        QVERIFY(staging);
        m_store->discard(*staging);
        QCOMPARE(namesIn(m_options.folder / "staging"), 0);
        m_store->discard(*staging);
        // Only staging folders are ever removed.
        QVERIFY(addChunk(*m_store, 2));
        m_store->discard(m_options.folder / "objects");
        m_store->discard(m_options.folder / "staging");
        QVERIFY(holdsChunk(*m_store, 2));
        QVERIFY(stageChunk(*m_store, 3));
        m_store.reset(); // an ordinary end
        QCOMPARE(namesIn(m_options.folder / "staging"), 0);
        QCOMPARE(namesIn(m_options.folder / "clients"), 0);
    }

    void wrongCommits_data()
    {
        QTest::addColumn<QString>("wrong");
        for (const char* wrong : {"key", "facts", "no parts", "name", "twice", "lacking", "surplus", "link", "folder"})
            QTest::newRow(wrong) << wrong;
    }
    void wrongCommits()
    {
        QFETCH(QString, wrong);
        QVERIFY(open());
        const auto staging = stageChunk(*m_store, 1);
        QVERIFY(staging);
        EntryFacts facts = factsOf(1);
        if (wrong == "key")
            facts.key = "../../" + facts.key.substr(6);
        else if (wrong == "facts")
            facts.facts = "[1]";
        else if (wrong == "no parts")
            facts.parts.clear();
        else if (wrong == "name")
            facts.parts.push_back("../video.mp4");
        else if (wrong == "twice")
            facts.parts.push_back("video.mp4");
        else if (wrong == "lacking")
            facts.parts.push_back("sound.wav");
        else if (wrong == "surplus")
            facts.parts.pop_back();
        else if (wrong == "link") {
            fs::remove(*staging / "video.mp4");
            fs::create_symlink("boundary.bin", *staging / "video.mp4");
        } else {
            fs::create_directory(*staging / "sub");
            facts.parts.push_back("sub");
        }
        const auto made = m_store->commit(*staging, facts);
        QVERIFY(!made);
        QCOMPARE(made.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(!fs::exists(*staging));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(0));
        QVERIFY(!m_store->find(facts.key));
    }

    void foreignFoldersAreNotCommitted()
    {
        QVERIFY(open());
        const fs::path foreign = m_options.folder / "foreign";
        fs::create_directory(foreign);
        const auto made = m_store->commit(foreign, factsOf(1));
        QVERIFY(!made);
        QCOMPARE(made.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(fs::exists(foreign));
    }

    void removeForgets()
    {
        QVERIFY(open());
        QVERIFY(fillWith(3));
        QVERIFY(m_store->remove({keyOf(0), keyOf(2), keyOf(77), "no key"}));
        QCOMPARE(present(3), std::string("1"));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(1));
        QVERIFY(!fs::exists(entryFile(0, "")));
        QCOMPARE(m_store->missing({keyOf(0), keyOf(1)}), std::vector<std::string>{keyOf(0)});
    }

    void leastRecentlyUsedGoFirst()
    {
        QVERIFY(open());
        QVERIFY(fillWith(6));
        QVERIFY(m_store->find(keyOf(1)));
        QVERIFY(m_store->part(keyOf(0), "video.mp4"));
        // missing() is no use.
        QVERIFY(m_store->missing({keyOf(2)}).empty());
        QVERIFY(open()); // uses survive
        limitTo(4);      // uses chunk 0 once more
        const auto trimmed = m_store->trim();
        QVERIFY(trimmed);
        QCOMPARE(trimmed->removedEntries, std::uint64_t(2));
        QCOMPARE(trimmed->overBytes, std::uint64_t(0));
        QCOMPARE(present(6), std::string("0 1 4 5"));
        // A commit keeps the limit by itself, and what was just made stays.
        QVERIFY(addChunk(*m_store, 6));
        QCOMPARE(present(7), std::string("0 1 5 6"));
        limitTo(0);
        QVERIFY(addChunk(*m_store, 7));
        QCOMPARE(present(8), std::string("7"));
    }

    void protectedChunksStay()
    {
        QVERIFY(open());
        QVERIFY(fillWith(6));
        auto other = ChunkStore::open(m_options); // another window, as good as another process
        QVERIFY(other);
        QVERIFY(m_store->protect(1, {keyOf(0), keyOf(1)}));
        QVERIFY(m_store->protect(2, {keyOf(1), keyOf(2)}));
        QVERIFY((*other)->protect(1, {keyOf(3), keyOf(3)}));
        QCOMPARE(m_store->protect(1, {"no key"}).error().code(), ErrorCode::InvalidArgument);
        limitTo(0);
        const auto trimmed = m_store->trim();
        QVERIFY(trimmed);
        QCOMPARE(present(6), std::string("0 1 2 3"));
        QVERIFY(trimmed->overBytes > 0);
        QCOMPARE(trimmed->overBytes, m_store->usage()->bytes);
        // Replaced, ended, and closed.
        QVERIFY(m_store->protect(1, {keyOf(1)}));
        QVERIFY(m_store->trim());
        QCOMPARE(present(6), std::string("1 2 3"));
        QVERIFY(m_store->unprotect(2));
        QVERIFY(m_store->trim());
        QCOMPARE(present(6), std::string("1 3"));
        other->reset();
        QVERIFY(m_store->trim());
        QCOMPARE(present(6), std::string("1"));
        QVERIFY(m_store->unprotect(1));
        QCOMPARE(m_store->trim()->overBytes, std::uint64_t(0));
        QCOMPARE(present(6), std::string());
    }

    void clockJumpsChangeNoOrder()
    {
        std::int64_t now = 4'000'000'000;
        m_options.now = [&] { return std::chrono::system_clock::from_time_t(now); };
        QVERIFY(open());
        for (int n = 0; n < 5; ++n) {
            QVERIFY(addChunk(*m_store, n));
            now -= 700'000'000; // to before 1990
        }
        QCOMPARE(m_store->find(keyOf(0))->createdAt, std::string("2096-10-02T07:06:40Z"));
        limitTo(3); // uses 0
        QVERIFY(m_store->trim());
        QCOMPARE(present(5), std::string("0 3 4"));
        const auto first = m_store->ledger().begin({1, 2, "a", "", 0});
        now -= 100'000'000;
        const auto second = m_store->ledger().begin({1, 2, "b", "", 0});
        QVERIFY(first && second);
        QVERIFY(second->createdAt < first->createdAt);
        QCOMPARE(m_store->ledger().list(1, 2)->at(1).id, second->id);
        QCOMPARE(second->number, 2);
    }

    void case_148_foldersInSeveralScripts_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("umlaut") << "Grüße";
        QTest::newRow("japanese") << "日本語 の 名前";
        QTest::newRow("question") << "a?b#c%20d&e=f";
        QTest::newRow("quotes") << "it's \"it\"\n`x`";
    }
    void case_148_foldersInSeveralScripts()
    {
        QFETCH(QString, name);
        m_options.folder /= name.toStdString();
        for (int round = 0; round < 2; ++round) {
            QVERIFY(open());
            QVERIFY(addChunk(*m_store, round));
            QVERIFY(holdsChunk(*m_store, 0));
        }
        QVERIFY(fs::exists(m_options.folder / "index.db"));
    }

    void relativeFolder()
    {
        const fs::path before = fs::current_path();
        fs::create_directories(m_options.folder);
        fs::current_path(m_options.folder);
        m_options.folder = "file:store?mode=ro"; // a name and nothing else, also for SQLite
        QVERIFY(open());
        fs::current_path(before);
        QVERIFY(addChunk(*m_store, 1));
        QVERIFY(holdsChunk(*m_store, 1));
        QVERIFY(m_store->folder().is_absolute());
        m_options.folder.clear();
        QCOMPARE(ChunkStore::open(m_options).error().code(), ErrorCode::InvalidArgument);
    }

    void severalThreadsUseOneStore()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 0));
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] {
                const auto take = m_store->ledger().begin({1, static_cast<std::uint64_t>(i), "", "", 0});
                for (int n = 0; take && n < 8; ++n)
                    if (addChunk(*m_store, i * 4 + n, take->id) && holdsChunk(*m_store, 0) &&
                        m_store->find(keyOf(i * 4 + n)) && m_store->usage() && m_store->ledger().list(1) &&
                        m_store->protect(static_cast<std::uint64_t>(n), {keyOf(n)}))
                        ++good;
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 32);
        QCOMPARE(m_store->usage()->entries, std::uint64_t(20));
    }

    void foreignFilesInTheStoreAreLeftAlone()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        const fs::path notes = m_options.folder / "objects" / "notes.txt";
        const fs::path odd = entryFile(1, "").parent_path().parent_path() / "odd";
        QVERIFY(platform::writeFile(notes, std::string("mine")));
        fs::create_directory(odd);
        QVERIFY(open());
        QCOMPARE(m_store->usage()->entries, std::uint64_t(1));
        QVERIFY(m_store->takeWarnings().empty());
        QVERIFY(fs::exists(notes) && fs::exists(odd));
    }

    void entryOfANewerVersionIsNotTouched()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        m_store.reset();
        auto description = platform::readTextFile(entryFile(1, "entry.json"));
        QVERIFY(description);
        const auto at = description->find("\"version\": 1");
        QVERIFY(at != std::string::npos);
        description->replace(at, 12, "\"version\": 2");
        QVERIFY(platform::writeFile(entryFile(1, "entry.json"), *description));
        fs::remove(m_options.folder / "index.db");
        QVERIFY(open());
        QVERIFY(!m_store->find(keyOf(1)));
        QVERIFY(fs::exists(entryFile(1, "video.mp4")));
        QVERIFY(m_store->takeWarnings().empty());
    }
};

LOQUOR_TEST(tst_chunkstore)
#include "tst_chunkstore.moc"
