#include "core/project/line_edits.h"

#include "core/project/recording_edits.h"
#include "core/project/script_text.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;

namespace {

using Texts = std::vector<std::string>;

// Two scenes: "A." "B." and "C."; a recording between them.
Document sample()
{
    Document document;
    document.id = 9;
    document.scenes.resize(3);
    for (std::size_t i = 0; i < 3; ++i)
        document.scenes[i].id = "scene-" + std::to_string(i + 1);
    document.scenes[0].lines = {makeLine(1, "A."), makeLine(2, "B.")};
    document.scenes[1].speech.mode = SpeechMode::Recording;
    document.scenes[1].lines = {makeLine(3, "Unused.")};
    document.scenes[2].lines = {makeLine(4, "C.")};
    return document;
}

Texts textsOf(const Result<Document>& document)
{
    Texts texts;
    if (document) {
        for (const Scene& scene : document->scenes) {
            if (scene.speech.mode == SpeechMode::Text) {
                for (const Line& l : scene.lines)
                    texts.push_back(l.text);
            }
        }
    }
    return texts;
}

void compareError(const Result<Document>& result, ErrorCode code, const char* mentions)
{
    QVERIFY(!result);
    QCOMPARE(result.error().code(), code);
    QVERIFY2(result.error().text().find(mentions) != std::string::npos, result.error().text().c_str());
}

} // namespace

