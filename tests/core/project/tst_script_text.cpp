#include "core/project/script_text.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/base/trace.h"
#include "core/project/line_facts.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;

namespace {

using Ids = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;

// 1, 2, 3 ...
IdSource counting(std::uint64_t first = 1)
{
    return [next = first]() mutable { return next++; };
}

Ids idsOf(const Scene& scene)
{
    Ids ids;
    for (const Line& line : scene.lines)
        ids.push_back(line.id);
    return ids;
}

Texts textsOf(const Scene& scene)
{
    Texts texts;
    for (const Line& line : scene.lines)
        texts.push_back(line.text);
    return texts;
}

Scene sceneOf(const std::string& text)
{
    Scene scene;
    setScriptText(scene, text, counting());
    return scene;
}

// The scene after its text was changed; new ids from 100 on.
Scene edited(Scene scene, const std::string& text)
{
    const auto set = setScriptText(scene, text, counting(100));
    if (!set)
        scene.lines.clear();
    return scene;
}

} // namespace

class tst_script_text : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theTextIsKeptByteForByte_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("lines");
        const auto row = [](const char* text, int lines) { QTest::newRow(QByteArray(text).toPercentEncoding(" []!?.")) << QByteArray(text) << lines; };
        row("", 0);
        row(" ", 0);
        row("\n\n \t\r\n", 0);
        row("Hello", 1);
        row("Hello there. How are you? ", 2);
        row("  One.\n\nTwo.\n", 2);
        row("One.\r\nTwo.\r\n", 2);
        row("[smile]", 1);
        row("...", 1);
        row("🙂", 1);
        row("🙂 Hello. 🙂 There.", 2);
        row("\tOne.\t\n\tTwo.", 2);
        row("你好。再见。", 2);
        row("one line\nthat goes on", 1);
        row("Alpha [pause 1s] beta. [nod] Gamma.", 2);
    }
    void theTextIsKeptByteForByte()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, lines);
        const Scene scene = sceneOf(text.toStdString());
        QCOMPARE(scriptText(scene), text.toStdString());
        QCOMPARE(static_cast<int>(scene.lines.size()), lines);
    }

    void idsStayWithTheirLines_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QList<int>>("ids");
        const auto row = [](const char* name, const char* before, const char* after, const QList<int>& ids) {
            QTest::newRow(name) << QString(before) << QString(after) << ids;
        };
        row("nothing", "One. Two. Three.", "One. Two. Three.", {1, 2, 3});
        row("edited in place", "One. Two. Three.", "One. Twofold. Three.", {1, 2, 3});
        row("rewritten in place", "One. Two. Three.", "One. Quite other words. Three.", {1, 2, 3});
        row("inserted", "One. Two. Three.", "One. New. Two. Three.", {1, 100, 2, 3});
        row("inserted first", "One. Two.", "Zero. One. Two.", {100, 1, 2});
        row("appended", "One. Two.", "One. Two. Three.", {1, 2, 100});
        row("removed", "One. Two. Three.", "One. Three.", {1, 3});
        row("removed first", "One. Two. Three.", "Two. Three.", {2, 3});
        row("moved up", "One. Two. Three. Four.", "Four. One. Two. Three.", {4, 1, 2, 3});
        row("moved down", "One. Two. Three. Four.", "Two. Three. Four. One.", {2, 3, 4, 1});
        row("swapped", "One. Two. Three. Four.", "One. Three. Two. Four.", {1, 3, 2, 4});
        row("split", "One two three four. Five.", "One two three. Four. Five.", {1, 100, 2});
        row("joined", "One two three. Four. Five.", "One two three four. Five.", {1, 3});
        row("all gone", "One. Two.", "", {});
        row("twice the same", "Yes. No. Yes.", "Yes. Yes. No. Yes.", {1, 100, 2, 3});
        row("first of two the same goes", "Yes. No. Yes.", "No. Yes.", {2, 3});
        row("another script", "One. Two.", "Brave new world. Completely different.", {100, 101});
        row("two changed", "Alpha line. Beta line. Gamma line.", "Alpha lines. Beta. Gamma lines.", {1, 2, 3});
        row("case changes the first letter", "One. É là. Three.", "One. é là. Three.", {2, 3});
    }
    void idsStayWithTheirLines()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QList<int>, ids);
        const Scene scene = edited(sceneOf(before.toStdString()), after.toStdString());
        QCOMPARE(scriptText(scene), after.toStdString());
        QList<int> found;
        for (const Line& line : scene.lines)
            found.append(static_cast<int>(line.id));
        QCOMPARE(found, ids);
    }

    void whatBelongsToALineGoesWithIt()
    {
        Scene scene = sceneOf("One. Two. Three.");
        scene.lines[1] = {2, "Two.", std::nullopt, "calm", "joe", 1.5, 9, 8, " ", R"({"x":1})"};
        const Line before = scene.lines[1];
        scene = edited(scene, "Two, again. One. Three.");
        QCOMPARE(textsOf(scene), (Texts{"Two, again.", "One.", "Three."}));
        scene = edited(edited(sceneOf("Alpha."), "Alpha. Beta."), "Beta. Alpha.");
        QCOMPARE(idsOf(scene), (Ids{100, 1}));
        Scene again = sceneOf("One. Two. Three.");
        again.lines[1] = before;
        again = edited(again, "One. Two! Three.");
        Line expected = before;
        expected.text = "Two!";
        QCOMPARE(again.lines[1], expected);
    }

    void typingNeverChangesOtherLines()
    {
        Scene scene;
        std::string text;
        const IdSource ids = counting();
        for (const char c : std::string("Hello there. How are you? Fine, thanks.")) {
            text += c;
            QVERIFY(setScriptText(scene, text, ids));
            QCOMPARE(scriptText(scene), text);
        }
        QCOMPARE(textsOf(scene), (Texts{"Hello there.", "How are you?", "Fine, thanks."}));
        QCOMPARE(scene.lines[0].id, std::uint64_t(1));
        // In the middle, letter by letter, and back.
        const Scene before = scene;
        for (int i = 0; i < 5; ++i)
            QVERIFY(setScriptText(scene, text.substr(0, 20) + std::string(static_cast<std::size_t>(i), 'x') + text.substr(20), ids));
        QCOMPARE(idsOf(scene), idsOf(before));
        QVERIFY(setScriptText(scene, text, ids));
        QCOMPARE(scene, before);
    }

    // A line that was made of several sentences, or of a part of one, stays so while others change.
    void linesMadeOnPurposeStayWhole()
    {
        Scene scene;
        scene.lines = {makeLine(1, "Hi. There. You."), makeLine(2, "no capital"), makeLine(3, "nor here"), makeLine(4, "End.")};
        scene.lines[0].after = scene.lines[1].after = scene.lines[2].after = "\n\n";
        const std::string text = scriptText(scene);
        const auto typed = [&](const std::string& at, const std::string& what) {
            std::string changed = text;
            const std::size_t place = changed.find(at) + at.size();
            return edited(scene, changed.insert(place, what));
        };
        for (const auto& [at, what] : std::vector<std::pair<std::string, std::string>>{
                 {"no cap", "x"}, {"nor", " even"}, {"End", "ing"}, {"no capital", "s"}, {"\n\n", "x "}, {"nor here", "!"}}) {
            const Scene changed = typed(at, what);
            QCOMPARE(idsOf(changed), (Ids{1, 2, 3, 4}));
            QCOMPARE(changed.lines[0].text, std::string("Hi. There. You."));
        }
        QCOMPARE(idsOf(typed("There", "fore")), (Ids{100, 101, 1, 2, 3, 4})); // its own edit splits it
    }

    void brokenTextsAreRefusedAndNothingChanges()
    {
        const Scene before = sceneOf("One. Two.");
        for (const std::string& text : {std::string("One. \xff Two."), std::string("One. \0 Two.", 11),
                                        std::string((8U << 20U) + 1, 'a')}) {
            Scene scene = before;
            const auto set = setScriptText(scene, text, counting());
            QVERIFY(!set);
            QVERIFY(!set.error().message().empty());
            QCOMPARE(scene, before);
        }
    }

    void randomEditsKeepTextAndUniqueIds()
    {
        std::mt19937 random(7);
        const Texts bits{"One. ", "two", "\n\n", " ", "Three! ", "🙂", "é", "[nod] ", ".", "\n", "Mr. ", "你好。"};
        Scene scene;
        std::string text;
        const IdSource ids = counting();
        for (int round = 0; round < 3000; ++round) {
            std::size_t at = random() % (text.size() + 1), end = std::min(text.size(), at + random() % 12);
            while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
                --at;
            while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
                ++end;
            text.replace(at, random() % 2 == 0 ? 0 : end - at, random() % 3 == 0 ? std::string() : bits[random() % bits.size()]);
            QVERIFY(setScriptText(scene, text, ids));
            QCOMPARE(scriptText(scene), text);
            const Ids found = idsOf(scene);
            QCOMPARE(std::set<std::uint64_t>(found.begin(), found.end()).size(), found.size());
            for (const Line& line : scene.lines)
                QVERIFY(line.id != 0 && !line.text.empty() && line.text.front() != ' ' && line.text.back() != ' ');
        }
    }

    void aLongScriptIsEditedQuickly()
    {
        std::string text;
        for (int i = 0; i < 10'000; ++i)
            text += "This is sentence number " + std::to_string(i) + ". ";
        double start = threadCpuSeconds();
        Scene scene = sceneOf(text);
        const double first = threadCpuSeconds() - start;
        QCOMPARE(scene.lines.size(), std::size_t(10'000));
        start = threadCpuSeconds();
        for (int i = 0; i < 20; ++i) {
            text.insert(text.size() / 2, "x");
            QVERIFY(setScriptText(scene, text, counting(20'000)));
        }
        const double key = (threadCpuSeconds() - start) / 20;
        QVERIFY2(key < first / 4, qPrintable(QString("%1 s, then %2 s a key").arg(first).arg(key)));
        // The same lines in the opposite order, and ten thousand equal ones: no square cost.
        std::string reversed, same;
        for (int i = 10'000; i-- > 0;)
            reversed += "This is sentence number " + std::to_string(i) + ". ";
        for (int i = 0; i < 10'000; ++i)
            same += "Again. ";
        start = threadCpuSeconds();
        scene = sceneOf(reversed);
        QVERIFY(setScriptText(scene, same, counting(20'000)));
        QVERIFY(setScriptText(scene, "Once. " + same + "More.", counting(40'000)));
        const double worst = threadCpuSeconds() - start;
        QVERIFY2(worst < 20 * first + 2, qPrintable(QString("%1 s after %2 s").arg(worst).arg(first)));
    }

    void linesOfATextForAdding()
    {
        const auto lines = linesOfText("One. Two!\n\nThree", "", counting());
        QVERIFY(lines);
        QCOMPARE(lines->size(), std::size_t(3));
        QCOMPARE((*lines)[2].id, std::uint64_t(3));
        QCOMPARE(linesOfText(" [smile] ", "", counting()).error().code(), ErrorCode::EmptyInput);
        QCOMPARE(linesOfText("\xff", "", counting()).error().code(), ErrorCode::Corrupt);
    }

    void factsOfLines()
    {
        QVERIFY(hasWords("a") && hasWords("7") && hasWords("你") && !hasWords("[smile] ...") && !hasWords("🙂"));
        QCOMPARE(estimatedSeconds("one two three four five"), 2.0);
        QCOMPARE(estimatedSeconds("one two [pause 1.5s] three four five"), 3.5);
        QCOMPARE(estimatedSeconds("你好你好你好你好你"), 2.0);
        QCOMPARE(estimatedSeconds("[smile]"), 0.0);
        Scene scene = sceneOf("One. Two.\n\nThree. [smile]\n\nFour.");
        QCOMPARE(pauseSeconds(scene, 0), 0.2);
        QCOMPARE(pauseSeconds(scene, 1), 0.6);
        QCOMPARE(pauseSeconds(scene, scene.lines.size() - 1), 0.0);
        scene.lines.back().pauseAfter = 3;
        scene.lines[1].pauseAfter = 0;
        QCOMPARE(pauseSeconds(scene, scene.lines.size() - 1), 3.0);
        QCOMPARE(pauseSeconds(scene, 1), 0.0);
    }

    void recordedLinesAreNotEditedAsOneText()
    {
        Scene scene;
        scene.lines = {makeLine(1, "Said."), makeLine(2, "")};
        scene.lines[1].recording = Recording{"/a.wav", "ab", 0, 96'000};
        const Scene before = scene;
        QVERIFY(setScriptText(scene, scriptText(scene), [] { return std::uint64_t{9}; }));
        QCOMPARE(setScriptText(scene, "Other.", [] { return std::uint64_t{9}; }).error().code(), ErrorCode::Unsupported);
        QVERIFY(scene == before);
        QCOMPARE(estimatedSeconds(scene.lines[1]), 2.0);
        QCOMPARE(pauseSeconds(scene, 1), 0.0);
    }
};

LOQUOR_TEST(tst_script_text)
#include "tst_script_text.moc"
