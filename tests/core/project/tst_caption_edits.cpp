#include "core/project/caption_edits.h"
#include "core/project/line_edits.h"
#include "core/project/script_text.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;

namespace {

Document withText(const std::string& text)
{
    Document document;
    std::uint64_t next = 1;
    if (!setScriptText(document.scenes.front(), text, [&next] { return next++; }))
        qFatal("the text was refused");
    return document;
}

} // namespace

class tst_caption_edits : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void captionsStayWithTheirLine()
    {
        const Document before = withText("We met at the gate. It was late.");
        const auto edited = withCaptions(before, 1, {"We met", "at the\ngate!"});
        QVERIFY(edited);
        const Line& line = edited->scenes[0].lines[0];
        QCOMPARE(line.captions->list.size(), std::size_t(2));
        QCOMPARE(line.captions->list[1].text, std::string("at the\ngate!"));
        QCOMPARE(line.captions->list[1].firstWord, std::size_t(2));
        QVERIFY(captionsFit(line));
        QVERIFY(!edited->scenes[0].lines[1].captions && captionsFit(edited->scenes[0].lines[1]));
        // Moved, said in another way, another line changed: as they were.
        auto later = withLineMoved(*edited, 1, 2);
        QVERIFY(later);
        QCOMPARE(later->scenes[0].lines[1].captions, line.captions);
        LineChange directions;
        directions.text = "[smile] We met - at the gate!";
        later = withLineChanged(*edited, 1, directions);
        QVERIFY(later && captionsFit(later->scenes[0].lines[0]));
        Scene scene = edited->scenes[0];
        std::uint64_t next = 100;
        QVERIFY(setScriptText(scene, "We met at the gate. It was early.", [&next] { return next++; }));
        QCOMPARE(scene.lines[0].captions, line.captions);
    }

    void otherWordsAreNoticedAndTheCaptionsKept()
    {
        const auto edited = withCaptions(withText("We met at the gate."), 1, {"We met", "at the gate!"});
        LineChange change;
        change.text = "We met at the door.";
        const auto later = withLineChanged(*edited, 1, change);
        QVERIFY(later);
        QCOMPARE(later->scenes[0].lines[0].captions, edited->scenes[0].lines[0].captions);
        QVERIFY(!captionsFit(later->scenes[0].lines[0]));
        change.text = "We met at the gate.";
        QVERIFY(captionsFit(withLineChanged(*later, 1, change)->scenes[0].lines[0]));
        const auto reset = withCaptions(*later, 1, {});
        QVERIFY(reset && !reset->scenes[0].lines[0].captions);
    }

    void whatCannotBeIsRefused()
    {
        const Document document = withText("Two words.");
        QVERIFY(!withCaptions(document, 2, {"a"}));
        QVERIFY(!withCaptions(document, 1, {"a", "b", "c"}));
        const auto empty = withCaptions(document, 1, {"a", " "});
        QVERIFY(!empty && empty.error().text().find("line 1") != std::string::npos);
    }
};

LOQUOR_TEST(tst_caption_edits)
#include "tst_caption_edits.moc"
