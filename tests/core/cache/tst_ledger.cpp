#include "core/cache/ledger.h"
#include "tests/core/cache/store_test.h"

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;
namespace fs = std::filesystem;

class tst_ledger : public QObject, StoreTest
{
    Q_OBJECT

    TakeId beginTake(std::uint64_t line = 2)
    {
        const auto take = m_store->ledger().begin({1, line, "line key", "boundary", ~std::uint64_t(0)});
        return take ? take->id : 0;
    }

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m_store.reset(); }

    void takesGrowWithTheirChunks()
    {
        QVERIFY(open());
        Ledger& ledger = m_store->ledger();
        const TakeId id = beginTake();
        QVERIFY(id != 0);
        QVERIFY(addChunk(*m_store, 1, id));
        QVERIFY(addChunk(*m_store, 2));
        QVERIFY(ledger.append(id, keyOf(2), 13));
        QVERIFY(addChunk(*m_store, 1, id)); // a chunk may come twice: silence, for one
        QVERIFY(!ledger.get(id)->complete);
        QVERIFY(ledger.complete(id));
        for (int round = 0; round < 2; ++round) {
            const auto take = m_store->ledger().get(id);
            QVERIFY(take);
            QCOMPARE(take->chunks, (std::vector<std::string>{keyOf(1), keyOf(2), keyOf(1)}));
            QCOMPARE(take->frames, FrameIndex(25 + 13 + 25));
            QVERIFY(take->complete && !take->pinned);
            QCOMPARE(take->project, std::uint64_t(1));
            QCOMPARE(take->line, std::uint64_t(2));
            QCOMPARE(take->number, 1);
            QCOMPARE(take->lineKey, std::string("line key"));
            QCOMPARE(take->boundaryIn, std::string("boundary"));
            QCOMPARE(take->seed, ~std::uint64_t(0));
            QCOMPARE(take->createdAt.size(), std::size_t(20));
            QVERIFY(open());
        }
    }

    void abandonedTakesAreForgottenAndTheirChunksStay()
    {
        QVERIFY(open());
        Ledger& ledger = m_store->ledger();
        const TakeId abandoned = beginTake(2), empty = beginTake(3), done = beginTake(2), pinned = beginTake(4), shown = beginTake(5);
        const auto other = ledger.begin({9, 2, "", "", 0}); // of another project
        QVERIFY(addChunk(*m_store, 1, abandoned));
        QVERIFY(addChunk(*m_store, 2, done));
        QVERIFY(ledger.complete(done));
        QVERIFY(ledger.setPinned(pinned, true));
        {
            auto second = ChunkStore::open(m_options); // has the project open, and may be making it
            QVERIFY(second && (*second)->protect(1, {keyOf(9)}));
            QCOMPARE(ledger.forgetAbandoned(1, {shown}).value_or(-1), 0);
            QVERIFY((*second)->protect(1, {}) && (*second)->protect(9, {keyOf(9)})); // another project does not count
            QCOMPARE(ledger.list(1)->size(), std::size_t(5));
        }
        QCOMPARE(ledger.forgetAbandoned(1, {shown}).value_or(-1), 2);
        for (int round = 0; round < 2; ++round) {
            for (const TakeId gone : {abandoned, empty})
                QCOMPARE(m_store->ledger().get(gone).error().code(), ErrorCode::NotFound);
            for (const TakeId kept : {done, pinned, shown, other->id})
                QVERIFY(m_store->ledger().get(kept));
            QVERIFY(m_store->find(keyOf(1))); // found again by its key, until it is evicted
            QVERIFY(open());
        }
        QCOMPARE(m_store->ledger().forgetAbandoned(1, {shown}).value_or(-1), 0);
        m_store->setMaxBytes(0);
        QVERIFY(m_store->trim());
        QVERIFY(!m_store->find(keyOf(1)));
    }

    void listsInOrderOfCreation()
    {
        QVERIFY(open());
        const std::vector<TakeId> ids{beginTake(2), beginTake(~std::uint64_t(0)), beginTake(2), beginTake(2)};
        QVERIFY(m_store->ledger().begin({9, 2, "", "", 0}));
        const auto ofLine = m_store->ledger().list(1, 2);
        QVERIFY(ofLine);
        QCOMPARE(ofLine->size(), std::size_t(3));
        for (int i = 0; i < 3; ++i)
            QCOMPARE(ofLine->at(static_cast<std::size_t>(i)).number, i + 1);
        QCOMPARE(ofLine->at(0).id, ids[0]);
        QCOMPARE(ofLine->at(2).id, ids[3]);
        QCOMPARE(m_store->ledger().list(1)->size(), std::size_t(4));
        QCOMPARE(m_store->ledger().list(1, ~std::uint64_t(0))->front().id, ids[1]);
        QVERIFY(m_store->ledger().list(3)->empty());
    }

    void failuresCountUntilAChunkSucceeds()
    {
        QVERIFY(open());
        Ledger& ledger = m_store->ledger();
        const TakeId id = beginTake();
        QCOMPARE(*ledger.noteFailure(id, "out of memory"), 1);
        QCOMPARE(*ledger.noteFailure(id, "the engine ended"), 2);
        QCOMPARE(ledger.get(id)->reason, std::string("the engine ended"));
        QVERIFY(addChunk(*m_store, 1, id));
        QCOMPARE(ledger.get(id)->failureCount, 0);
        QCOMPARE(ledger.get(id)->reason, std::string());
        QCOMPARE(*ledger.noteFailure(id, std::string(10'000, 'x')), 1);
        QCOMPARE(ledger.get(id)->reason.size(), std::size_t(4096));
    }

    void unknownTakesAndChunks()
    {
        QVERIFY(open());
        Ledger& ledger = m_store->ledger();
        const TakeId id = beginTake();
        QCOMPARE(ledger.append(id, keyOf(1), 25).error().code(), ErrorCode::NotFound);
        QVERIFY(addChunk(*m_store, 1));
        for (const Error& error : {ledger.append(77, keyOf(1), 25).error(), ledger.complete(77).error(),
                                   ledger.setPinned(77, true).error(), ledger.noteFailure(77, "").error(),
                                   ledger.remove(77).error(), ledger.get(77).error(),
                                   addChunk(*m_store, 2, 77).error()})
            QCOMPARE(error.code(), ErrorCode::NotFound);
        QVERIFY(!m_store->find(keyOf(2)));
        QVERIFY(fs::is_empty(m_options.folder / "staging"));
        QVERIFY(ledger.get(id)->chunks.empty());
    }

    void chunksOfPinnedTakesAreNeverEvicted()
    {
        QVERIFY(open());
        const TakeId pinned = beginTake();
        const TakeId other = beginTake();
        QVERIFY(addChunk(*m_store, 1, pinned) && addChunk(*m_store, 2, pinned) && addChunk(*m_store, 3, other));
        QVERIFY(m_store->ledger().setPinned(pinned, true));
        m_store->setMaxBytes(0);
        QVERIFY(m_store->trim());
        QVERIFY(holdsChunk(*m_store, 1) && holdsChunk(*m_store, 2));
        QVERIFY(!m_store->find(keyOf(3)));
        // The take outlives its evicted chunks.
        QCOMPARE(m_store->ledger().get(other)->chunks, std::vector<std::string>{keyOf(3)});
        QVERIFY(m_store->ledger().setPinned(pinned, false));
        QVERIFY(m_store->trim());
        QCOMPARE(m_store->usage()->entries, std::uint64_t(0));
    }

    void removingATakeFreesWhatNoOtherUses()
    {
        QVERIFY(open());
        const TakeId first = beginTake();
        const TakeId second = beginTake(5);
        for (int n = 1; n <= 3; ++n)
            QVERIFY(addChunk(*m_store, n, first));
        QVERIFY(m_store->ledger().append(second, keyOf(2), 25));
        QVERIFY(m_store->protect(1, {keyOf(3)}));
        QVERIFY(m_store->ledger().remove(first));
        QCOMPARE(m_store->ledger().get(first).error().code(), ErrorCode::NotFound);
        QVERIFY(!m_store->find(keyOf(1)));
        QVERIFY(holdsChunk(*m_store, 2)); // used
        QVERIFY(holdsChunk(*m_store, 3)); // shown
        QVERIFY(m_store->ledger().remove(second));
        QVERIFY(!m_store->find(keyOf(2)));
        QVERIFY(fs::is_empty(m_options.folder / "takes"));
        // It does not come back.
        QVERIFY(open());
        QVERIFY(m_store->ledger().list(1)->empty());
        m_store.reset();
        fs::remove(m_options.folder / "index.db");
        QVERIFY(open());
        QVERIFY(m_store->ledger().list(1)->empty());
    }

    void newChunksOfAShownProjectAreProtected()
    {
        QVERIFY(open());
        const TakeId shown = beginTake();
        const auto other = m_store->ledger().begin({9, 1, "", "", 0});
        QVERIFY(other && m_store->protect(1, {}));
        QVERIFY(addChunk(*m_store, 1, shown) && addChunk(*m_store, 2, other->id));
        m_store->setMaxBytes(0);
        QVERIFY(m_store->trim());
        QVERIFY(m_store->find(keyOf(1)));
        QVERIFY(!m_store->find(keyOf(2)));
    }

    void case_172_rebuiltLedgerEqualsTheOriginal()
    {
        QVERIFY(open());
        Ledger& ledger = m_store->ledger();
        for (int line = 1; line <= 6; ++line) {
            const TakeId id = beginTake(static_cast<std::uint64_t>(line) << 60);
            for (int n = 0; n < line; ++n)
                QVERIFY(addChunk(*m_store, line * 2 + n, id)); // neighbours share chunks
            if (line % 2 == 0)
                QVERIFY(ledger.complete(id));
            if (line % 3 == 0)
                QVERIFY(ledger.setPinned(id, true));
            if (line == 5)
                QVERIFY(ledger.noteFailure(id, "Grüße\n\"quoted\""));
            if (line == 1)
                QVERIFY(ledger.remove(id));
        }
        QVERIFY(beginTake(std::uint64_t(2) << 60) != 0);
        const auto before = ledger.list(1);
        QVERIFY(before);
        QCOMPARE(before->size(), std::size_t(6));
        m_store.reset();
        fs::remove(m_options.folder / "index.db");
        QVERIFY(open());
        QVERIFY(m_store->openReport().rebuilt);
        QVERIFY(*m_store->ledger().list(1) == *before);
    }

    void copiesAreCorrectedAfterAKill()
    {
        QVERIFY(open());
        const TakeId lost = beginTake();
        const TakeId cut = beginTake();
        const TakeId grown = beginTake();
        for (const TakeId id : {lost, cut, grown})
            QVERIFY(addChunk(*m_store, 1, id) && addChunk(*m_store, 2, id));
        const auto before = m_store->ledger().list(1);
        m_store.reset();
        const auto fileOf = [&](TakeId id) {
            return m_options.folder / "takes" / (QString::number(id, 16).rightJustified(16, '0').toStdString() + ".log");
        };
        fs::remove(fileOf(lost));
        fs::resize_file(fileOf(cut), fs::file_size(fileOf(cut)) - 40);
        const auto text = platform::readTextFile(fileOf(grown));
        QVERIFY(text);
        QVERIFY(platform::writeFile(fileOf(grown), *text + "{\"chunk\":2,\"frames\":25,\"key\":\"" + keyOf(1) + "\"}\n"));
        // A lock file that nobody holds: the mark of a kill.
        QVERIFY(platform::writeFile(m_options.folder / "clients" / "dead.lock", std::string()));
        QVERIFY(open());
        QVERIFY(*m_store->ledger().list(1) == *before);
        m_store.reset();
        fs::remove(m_options.folder / "index.db");
        QVERIFY(open());
        QVERIFY(*m_store->ledger().list(1) == *before);
    }

    void aTakeOfTwoHours()
    {
        QVERIFY(open());
        const TakeId id = beginTake();
        QVERIFY(addChunk(*m_store, 1) && addChunk(*m_store, 2));
        for (int n = 0; n < 7200; ++n)
            QVERIFY(m_store->ledger().append(id, keyOf(n % 2 + 1), n == 0 ? 8 : 25));
        QVERIFY(m_store->ledger().complete(id));
        const auto take = m_store->ledger().get(id);
        QVERIFY(take);
        QCOMPARE(take->chunks.size(), std::size_t(7200));
        QCOMPARE(take->frames, FrameIndex(8 + 7199 * 25));
        m_store.reset();
        fs::remove(m_options.folder / "index.db");
        QVERIFY(open());
        QVERIFY(*m_store->ledger().get(id) == *take);
    }
};

LOQUOR_TEST(tst_ledger)
#include "tst_ledger.moc"
