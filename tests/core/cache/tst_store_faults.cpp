// A full disk, damaged files, a folder that cannot be written.
#include "core/platform/signals.h"
#include "tests/core/cache/store_test.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/small_disk.h"

#include <cerrno>
#include <fstream>
#include <map>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;
namespace fs = std::filesystem;

namespace {

// Takes the right to write below a folder away from this process, also from root.
class NoRightToWrite
{
public:
    explicit NoRightToWrite(const fs::path& root) : m_root(root)
    {
        setModes(::geteuid() == 0 ? 0755 : 0555, 0644);
        if (::geteuid() == 0)
            m_isOther = ::seteuid(65534) == 0;
    }
    ~NoRightToWrite()
    {
        if (m_isOther)
            m_isOther = ::seteuid(0) != 0;
        setModes(0755, 0644);
    }
    NoRightToWrite(const NoRightToWrite&) = delete;
    NoRightToWrite& operator=(const NoRightToWrite&) = delete;

private:
    void setModes(mode_t folders, mode_t files)
    {
        ::chmod(m_root.c_str(), 0755);
        std::vector<fs::path> all{m_root};
        for (const auto& entry : fs::recursive_directory_iterator(m_root))
            all.push_back(entry.path());
        for (const fs::path& path : all)
            ::chmod(path.c_str(), fs::is_directory(path) ? folders : files);
    }
    fs::path m_root;
    bool m_isOther = false;
};

void overwrite(const fs::path& file, std::streamoff at, const std::string& bytes)
{
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace

class tst_store_faults : public QObject, StoreTest
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { platform::ignorePipeAndSizeSignals(); }
    void init() { begin(); }
    void cleanup() { m_store.reset(); }

    void case_160_diskFullAtEachStepOfACommit_data()
    {
        QTest::addColumn<int>("step");
        for (int step = 1; step <= static_cast<int>(CommitStep::Indexed); ++step)
            QTest::addRow("step%d", step) << step;
    }
    void case_160_diskFullAtEachStepOfACommit()
    {
        QFETCH(int, step);
        bool isFull = false;
        m_options.atStep = [&](CommitStep at) { return isFull && static_cast<int>(at) == step ? ENOSPC : 0; };
        QVERIFY(open());
        const auto take = m_store->ledger().begin({1, 2, "key", "", 0});
        QVERIFY(take);
        QVERIFY(addChunk(*m_store, 1, take->id));
        isFull = true;
        const auto made = addChunk(*m_store, 2, take->id);
        QVERIFY(!made);
        QCOMPARE(made.error().code(), ErrorCode::DiskFull);
        QVERIFY2(textOf(made.error()).contains(QString::fromStdString(m_options.folder.string())), qPrintable(textOf(made.error())));
        QVERIFY2(textOf(made.error()).contains("Free some space"), qPrintable(textOf(made.error())));
        QVERIFY(fs::is_empty(m_options.folder / "staging"));
        QVERIFY(holdsChunk(*m_store, 1));
        isFull = false;
        const auto before = m_store->ledger().get(take->id);
        QVERIFY(before);
        QVERIFY(m_store->missing(before->chunks).empty());
        if (before->chunks.size() == 1)
            QVERIFY(addChunk(*m_store, 2, take->id));
        QVERIFY(open());
        QVERIFY(holdsChunk(*m_store, 1));
        QVERIFY(holdsChunk(*m_store, 2));
        QCOMPARE(m_store->ledger().get(take->id)->chunks, (std::vector<std::string>{keyOf(1), keyOf(2)}));
    }

    void case_167_case_169_realFullDisk_data()
    {
        QTest::addColumn<int>("pages");
        for (int pages = 0; pages < 24; pages += 2)
            QTest::addRow("%dpages", pages) << pages;
    }
    void case_167_case_169_realFullDisk()
    {
        QFETCH(int, pages);
        SmallDisk disk(m_options.folder);
        m_options.folder /= "store";
        QVERIFY(open());
        const auto take = m_store->ledger().begin({1, 2, "key", "", 0});
        QVERIFY(take);
        QVERIFY(addChunk(*m_store, 1, take->id));
        disk.fill(pages);
        const auto made = addChunk(*m_store, 2, take->id);
        const auto noted = m_store->ledger().noteFailure(take->id, "no reason");
        const auto protection = m_store->protect(1, {keyOf(1)});
        const bool stillThere = holdsChunk(*m_store, 1) && m_store->find(keyOf(1));
        const bool isClean = fs::is_empty(m_options.folder / "staging");
        disk.release();
        QVERIFY(stillThere);
        QVERIFY(isClean);
        if (!made)
            QCOMPARE(made.error().code(), ErrorCode::DiskFull);
        if (pages == 0)
            QVERIFY(!made);
        if (!noted)
            QCOMPARE(noted.error().code(), ErrorCode::DiskFull);
        if (!protection)
            QCOMPARE(protection.error().code(), ErrorCode::DiskFull);
        QVERIFY(m_store->takeWarnings().empty());
        const auto after = m_store->ledger().get(take->id);
        QVERIFY(after);
        QVERIFY(m_store->missing(after->chunks).empty());
        QVERIFY(addChunk(*m_store, 3, take->id));
        // And the index says what the folders say.
        const auto takes = m_store->ledger().list(1);
        m_store.reset();
        fs::remove(m_options.folder / "index.db");
        QVERIFY(open());
        QVERIFY(*m_store->ledger().list(1) == *takes);
        QVERIFY(holdsChunk(*m_store, 1) && holdsChunk(*m_store, 3));
        m_store.reset();
    }

    void openedOnAFullDisk()
    {
        SmallDisk disk(m_options.folder);
        m_options.folder /= "store";
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        m_store.reset();
        disk.fill(0);
        const bool isOpen = open();
        const bool stillThere = isOpen && holdsChunk(*m_store, 1);
        const auto made = isOpen ? addChunk(*m_store, 2) : Result<EntryInfo>(fail(ErrorCode::Internal, "closed"));
        disk.release();
        QVERIFY(isOpen);
        QVERIFY(stillThere);
        QVERIFY(!made);
        QCOMPARE(made.error().code(), ErrorCode::DiskFull);
        QVERIFY2(textOf(made.error()).contains("ree some space"), qPrintable(textOf(made.error())));
        // With room again, no new start is needed.
        QVERIFY(addChunk(*m_store, 2));
        QVERIFY(holdsChunk(*m_store, 1) && holdsChunk(*m_store, 2));
        QVERIFY(!m_store->whyNotWritable());
        m_store.reset();
    }

    void case_164_limitOfFileSizesIsAnErrorInWords()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        const auto staging = stageChunk(*m_store, 2);
        QVERIFY(staging);
        {
            const test::FileSizeLimit limit(100);
            const auto made = m_store->commit(*staging, factsOf(2));
            QVERIFY(!made);
            QCOMPARE(made.error().code(), ErrorCode::DiskFull);
            QVERIFY2(textOf(made.error()).contains("entry.json"), qPrintable(textOf(made.error())));
            QVERIFY(holdsChunk(*m_store, 1));
        }
        QVERIFY(addChunk(*m_store, 2));
    }

