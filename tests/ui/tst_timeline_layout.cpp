#include "ui/models/timeline_layout.h"

#include <QTest>

#include "tests/support/test_main.h"
#include "tests/ui/support/fake_store.h"

using namespace loquor;
using namespace loquor::ui;

namespace {

project::Document documentOf(const std::vector<std::string>& texts)
{
    project::Document out;
    out.id = 7;
    out.scenes.front().reference.file = "/photo.png";
    std::uint64_t id = 10;
    for (const std::string& text : texts)
        out.scenes.front().lines.push_back(project::makeLine(++id, text));
    return out;
}

const std::vector<std::string> kThree{"The first line.", "The second line is longer.", "And a third."};

std::vector<Look> looksOf(const TimelineLayout& layout)
{
    std::vector<Look> out;
    for (const LayoutLine& line : layout.lines())
        out.push_back(line.look);
    return out;
}

} // namespace

class tst_timeline_layout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void withoutAnInspectionLengthsAreEstimated()
    {
        const auto document = documentOf(kThree);
        const TimelineLayout layout = makeLayout({document});
        QCOMPARE(layout.lines().size(), std::size_t(3));
        for (const LayoutLine& line : layout.lines()) {
            QVERIFY(line.look == Look::New && !line.isMeasured && line.frames > 10);
            QCOMPARE(layout.lineAt(line.start), &line);
            QCOMPARE(layout.lineAt(line.end() - 1), &line);
        }
        QVERIFY(layout.lines()[1].frames > layout.lines()[2].frames);
        QVERIFY(!layout.lineAt(-1) && !layout.lineAt(layout.total()));
        QCOMPARE(layout.nextReady(0), FrameIndex(-1));
        QVERIFY(!layout.isAllReady());
    }

    // Edit a word: that line is stale at once, the others are as they were; undone, all are ready again.
    void anEditedLineIsStaleBeforeTheEngineSaysSo()
    {
        const auto before = documentOf(kThree);
        test::FakeStore store;
        store.begin(before, 300);
        store.make(before, 300);
        store.complete(before);
        const auto state = store.inspect(before);
        const TimelineLayout made = makeLayout({before, &state, &before});
        QVERIFY(made.isAllReady());
        QCOMPARE(made.total(), FrameIndex(300));
        QCOMPARE(made.readyUntil(5), FrameIndex(300));

        auto after = before;
        after.scenes.front().lines[1].text = "The second line is much longer now.";
        const TimelineLayout edited = makeLayout({after, &state, &before});
        QVERIFY((looksOf(edited) == std::vector<Look>{Look::Ready, Look::Stale, Look::Ready}));
        QVERIFY(!edited.lines()[1].isMeasured);
        QCOMPARE(edited.readyUntil(5), FrameIndex(100));
        QCOMPARE(edited.nextReady(100), edited.lines()[2].start);
        QCOMPARE(edited.firstToBeMade()->id, std::uint64_t(12));
        QVERIFY(makeLayout({before, &state, &before}).isAllReady());

        // Its movements alone: what is said, and how long, is still known.
        auto moved = before;
        moved.scenes.front().lines[1].prompt = "nodding";
        const TimelineLayout other = makeLayout({moved, &state, &before});
        QVERIFY(other.lines()[1].look == Look::Stale && other.lines()[1].isMeasured);
        QCOMPARE(other.total(), FrameIndex(300));
        QCOMPARE(other.lines()[1].ready(), FrameIndex(0));

        auto wider = before;
        wider.output.width = 1920;
        QVERIFY((looksOf(makeLayout({wider, &state, &before})) == std::vector<Look>(3, Look::Stale)));
    }

    void aRunIsSeenInItsLines()
    {
        const auto document = documentOf(kThree);
        test::FakeStore store;
        store.begin(document, 300);
        store.make(document, 130);
        const auto state = store.inspect(document);
        const TimelineLayout layout = makeLayout({document, &state, &document, &document});
        QVERIFY((looksOf(layout) == std::vector<Look>{Look::Rendering, Look::Waiting, Look::Waiting}));
        QCOMPARE(layout.readyUntil(0), FrameIndex(130));
        const auto chunks = chunksOf(layout.lines()[1]);
        QCOMPARE(chunks.size(), std::size_t(3));
        QVERIFY(chunks[0].look == Look::Ready && !chunks[0].isJoin);
        QCOMPARE(chunks[0].start, FrameIndex(100));
        QCOMPARE(chunks[1].frames, FrameIndex(70));
        QVERIFY(chunks[2].isJoin && chunks[2].look == Look::Waiting);
        // A line edited meanwhile is not what the run makes.
        auto edited = document;
        edited.scenes.front().lines[2].text = "Something else.";
        const TimelineLayout after = makeLayout({edited, &state, &document, &document});
        QVERIFY(after.lines()[2].look == Look::New);
    }

    void faultsStayUntilTheLineIsEdited()
    {
        auto document = documentOf(kThree);
        test::FakeStore store;
        const auto state = store.inspect(document);
        const std::map<std::uint64_t, LineFault> faults{{12, {"the voice has no such sound", document.scenes.front().lines[1]}}};
        const TimelineLayout failed = makeLayout({document, &state, &document, nullptr, &faults});
        QVERIFY(failed.lines()[1].look == Look::Failed);
        QCOMPARE(failed.lines()[1].problem, QString("the voice has no such sound"));
        auto edited = document;
        edited.scenes.front().lines[1].text = "Another.";
        QVERIFY(makeLayout({edited, &state, &document, nullptr, &faults}).lines()[1].look == Look::New);
    }

    void placesSurviveEditsInFront()
    {
        const auto document = documentOf(kThree);
        const TimelineLayout layout = makeLayout({document});
        const auto place = layout.placeOf(layout.lines()[2].start + 3);
        QVERIFY(place && place->line == 13 && place->frame == 3);
        auto shorter = document;
        shorter.scenes.front().lines.erase(shorter.scenes.front().lines.begin());
        const TimelineLayout after = makeLayout({shorter});
        QCOMPARE(after.frameOf(*place), std::optional<FrameIndex>(after.lines()[1].start + 3));
        QCOMPARE(after.frameOf({11, 0}), std::nullopt);
        QCOMPARE(after.frameOf({12, 9999}), std::optional<FrameIndex>(after.lines()[0].end() - 1));
    }

    void wordsAreFoundByTheirTime()
    {
        const auto document = documentOf(kThree);
        test::FakeStore store;
        store.begin(document, 300);
        store.addWord(document, "second", 4.4, 4.8);
        const auto state = store.inspect(document);
        const TimelineLayout layout = makeLayout({document, &state, &document});
        QVERIFY(!layout.wordAt(50));
        const speech::Word* word = layout.wordAt(112);
        QVERIFY(word);
        QCOMPARE(word->text, std::string("second"));
        QCOMPARE(word->textBegin, 4);
        QVERIFY(!layout.wordAt(121));
    }
};

LOQUOR_TEST(tst_timeline_layout)
#include "tst_timeline_layout.moc"