class tst_line_edits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersRunThroughTheTextScenes()
    {
        QCOMPARE(lineCount(sample()), 3);
        QCOMPARE(findLine(sample(), 3)->scene, std::size_t(2));
        QCOMPARE(findLine(sample(), 2)->line, std::size_t(1));
    }

    void recordedLines()
    {
        Document document = sample();
        document.scenes[0].lines[1].recording = Recording{"/a.wav", "ab", 0, 96'000};
        LineChange change;
        change.text = "";
        const auto soundAlone = withLineChanged(document, 2, change);
        QVERIFY(soundAlone);
        QVERIFY(soundAlone->scenes[0].lines[1].text.empty());
        compareError(withLineChanged(document, 1, change), ErrorCode::EmptyInput, "line 1");
        change = {};
        change.voice = "joe";
        compareError(withLineChanged(document, 2, change), ErrorCode::InvalidArgument, "recorded");
        const auto moved = withLineMoved(document, 2, 1);
        QVERIFY(moved && moved->scenes[0].lines[0].recording == document.scenes[0].lines[1].recording);
        QCOMPARE(relinkRecording(document, "cd", "/b.wav"), 0);
        QCOMPARE(relinkRecording(document, "ab", "/b.wav"), 1);
        QCOMPARE(document.scenes[0].lines[1].recording->file, std::filesystem::path("/b.wav"));
    }

    void aRecordingIsTakenInAnotherWay()
    {
        using namespace std::chrono_literals;
        Document document = sample();
        Recording part{"/a.wav", "ab", 0, 96'000};
        part.import.from = 2s;
        document.scenes[0].lines[0].recording = part;
        part.first = 96'000; // 4 to 7 s of the file
        part.samples = 144'000;
        document.scenes[0].lines[1].recording = part;
        part.import = {};
        document.scenes[2].lines[0].recording = part; // of the same file, added in another way
        media::SoundImport import;
        import.loudness = true;
        const auto wider = withImport(document, 2, import, 480'000);
        QVERIFY(wider);
        QCOMPARE(wider->lines, (std::vector<int>{1, 2}));
        QVERIFY(wider->shortened.empty());
        QCOMPARE(wider->document.scenes[0].lines[0].recording->first, std::int64_t{96'000});
        QCOMPARE(wider->document.scenes[0].lines[1].recording->first, std::int64_t{192'000});
        QVERIFY(wider->document.scenes[0].lines[1].recording->import == import);
        QVERIFY(wider->document.scenes[2] == document.scenes[2]);
        import.from = 3500ms;
        const auto narrow = withImport(document, 1, import, 144'000); // up to 6.5 s
        QVERIFY(narrow);
        QCOMPARE(narrow->shortened, (std::vector<int>{1, 2}));
        QCOMPARE(narrow->document.scenes[0].lines[0].recording->first, std::int64_t{0});
        QCOMPARE(narrow->document.scenes[0].lines[0].recording->samples, std::int64_t{24'000});
        QCOMPARE(narrow->document.scenes[0].lines[1].recording->first, std::int64_t{24'000});
        QCOMPARE(narrow->document.scenes[0].lines[1].recording->samples, std::int64_t{120'000});
        import.from = 8s;
        const auto outside = withImport(document, 1, import, 144'000);
        QVERIFY(!outside && outside.error().text().find("Lines 1, 2 would lie outside") != std::string::npos);
        QVERIFY(!withImport(sample(), 1, import, 1) && !withImport(document, 9, import, 1));
    }

    void inserting()
    {
        const Document before = sample();
        QCOMPARE(textsOf(withLinesInserted(before, 1, {makeLine(7, "X.")})), (Texts{"X.", "A.", "B.", "C."}));
        QCOMPARE(textsOf(withLinesInserted(before, 2, {makeLine(7, "X."), makeLine(8, "Y.")})), (Texts{"A.", "X.", "Y.", "B.", "C."}));
        QCOMPARE(textsOf(withLinesInserted(before, 4, {makeLine(7, "X.")})), (Texts{"A.", "B.", "C.", "X."}));
        QCOMPARE(before, sample());
        compareError(withLinesInserted(before, 0, {makeLine(7, "X.")}), ErrorCode::InvalidArgument, "1 to 4");
        compareError(withLinesInserted(before, 5, {makeLine(7, "X.")}), ErrorCode::InvalidArgument, "3 lines");
        compareError(withLinesInserted(before, 1, {makeLine(4, "X.")}), ErrorCode::InvalidArgument, "taken");
        compareError(withLinesInserted(before, 1, {makeLine(0, "X.")}), ErrorCode::InvalidArgument, "taken");
        Line slow = makeLine(7, "X.");
        slow.pauseAfter = 61;
        compareError(withLinesInserted(before, 1, {slow}), ErrorCode::InvalidArgument, "60");
    }

    void removingAndMoving()
    {
        QCOMPARE(textsOf(withLineRemoved(sample(), 2)), (Texts{"A.", "C."}));
        QCOMPARE(textsOf(withLineMoved(sample(), 1, 3)), (Texts{"B.", "C.", "A."}));
        QCOMPARE(textsOf(withLineMoved(sample(), 3, 1)), (Texts{"C.", "A.", "B."}));
        QCOMPARE(textsOf(withLineMoved(sample(), 1, 2)), (Texts{"B.", "A.", "C."}));
        QCOMPARE(*withLineMoved(sample(), 2, 2), sample());
        QCOMPARE(withLineMoved(sample(), 3, 1)->scenes[0].lines[0].id, std::uint64_t(4));
        compareError(withLineRemoved(sample(), 4), ErrorCode::InvalidArgument, "no line 4");
        compareError(withLineRemoved(sample(), -1), ErrorCode::InvalidArgument, "no line -1");
        compareError(withLineMoved(sample(), 1, 4), ErrorCode::InvalidArgument, "no line 4");
        compareError(withLineMoved(Document(), 1, 1), ErrorCode::InvalidArgument, "0 lines");
    }

    void changing()
    {
        LineChange change;
        change.text = "  New. Words. ";
        change.prompt = "calm";
        change.pauseAfter = std::optional<double>(0.5);
        change.takeSeed = 12;
        Document before = sample();
        before.scenes[2].lines[0].chosenTake = 7;
        const auto changed = withLineChanged(before, 3, change);
        QVERIFY(changed);
        const Line& l = changed->scenes[2].lines[0];
        QCOMPARE(l.chosenTake, std::uint64_t(0)); // it would hide the new take
        QCOMPARE(l.text, std::string("New. Words."));
        QCOMPARE(l.id, std::uint64_t(4));
        QCOMPARE(l.prompt, std::string("calm"));
        QCOMPARE(l.pauseAfter, std::optional<double>(0.5));
        QCOMPARE(l.takeSeed, std::uint64_t(12));
        LineChange back;
        before.scenes[2].lines[0].prompt = "calm";
        back.prompt = "";
        QCOMPARE(withLineChanged(before, 3, back)->scenes[2].lines[0].chosenTake, std::uint64_t(7));
        back.pauseAfter = std::optional<double>();
        const auto plain = withLineChanged(*changed, 3, back);
        QVERIFY(plain && plain->scenes[2].lines[0].prompt.empty() && !plain->scenes[2].lines[0].pauseAfter);
        QCOMPARE(plain->scenes[2].lines[0].takeSeed, std::uint64_t(12));

        LineChange empty;
        empty.text = " [nod] ";
        compareError(withLineChanged(sample(), 2, empty), ErrorCode::EmptyInput, "line 2");
        LineChange broken;
        broken.text = "\xff";
        compareError(withLineChanged(sample(), 1, broken), ErrorCode::Corrupt, "UTF-8");
        LineChange slow;
        slow.pauseAfter = std::optional<double>(-1);
        compareError(withLineChanged(sample(), 1, slow), ErrorCode::InvalidArgument, "60");
    }

    void aRecordingHasNoLines()
    {
        Document document;
        document.scenes[0].speech.mode = SpeechMode::Recording;
        compareError(withLinesInserted(document, 1, {makeLine(1, "A.")}), ErrorCode::InvalidArgument, "recording");
        compareError(withLineRemoved(document, 1), ErrorCode::InvalidArgument, "recording");
    }

    // Whatever the edit, the script as a text shows the same lines, so that editing it keeps them.
    void bordersSurviveTheScriptAsText()
    {
        Document document;
        const Texts texts{"no capital", "nor here", "A sentence.", "lower again", "End!", "你好。", "[nod] Yes", "x"};
        std::uint64_t id = 0;
        for (const std::string& text : texts) {
            const auto next = withLinesInserted(document, 1 + static_cast<int>(id) / 2, {makeLine(id + 1, text)});
            QVERIFY(next);
            document = *next;
            ++id;
        }
        document = *withLineMoved(document, 8, 1);
        document = *withLineMoved(document, 2, 5);
        document = *withLineRemoved(document, 3);
        LineChange change;
        change.text = "small again";
        document = *withLineChanged(document, 4, change);
        const Scene& scene = document.scenes[0];
        for (std::size_t i = 0; i + 1 < scene.lines.size(); ++i)
            QVERIFY2(boundarySurvives(scene.lines[i], scene.lines[i + 1]), scriptText(scene).c_str());
        Scene fresh;
        QVERIFY(setScriptText(fresh, scriptText(scene), randomIds()));
        QCOMPARE(fresh.lines.size(), scene.lines.size());
    }
};

LOQUOR_TEST(tst_line_edits)
#include "tst_line_edits.moc"