    void case_172_case_176_damagedIndex_data()
    {
        QTest::addColumn<QString>("damage");
        for (const char* damage : {"truncated", "header only", "random bytes", "zero length", "older schema", "foreign file",
                                   "a folder", "missing"})
            QTest::newRow(damage) << damage;
    }
    void case_172_case_176_damagedIndex()
    {
        QFETCH(QString, damage);
        QVERIFY(open());
        auto& ledger = m_store->ledger();
        const auto take = ledger.begin({1, 2, "key", "boundary", 9});
        QVERIFY(take);
        for (int n = 0; n < 30; ++n)
            QVERIFY(addChunk(*m_store, n, take->id));
        QVERIFY(ledger.setPinned(take->id, true));
        const auto other = ledger.begin({1, 2, "key", "boundary", 10});
        QVERIFY(other && addChunk(*m_store, 30, other->id) && ledger.noteFailure(other->id, "broke"));
        const auto takes = ledger.list(1);
        std::map<std::string, EntryInfo> entries;
        for (int n = 0; n <= 30; ++n)
            entries[keyOf(n)] = *m_store->find(keyOf(n));
        m_store.reset();
        const fs::path index = m_options.folder / "index.db";
        const auto size = fs::file_size(index);
        QVERIFY(size > 3 * 4096);
        if (damage == "truncated")
            fs::resize_file(index, size / 2);
        else if (damage == "header only")
            fs::resize_file(index, 100);
        else if (damage == "random bytes")
            overwrite(index, 4096, bytesOf(1, size - 4096));
        else if (damage == "zero length")
            fs::resize_file(index, 0);
        else if (damage == "older schema")
            overwrite(index, 60, std::string(4, '\0')); // user_version
        else if (damage == "foreign file")
            overwrite(index, 0, "<html><body>This is no database at all.");
        else
            fs::remove(index);
        if (damage == "a folder")
            fs::create_directory(index);
        QVERIFY(open());
        QVERIFY(m_store->openReport().rebuilt);
        QCOMPARE(m_store->openReport().indexed, std::uint64_t(31));
        // case 124: the damaged file is kept aside, and said.
        QCOMPARE(fs::exists(m_options.folder / "index.damaged.db"), damage != "missing");
        QCOMPARE(m_store->takeWarnings().size(), std::size_t(damage == "missing" ? 0 : 1));
        QVERIFY(*m_store->ledger().list(1) == *takes);
        for (int n = 0; n <= 30; ++n) {
            QVERIFY(*m_store->find(keyOf(n)) == entries[keyOf(n)]);
            QVERIFY(holdsChunk(*m_store, n));
        }
        // The next start is an ordinary one.
        QVERIFY(open());
        QVERIFY(!m_store->openReport().rebuilt);
        QVERIFY(m_store->takeWarnings().empty());
        QVERIFY(*m_store->ledger().list(1) == *takes);
    }

