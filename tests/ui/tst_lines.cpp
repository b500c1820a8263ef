// The lines of the script: margin, words, tags, what is set for one line, takes; every edit and its undo.
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolButton>

#include "core/base/trace.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/actions.h"
#include "ui/main/project_flow.h"
#include "ui/models/line_commands.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/script/line_panel.h"
#include "ui/script/line_spans.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/tag_highlighter.h"
#include "ui/takes/takes_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/message_bar.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::scriptOf;
using loquor::test::setScript;
using loquor::test::StudioFixture;

namespace {

const std::string kScript = "Grüße an alle. Das ist 😀 die zweite Zeile.\n\nAnd this is the third.";

std::vector<Look> looksOf(StudioFixture& s)
{
    std::vector<Look> out;
    for (const LayoutLine& line : s.window->timeline().timeLayout().lines())
        out.push_back(line.look);
    return out;
}

// Three lines of 50 frames with their takes.
void makeLines(StudioFixture& s)
{
    s.makeReady();
    s.window->model().edit(EditKind::Text, QStringLiteral("t"),
                           [](project::Document& document) { setScript(document.scenes.front(), kScript); });
    s.window->model().breakMerge();
    s.window->generate();
    s.session.begin(150);
    s.session.addWord("Grüße", .2, .6);
    s.session.addWord("zweite", 2.6, 3);
    s.session.makeFrames(150);
    s.session.finish();
    QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
    s.window->playback().pause();
}

std::uint64_t idOf(StudioFixture& s, std::size_t line)
{
    return s.window->model().scene().lines.at(line).id;
}

void remake(StudioFixture& s)
{
    s.session.begin(150);
    s.session.makeFrames(150);
    s.session.finish();
    QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
    s.window->playback().pause();
}

// Every step back, and every step again.
void undoAndRedo(StudioFixture& s, const project::Document& before)
{
    const project::Document after = s.window->model().document();
    QVERIFY(!(after == before));
    QUndoStack& stack = s.window->model().undoStack();
    stack.undo();
    QVERIFY(s.window->model().document() == before);
    stack.redo();
    QVERIFY(s.window->model().document() == after);
}

} // namespace

