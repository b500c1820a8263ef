#include "core/cache/descriptions.h"
#include "core/cache/take_log.h"
#include "tests/core/cache/store_test.h"

using namespace loquor;
using namespace loquor::cache;
using namespace loquor::test;

namespace {

EntryInfo someEntry()
{
    return {keyOf(1), EntryKind::I, R"({"a":1.5,"b":"\u0000x"})", {{"video.mp4", 12345678901, keyOf(2)}, {"a", 0, keyOf(3)}}, 0, "2026-11-30T12:45:24Z"};
}

Take someTake()
{
    Take take;
    take.id = 0xfedcba9876543210;
    take.project = 1;
    take.line = ~std::uint64_t(0);
    take.number = 3;
    take.lineKey = keyOf(1);
    take.boundaryIn = keyOf(2);
    take.seed = 77;
    take.createdAt = "2026-11-30T12:45:24Z";
    return take;
}

} // namespace

class tst_descriptions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void entryRoundTrip()
    {
        EntryInfo entry = someEntry();
        const std::string text = formatEntry(entry);
        const auto read = parseEntry(text);
        QVERIFY(read);
        entry.bytes = 12345678901 + text.size();
        QVERIFY(*read == entry);
    }

    // Every single changed byte of a description is noticed.
    void everyChangedByteOfAnEntryShows()
    {
        const std::string text = formatEntry(someEntry());
        const auto original = parseEntry(text);
        QVERIFY(original);
        for (std::size_t i = 0; i < text.size(); ++i) {
            std::string changed = text;
            changed[i] = static_cast<char>(changed[i] ^ 1);
            const auto read = parseEntry(changed);
            if (read) // white space became other white space
                QVERIFY(*read == *original);
        }
        for (std::size_t length = 0; length + 2 < text.size(); ++length)
            QVERIFY(!parseEntry(text.substr(0, length)));
    }

    void badEntries_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no json") << QByteArray("loquor");
        QTest::newRow("list") << QByteArray("[]");
        QTest::newRow("other format") << QByteArray(R"({"format":"loquor-take","version":1})");
        QTest::newRow("deep") << QByteArray(100'000, '[');
        QTest::newRow("no utf-8") << QByteArray("{\"format\":\"\xff\"}");
    }
    void badEntries()
    {
        QFETCH(QByteArray, text);
        const auto read = parseEntry(text.toStdString());
        QVERIFY(!read);
        QCOMPARE(read.error().code(), ErrorCode::Corrupt);
    }

    void newerEntryIsUnsupported()
    {
        const auto read = parseEntry(R"({"format":"loquor-chunk","version":2})");
        QVERIFY(!read);
        QCOMPARE(read.error().code(), ErrorCode::Unsupported);
    }

    void takeLogRoundTrip()
    {
        Take take = someTake();
        std::string log = takeHeadLine(take);
        log += takeChunkLine(0, {keyOf(1), 8}) + takeChunkLine(1, {keyOf(2), 25});
        take.failureCount = 2;
        take.pinned = true;
        take.reason = "two\nlines";
        log += takeStateLine(take);
        const auto read = parseTakeLog(log);
        QVERIFY(read);
        take.frames = 33;
        QVERIFY(read->take == take);
        QVERIFY(read->chunks == (std::vector<TakeChunk>{{keyOf(1), 8}, {keyOf(2), 25}}));
        // A chunk sets the failures back, and one noted twice counts once.
        const auto later = parseTakeLog(log + takeChunkLine(1, {keyOf(3), 5}) + takeChunkLine(2, {keyOf(4), 1}));
        QVERIFY(later);
        QCOMPARE(later->take.failureCount, 0);
        QVERIFY(later->take.pinned);
        QCOMPARE(later->take.frames, FrameIndex(14));
    }

    void damagedLinesOfATakeLogCountAsAbsent()
    {
        const std::string head = takeHeadLine(someTake());
        const std::string chunk = takeChunkLine(0, {keyOf(1), 8});
        for (const std::string& damage :
             {chunk.substr(0, 30) + "\n", std::string("\n\n"), std::string(100, '\0') + "\n", std::string("[]\n{}\n"),
              takeChunkLine(5, {keyOf(1), 8}), takeChunkLine(0, {"no key", 8}), std::string("{\"complete\":1}\n")}) {
            const auto read = parseTakeLog(head + damage + chunk);
            QVERIFY(read);
            QCOMPARE(read->chunks.size(), std::size_t(1));
            QCOMPARE(read->take.frames, FrameIndex(8));
            QVERIFY(!read->take.complete);
        }
        QCOMPARE(parseTakeLog(chunk).error().code(), ErrorCode::Corrupt);
        QCOMPARE(parseTakeLog("").error().code(), ErrorCode::Corrupt);
        QCOMPARE(parseTakeLog(R"({"format":"loquor-take","version":9})").error().code(), ErrorCode::Unsupported);
    }

    void lineAfterATornOneIsNotLost()
    {
        const QTemporaryDir dir(storeTemplate());
        const auto file = std::filesystem::path(dir.path().toStdString()) / "take.log";
        QVERIFY(platform::writeFile(file, takeHeadLine(someTake()) + "{\"chunk\":0,\"ke"));
        auto kept = TakeLogEntry::write(file, takeChunkLine(0, {keyOf(1), 8}));
        QVERIFY(kept);
        kept->keep();
        {
            auto takenBack = TakeLogEntry::write(file, takeChunkLine(1, {keyOf(2), 8}));
            QVERIFY(takenBack);
            QCOMPARE(parseTakeLog(*platform::readTextFile(file))->chunks.size(), std::size_t(2));
        }
        QCOMPARE(parseTakeLog(*platform::readTextFile(file))->chunks.size(), std::size_t(1));
    }

    void partNames()
    {
        for (const char* good : {"video.mp4", "a", "0-1_2.bin"})
            QVERIFY2(isValidPartName(good), good);
        for (const char* bad : {"", ".", "..", ".video", "a/b", "A", "entry.json", "ü", "a b"})
            QVERIFY2(!isValidPartName(bad), bad);
        QVERIFY(!isValidPartName(std::string(65, 'a')));
    }
};

LOQUOR_TEST(tst_descriptions)
#include "tst_descriptions.moc"