    void someBytesOfTheIndexChanged_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 20; ++seed)
            QTest::addRow("seed%d", seed) << seed;
    }
    void someBytesOfTheIndexChanged()
    {
        QFETCH(int, seed);
        QVERIFY(open());
        const auto take = m_store->ledger().begin({1, 2, "key", "", 9});
        QVERIFY(take);
        for (int n = 0; n < 8; ++n)
            QVERIFY(addChunk(*m_store, n, take->id));
        m_store.reset();
        const fs::path index = m_options.folder / "index.db";
        Random random(static_cast<std::uint64_t>(seed));
        const auto size = static_cast<double>(fs::file_size(index));
        for (int i = 0; i < 8; ++i)
            overwrite(index, static_cast<std::streamoff>(random.uniform(0, size - 32)), bytesOf(seed * 100 + i, 32));
        // What the index says may be wrong where no check can see it; the chunks are there all the same.
        QVERIFY(open());
        for (int n = 0; n < 8; ++n)
            QVERIFY(holdsChunk(*m_store, n));
        QVERIFY(addChunk(*m_store, 9));
        QVERIFY(m_store->takeWarnings().size() <= 1);
    }

    void damagedIndexInUseIsNotReplaced()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        QVERIFY(open()); // now nothing of the index is in the write-ahead log
        overwrite(m_options.folder / "index.db", 4096, bytesOf(1, 4096));
        StoreOptions second = m_options;
        second.busyTimeout = std::chrono::milliseconds(50);
        const auto other = ChunkStore::open(second);
        QVERIFY(!other);
        QCOMPARE(other.error().code(), ErrorCode::Corrupt);
        QVERIFY2(textOf(other.error()).contains("Close all other Loquor programs"), qPrintable(textOf(other.error())));
        QVERIFY(!fs::exists(m_options.folder / "index.damaged.db"));
        QVERIFY(holdsChunk(*m_store, 1));
    }

    void damagedPart_data()
    {
        QTest::addColumn<QString>("damage");
        for (const char* damage : {"bit flip", "truncated", "longer", "missing", "description", "no description"})
            QTest::newRow(damage) << damage;
    }
    void damagedPart()
    {
        QFETCH(QString, damage);
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1) && addChunk(*m_store, 2));
        QVERIFY(open()); // a process that has not verified them
        const fs::path file = entryFile(1, "video.mp4");
        std::string flipped = bytesOf(1, kVideoBytes);
        flipped[7777] = static_cast<char>(flipped[7777] ^ 4);
        if (damage == "bit flip")
            QVERIFY(platform::writeFile(file, flipped));
        else if (damage == "truncated")
            fs::resize_file(file, kVideoBytes - 1);
        else if (damage == "longer")
            fs::resize_file(file, kVideoBytes + 1);
        else if (damage == "missing")
            fs::remove(file);
        else if (damage == "description")
            overwrite(entryFile(1, "entry.json"), 40, "#");
        else
            fs::remove(entryFile(1, "entry.json"));
        const auto part = m_store->part(keyOf(1), "boundary.bin");
        QVERIFY(!part);
        QCOMPARE(part.error().code(), ErrorCode::NotFound);
        QVERIFY(!m_store->find(keyOf(1)));
        QCOMPARE(m_store->missing({keyOf(1), keyOf(2)}), std::vector<std::string>{keyOf(1)});
        QVERIFY(holdsChunk(*m_store, 2));
        if (damage != "no description")
            QCOMPARE(m_store->takeWarnings().size(), std::size_t(1));
        QVERIFY(addChunk(*m_store, 1));
        QVERIFY(holdsChunk(*m_store, 1));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(2));
    }

    void damagedEntryIsNotKeptByTheFirstWinsRule()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        QVERIFY(open());
        fs::resize_file(entryFile(1, "video.mp4"), 5);
        QVERIFY(addChunk(*m_store, 1));
        QVERIFY(holdsChunk(*m_store, 1));
    }

    void changedAfterItWasVerified()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1));
        QVERIFY(holdsChunk(*m_store, 1));
        fs::remove(entryFile(1, "video.mp4"));
        QCOMPARE(m_store->part(keyOf(1), "video.mp4").error().code(), ErrorCode::NotFound);
        QVERIFY(!m_store->find(keyOf(1)));
    }

    void wholeEntryRemovedByHand()
    {
        QVERIFY(open());
        QVERIFY(addChunk(*m_store, 1) && addChunk(*m_store, 2) && addChunk(*m_store, 3));
        fs::remove_all(entryFile(1, "").parent_path());
        QVERIFY(!m_store->find(keyOf(1)));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(2));
        fs::remove_all(entryFile(2, "").parent_path());
        QVERIFY(open());
        QCOMPARE(m_store->openReport().forgotten, std::uint64_t(1));
        QCOMPARE(m_store->usage()->entries, std::uint64_t(1));
    }

    void verifyFindsAllDamage()
    {
        QVERIFY(open());
        for (int n = 0; n < 5; ++n)
            QVERIFY(addChunk(*m_store, n));
        fs::resize_file(entryFile(3, "video.mp4"), 5);
        const auto bad = m_store->verify();
        QVERIFY(bad);
        QCOMPARE(*bad, std::vector<std::string>{keyOf(3)});
        QVERIFY(m_store->verify()->empty());
        CancelSource source;
        source.cancel();
        QCOMPARE(m_store->verify(source.token()).error().code(), ErrorCode::Cancelled);
    }

    void folderWithoutRightToWrite()
    {
        QVERIFY(open());
        const auto take = m_store->ledger().begin({1, 2, "key", "", 0});
        QVERIFY(take && addChunk(*m_store, 1, take->id) && addChunk(*m_store, 2));
        m_store.reset();
        fs::resize_file(entryFile(2, "video.mp4"), 5);
        const NoRightToWrite noRight(m_dir.path().toStdString());
        QVERIFY(open());
        QVERIFY(m_store->whyNotWritable());
        QCOMPARE(m_store->usage()->entries, std::uint64_t(2));
        QVERIFY(holdsChunk(*m_store, 1));
        QCOMPARE(m_store->ledger().get(take->id)->chunks, std::vector<std::string>{keyOf(1)});
        QVERIFY(m_store->protect(1, {keyOf(1)}));
        // A damaged one counts as missing, though it cannot be removed.
        QVERIFY(m_store->find(keyOf(2)));
        QCOMPARE(m_store->part(keyOf(2), "video.mp4").error().code(), ErrorCode::NotFound);
        QVERIFY(!m_store->find(keyOf(2)));
        const QString folder = QString::fromStdString(m_options.folder.string());
        for (const Error& error : {m_store->stage().error(), m_store->commit(m_options.folder, factsOf(3)).error(),
                                   m_store->remove({keyOf(1)}).error(), m_store->trim().error(),
                                   m_store->ledger().complete(take->id).error()}) {
            QCOMPARE(error.code(), ErrorCode::PermissionDenied);
            QVERIFY2(textOf(error).contains(folder), qPrintable(textOf(error)));
        }
        m_store.reset();
    }

    void folderThatCannotBeMade()
    {
        fs::create_directories(m_options.folder);
        QVERIFY(platform::writeFile(m_options.folder / "file", std::string("x")));
        m_options.folder = m_options.folder / "file" / "store";
        const auto store = ChunkStore::open(m_options);
        QVERIFY(!store);
        QVERIFY2(textOf(store.error()).contains("file"), qPrintable(textOf(store.error())));
    }
};

LOQUOR_TEST(tst_store_faults)
#include "tst_store_faults.moc"