class tst_lines : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void spansCountAsQtDoes()
    {
        project::Scene scene;
        scene.leadIn = "\n";
        setScript(scene, "\n" + kScript);
        const QString text = QString::fromStdString("\n" + kScript);
        const auto spans = spansOf(scene);
        QCOMPARE(spans.size(), std::size_t(3));
        for (const LineSpan& span : spans)
            QCOMPARE(text.mid(span.begin, span.end - span.begin),
                     QString::fromStdString(scene.lines[static_cast<std::size_t>(span.number - 1)].text));
        QCOMPARE(spanAt(spans, spans[1].begin)->number, 2);
        QCOMPARE(spanAt(spans, spans[1].end + 1)->number, 2); // the white space behind it
        QVERIFY(!spanAt(spans, 0));
        QVERIFY(!spanOf(spans, 4711));
        const std::string_view line = "Das ist 😀 die";
        QCOMPARE(unitsOf(line), 14);
        QCOMPARE(byteAt(line, 10), 12);
        QCOMPARE(byteAt(line, 99), static_cast<std::int32_t>(line.size()));
    }

    // Only the edited line is stale, at once; its sign is in the row in which it begins.
    void theMarginShowsWhatAnEditTouched()
    {
        StudioFixture s;
        makeLines(s);
        auto& editor = s.window->scriptPanel().editor();
        const auto rowOf = [&](int number) {
            for (const ScriptEditor::Row& row : editor.rows()) {
                if (row.number == number)
                    return row;
            }
            return ScriptEditor::Row();
        };
        QVERIFY(rowOf(3).look == Look::Ready && rowOf(3).height > 5);
        QTextCursor cursor = editor.document()->find(QStringLiteral("third"));
        editor.setTextCursor(cursor);
        editor.setFocus();
        QTest::keyClicks(&editor, "last");
        QVERIFY((looksOf(s) == std::vector<Look>{Look::Ready, Look::Ready, Look::Stale}));
        QVERIFY(rowOf(3).look == Look::Stale);
        QVERIFY2(rowOf(3).tip.contains("changed"), qPrintable(rowOf(3).tip));
        QVERIFY(editor.accessibleDescription().contains("Line 3 of 3: changed"));
        QVERIFY(rowOf(3).top > rowOf(1).top + 10); // behind an empty row
        s.window->previewPanel().picture().setFocus();
        while (!s.window->timeline().timeLayout().isAllReady() && s.window->model().undoStack().canUndo())
            s.window->model().undoStack().undo();
        QVERIFY(rowOf(3).look == Look::Ready);
    }

    void aFailedLineSaysWhyAndIsTriedAgain()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(50);
        s.session.failLine(1, "the voice has no such sound");
        s.session.finish();
        QTRY_VERIFY(s.window->messages().text().contains("no such sound"));
        QTRY_VERIFY((looksOf(s) == std::vector<Look>{Look::Failed}));
        QVERIFY(s.window->scriptPanel().editor().rows().front().tip.contains("no such sound"));
        QVERIFY(s.window->linePanel().stateText().contains("failed"));
        QTRY_VERIFY(!s.window->jobs().isRunning());
        s.window->generate();
        QCOMPARE(s.session.projectRequests.size(), std::size_t(2));
        QVERIFY((looksOf(s) == std::vector<Look>{Look::Rendering}));
    }

    void wordsLightUpAndAreGoneTo()
    {
        StudioFixture s;
        makeLines(s);
        auto& editor = s.window->scriptPanel().editor();
        const QString text = editor.toPlainText();
        s.window->scriptPanel().showSaid(70); // 2.8 s: in the second line
        const auto [begin, end] = editor.said();
        QCOMPARE(text.mid(begin, end - begin), QStringLiteral("zweite"));
        s.window->scriptPanel().showSaid(-1);
        QCOMPARE(editor.said().second, 0);
        // A click on the word goes to its beginning.
        QTextCursor cursor = editor.document()->find(QStringLiteral("zweite"));
        cursor.setPosition(cursor.selectionStart() + 2);
        const QRect at = editor.cursorRect(cursor);
        QTest::mouseClick(editor.viewport(), Qt::LeftButton, {}, at.center());
        QCOMPARE(s.window->playback().position(), FrameIndex(65));
        QCOMPARE(s.window->linePanel().line(), idOf(s, 1));
        QVERIFY(s.window->scriptPanel().lengthText().contains("0:06"));
        s.window->playback().seek(0);
        s.window->playback().play();
        QTRY_VERIFY(editor.said().second > editor.said().first);
    }

    void tagsAreColouredAndCompleted()
    {
        StudioFixture s;
        auto& editor = s.window->scriptPanel().editor();
        editor.setFocus();
        QTest::keyClicks(&editor, "[smi");
        QVERIFY(editor.completer()->popup()->isVisible());
        QCOMPARE(editor.completer()->currentCompletion(), QStringLiteral("smile"));
        QTest::keyClick(editor.completer()->popup(), Qt::Key_Return);
        QCOMPARE(editor.toPlainText(), QStringLiteral("[smile]"));
        QTest::keyClicks(&editor, " Hello [blurb].");
        const auto formats = editor.document()->firstBlock().layout()->formats();
        QCOMPARE(formats.size(), 2);
        QCOMPARE(formats[0].length, 7);
        QVERIFY(formats[0].format.underlineStyle() != QTextCharFormat::WaveUnderline);
        QVERIFY(formats[1].format.underlineStyle() == QTextCharFormat::WaveUnderline);
        QVERIFY(TagHighlighter::knownTags().contains(QStringLiteral("nod")));
        QCOMPARE(QString::fromStdString(scriptOf(*s.window)), editor.toPlainText());
    }

    void whatIsSetForOneLineIsUndone()
    {
        StudioFixture s;
        makeLines(s);
        s.window->scriptPanel().editor().goToLine(idOf(s, 1));
        LinePanel& panel = s.window->linePanel();
        QCOMPARE(panel.line(), idOf(s, 1));
        QVERIFY(panel.isVisibleTo(s.window.get()));
        const auto now = [&] { return s.window->model().document(); };
        const auto second = [&]() -> const project::Line& { return s.window->model().scene().lines[1]; };

        project::Document before = now();
        const int row = panel.voice().findData(QStringLiteral("es-maria"));
        panel.voice().setCurrentIndex(row);
        Q_EMIT panel.voice().activated(row);
        QCOMPARE(second().voice, std::string("es-maria"));
        QVERIFY((looksOf(s) == std::vector<Look>{Look::Ready, Look::Stale, Look::Ready}));
        undoAndRedo(s, before);

        before = now();
        panel.prompt().setFocus();
        QTest::keyClicks(&panel.prompt(), "nodding");
        QCOMPARE(second().prompt, std::string("nodding"));
        undoAndRedo(s, before); // one step for all of it

        s.window->model().breakMerge();
        before = now();
        panel.pause().setValue(1.5);
        QCOMPARE(second().pauseAfter, std::optional<double>(1.5));
        undoAndRedo(s, before);
        before = now();
        s.window->model().breakMerge();
        panel.pause().setValue(panel.pause().minimum());
        QVERIFY(!second().pauseAfter);
        undoAndRedo(s, before);

        before = now();
        const std::uint64_t id = second().id;
        panel.down().click();
        QCOMPARE(s.window->model().scene().lines[2].id, id);
        QCOMPARE(panel.line(), id); // the caret stays with it or goes: the panel follows the line it is in
        undoAndRedo(s, before);
        before = now();
        panel.up().click();
        undoAndRedo(s, before);

        before = now();
        panel.remove().click();
        QCOMPARE(s.window->model().scene().lines.size(), std::size_t(2));
        undoAndRedo(s, before);
    }

    void textIsUndoneLineByLine()
    {
        StudioFixture s;
        makeLines(s);
        const project::Document before = s.window->model().document();
        s.window->scriptPanel().takeText(QString::fromStdString(kScript + " And a fourth."));
        QCOMPARE(s.window->model().scene().lines.size(), std::size_t(4));
        QCOMPARE(s.window->model().scene().lines[2].id, before.scenes.front().lines[2].id);
        QVERIFY((looksOf(s) == std::vector<Look>{Look::Ready, Look::Ready, Look::Ready, Look::New}));
        undoAndRedo(s, before);
    }

    void takesAreMadeChosenPinnedAndDeleted()
    {
        StudioFixture s;
        makeLines(s);
        s.window->scriptPanel().editor().goToLine(idOf(s, 2));
        TakesPanel& takes = s.window->takesPanel();
        QTRY_COMPARE(takes.list().count(), 1);
        const std::uint64_t first = s.window->renderState().takeShown(idOf(s, 2));
        QVERIFY(takes.list().item(0)->text().contains("shown"));
        QVERIFY(!takes.choose().isEnabled());

        const project::Document before = s.window->model().document();
        takes.another().click(); // asks for it and makes it
        QCOMPARE(s.session.projectRequests.size(), std::size_t(2));
        QVERIFY(s.window->jobs().isRunning());
        undoAndRedo(s, before);
        remake(s);
        QTRY_COMPARE(takes.list().count(), 2);
        const std::uint64_t second = s.window->renderState().takeShown(idOf(s, 2));
        QVERIFY(second != first);

        // The old one is shown again: an undo step, nothing is made.
        takes.list().setCurrentRow(1);
        QVERIFY(takes.choose().isEnabled());
        const project::Document both = s.window->model().document();
        takes.choose().click();
        QTRY_COMPARE(s.window->renderState().takeShown(idOf(s, 2)), first);
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
        undoAndRedo(s, both);
        QCOMPARE(s.session.projectRequests.size(), std::size_t(2));

        takes.list().setCurrentRow(0);
        takes.pin().click();
        QTRY_VERIFY(takes.list().item(0)->text().contains("pinned"));
        QVERIFY(!takes.remove().isEnabled());
        takes.list().setCurrentRow(1);
        QVERIFY(takes.remove().isEnabled());
        takes.remove().click();
        QTRY_VERIFY(StudioFixture::question());
        StudioFixture::question()->button(QMessageBox::No)->click();
        StudioFixture::settle();
        QVERIFY(s.session.removedTakes.empty());
        takes.remove().click();
        StudioFixture::question()->button(QMessageBox::Yes)->click();
        QTRY_COMPARE(takes.list().count(), 1);
        QCOMPARE(s.session.removedTakes, std::vector<std::uint64_t>{first});
        QCOMPARE(s.window->model().scene().lines[2].chosenTake, std::uint64_t(0));
        QTRY_COMPARE(s.window->renderState().takeShown(idOf(s, 2)), second);
    }

    // A recording becomes lines, in one undo step; they are made as any others, and their words are not typed over.
    void aRecordingBecomesLines()
    {
        StudioFixture s;
        s.makeReady();
        s.drop({s.qpath("voice.wav")});
        auto& panel = s.window->scriptPanel().recording();
        QVERIFY(panel.makeLines().isVisible());
        const project::Document before = s.window->model().document();
        panel.makeLines().click();
        QCOMPARE(s.session.cuts.size(), std::size_t(1));
        QCOMPARE(s.session.cuts.front().file, s.path("voice.wav"));
        QVERIFY(panel.makeLines().text().contains("Cancel"));
        panel.makeLines().click(); // given up
        QCOMPARE(s.session.cancelled.size(), std::size_t(1));
        s.session.failCut(Error(ErrorCode::Cancelled, "Cancelled."));
        StudioFixture::settle();
        QVERIFY(s.window->messages().text().isEmpty());
        QCOMPARE(s.window->model().document(), before);

        panel.makeLines().click();
        s.session.finishCut({"First part.", "", "Third part."});
        QTRY_COMPARE(s.window->timeline().timeLayout().lines().size(), std::size_t(3));
        QVERIFY(s.window->messages().text().contains("3 lines") && s.window->messages().text().contains("quiet"));
        QCOMPARE(s.window->timeline().timeLayout().lines()[1].label, QString::fromUtf8("♪"));
        QVERIFY(s.window->scriptPanel().editor().isReadOnly());
        undoAndRedo(s, before);
        s.window->generate();
        QCOMPARE(s.session.projectRequests.size(), std::size_t(1));
        QVERIFY(s.window->model().scene().lines[1].recording.has_value());
        s.window->model().undoStack().undo();
        QVERIFY(!s.window->scriptPanel().editor().isReadOnly());
    }

    void aCutThatFailsSaysWhy()
    {
        StudioFixture s;
        s.makeReady();
        s.drop({s.qpath("voice.wav")});
        auto& panel = s.window->scriptPanel().recording();
        panel.makeLines().click();
        s.session.failCut(Error(ErrorCode::EmptyInput, "Nothing is said in the recording."));
        QTRY_VERIFY(s.window->messages().text().contains("Nothing is said"));
        QVERIFY(panel.makeLines().text().contains("Make lines"));
        // An answer for a recording that is gone is not taken.
        panel.makeLines().click();
        s.drop({s.qpath("other.wav")});
        const project::Document before = s.window->model().document();
        s.session.finishCut({"Old."});
        StudioFixture::settle();
        QCOMPARE(s.window->model().document(), before);
    }

    // Of another project nothing is shown, and the store hears that the old one is closed.
    void anotherProjectBeginsAnew()
    {
        StudioFixture s;
        makeLines(s);
        const std::uint64_t old = s.window->model().document().id;
        s.window->model().reset({}, {});
        Q_EMIT s.window->flow().replaced();
        QCOMPARE(s.session.closed, std::vector<std::uint64_t>{old});
        QCOMPARE(s.window->timeline().timeLayout().total(), FrameIndex(0));
        QVERIFY(!s.window->playback().hasFrames());
        QVERIFY(!s.window->linePanel().isVisible());
        QCOMPARE(s.window->takesPanel().list().count(), 0);
        s.window->playback().play();
        QVERIFY(!s.window->playback().isPlaying());
    }

    // Thousands of lines: a key press stays well below what a picture lasts.
    void typingInThousandsOfLines()
    {
        StudioFixture s;
        s.makeReady();
        std::string text;
        for (int i = 0; i < 5000; ++i)
            text += "This is line number " + std::to_string(i) + " of a long text.\n";
        s.window->scriptPanel().takeText(QString::fromStdString(text));
        auto& editor = s.window->scriptPanel().editor();
        editor.setFocus();
        editor.moveCursor(QTextCursor::End);
        StudioFixture::settle();
        std::vector<double> costs;
        for (int i = 0; i < 20; ++i) {
            const double before = threadCpuSeconds();
            QTest::keyClick(&editor, Qt::Key_A);
            costs.push_back(1e3 * (threadCpuSeconds() - before));
        }
        std::sort(costs.begin(), costs.end());
        qInfo("a key press: median %.1f ms, worst %.1f ms", costs[10], costs.back());
        QVERIFY2(costs[10] < 40 * test::slowdown(), qPrintable(QString::number(costs[10])));
    }
};

LOQUOR_TEST(tst_lines)
#include "tst_lines.moc"
