#include "core/cache/chunk_store.h"
#include "tests/core/cache/store_fixture.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;
namespace fs = std::filesystem;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(error.text());
}

std::unique_ptr<ChunkStore> opened(const StoreOptions& options)
{
    auto store = ChunkStore::open(options);
    if (!store) {
        qWarning("%s", store.error().text().c_str());
        return nullptr;
    }
    return std::move(*store);
}

int namesIn(const fs::path& folder)
{
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder))
        ++count;
    return count;
}

} // namespace

class tst_chunkstore : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    StoreOptions m_options;

private Q_SLOTS:
    void init()
    {
        m_options = {};
        m_options.folder = fs::path(m_dir.path().toStdString()) / QTest::currentTestFunction();
    }

    void roundTrip()
    {
        auto store = opened(m_options);
        QVERIFY(store);
        QVERIFY(store->openReport().rebuilt);
        QVERIFY(!store->find(keyOf(1)));
        QCOMPARE(store->part(keyOf(1), "video.mp4").error().code(), ErrorCode::NotFound);
        const auto made = addChunk(*store, 1);
        QVERIFY2(made, made ? "" : qPrintable(text(made.error())));
        QCOMPARE(made->key, keyOf(1));
        QCOMPARE(made->facts, factsOf(1).facts);
        QCOMPARE(made->parts.size(), std::size_t(2));
        QCOMPARE(made->parts[0].bytes, std::uint64_t(kVideoBytes));
        QCOMPARE(made->parts[0].sha256, platform::sha256(bytesOf(1, kVideoBytes)));
        QVERIFY(holdsChunk(*store, 1));
        QCOMPARE(namesIn(m_options.folder / "staging"), 0);
        QCOMPARE(store->usage()->entries, std::uint64_t(1));
        QCOMPARE(store->usage()->bytes, made->bytes);
        store.reset();
        store = opened(m_options);
        QVERIFY(store);
        QVERIFY(!store->openReport().rebuilt);
        const auto found = store->find(keyOf(1));
        QVERIFY(found);
        QVERIFY(*found == *made);
        QVERIFY(holdsChunk(*store, 1));
        QVERIFY(store->takeWarnings().empty());
    }

    void takesGrowWithTheirChunks()
    {
        auto store = opened(m_options);
        QVERIFY(store);
        const auto take = store->ledger().begin({7, 11, "line key", "boundary", ~std::uint64_t(0)});
        QVERIFY(take);
        QVERIFY(addChunk(*store, 1, take->id));
        QVERIFY(addChunk(*store, 2));
        QVERIFY(store->ledger().append(take->id, keyOf(2), 13));
        QVERIFY(store->ledger().complete(take->id));
        const auto read = store->ledger().get(take->id);
        QVERIFY(read);
        QCOMPARE(read->chunks, (std::vector<std::string>{keyOf(1), keyOf(2)}));
        QCOMPARE(read->frames, FrameIndex(38));
        QVERIFY(read->complete);
        QCOMPARE(read->seed, ~std::uint64_t(0));
        QCOMPARE(store->ledger().list(7, 11)->size(), std::size_t(1));
    }
};

LOQUOR_TEST(tst_chunkstore)
#include "tst_chunkstore.moc"
