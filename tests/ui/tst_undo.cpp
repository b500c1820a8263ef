#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/actions.h"
#include "ui/models/project_model.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/settings/output_panel.h"

using namespace loquor;
using loquor::test::scriptOf;
using loquor::test::StudioFixture;

class tst_undo : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void typingIsOneStepOfTheProject()
    {
        StudioFixture s;
        auto& editor = s.window->scriptPanel().editor();
        editor.setFocus();
        QTest::keyClicks(&editor, "Hello world");
        QCOMPARE(scriptOf(*s.window), std::string("Hello world"));
        QCOMPARE(s.window->model().undoStack().count(), 1);
        s.window->previewPanel().picture().setFocus();
        editor.setFocus();
        QTest::keyClicks(&editor, "!");
        QCOMPARE(s.window->model().undoStack().count(), 2); // a new visit, a new step
        s.window->previewPanel().picture().setFocus();
        s.window->actions().undo->trigger();
        QCOMPARE(editor.toPlainText(), QStringLiteral("Hello world"));
        s.window->actions().undo->trigger();
        QVERIFY(editor.toPlainText().isEmpty());
        QVERIFY(!s.window->isWindowModified());
        s.window->actions().redo->trigger();
        QCOMPARE(editor.toPlainText(), QStringLiteral("Hello world"));
    }

    // A line that comes back is the line it was: same id, prompt and takes, whether it was typed over, cut or joined.
    void undoInTheScriptBringsTheSameLinesBack()
    {
        StudioFixture s;
        auto& editor = s.window->scriptPanel().editor();
        editor.setFocus();
        editor.insertPlainText(QStringLiteral("The first one. The second one. The third one."));
        s.window->model().edit(loquor::ui::EditKind::LinePrompt, QStringLiteral("prompt"),
                               [](project::Document& d) { d.scenes.front().lines.at(1).prompt = "calm"; });
        const project::Document before = s.window->model().document();
        QCOMPARE(before.scenes.front().lines.size(), std::size_t(3));
        const auto back = [&] {
            while (s.window->model().document() != before) {
                if (!s.window->actions().undo->isEnabled())
                    return false;
                QTest::keyClick(&editor, Qt::Key_Z, Qt::ControlModifier); // with the focus in the box
            }
            return scriptOf(*s.window) == editor.toPlainText().toStdString();
        };
        editor.selectAll();
        QTest::keyClicks(&editor, "Something else.");
        QVERIFY(back());
        editor.setTextCursor(editor.document()->find(QStringLiteral("The second one. ")));
        QTest::keyClick(&editor, Qt::Key_Delete);
        QVERIFY(back());
        editor.setTextCursor(editor.document()->find(QStringLiteral("second one.")));
        QTest::keyClick(&editor, Qt::Key_X, Qt::ControlModifier);
        QVERIFY(back());
        editor.moveCursor(QTextCursor::End);
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(&editor, Qt::Key_Backspace);
        QVERIFY(back());
        QTest::keyClick(&editor, Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(s.window->model().document() != before || !s.window->model().undoStack().canRedo());
    }

    void stepsOfTyping_data()
    {
        QTest::addColumn<QString>("keys"); // '<' Backspace, '|' caret to the start
        QTest::addColumn<int>("steps");
        QTest::newRow("words") << QStringLiteral("one two three") << 1;
        QTest::newRow("sentences") << QStringLiteral("One. Two? Three") << 3;
        QTest::newRow("a number") << QStringLiteral("3.14 is pi") << 1;
        QTest::newRow("deleting turns") << QStringLiteral("one two<<<<x") << 3;
        QTest::newRow("another place") << QStringLiteral("one|two") << 2;
    }
    void stepsOfTyping()
    {
        QFETCH(QString, keys);
        QFETCH(int, steps);
        StudioFixture s;
        auto& editor = s.window->scriptPanel().editor();
        editor.setFocus();
        for (const QChar c : keys) {
            if (c == u'<')
                QTest::keyClick(&editor, Qt::Key_Backspace);
            else if (c == u'|')
                editor.moveCursor(QTextCursor::Start);
            else
                QTest::keyClick(&editor, c.toLatin1());
        }
        QCOMPARE(s.window->model().undoStack().count(), steps);
        QCOMPARE(scriptOf(*s.window), editor.toPlainText().toStdString());
    }

    void theWheelScrollsAndChangesNothingWithoutFocus()
    {
        StudioFixture s;
        const project::Document before = s.window->model().document();
        s.window->scriptPanel().editor().setFocus();
        int boxes = 0;
        for (QWidget* box : s.window->findChildren<QWidget*>()) {
            if (!box->isVisible() || (!qobject_cast<QComboBox*>(box) && !qobject_cast<QAbstractSpinBox*>(box)))
                continue;
            ++boxes;
            const QPointF at = box->rect().center();
            QWheelEvent wheel(at, box->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(box, &wheel);
            QVERIFY(!box->hasFocus());
        }
        QVERIFY(boxes >= 4);
        QCOMPARE(s.window->model().document(), before);
    }

    void settingsAreUndone()
    {
        StudioFixture s;
        const project::Document before = s.window->model().document();
        auto& panel = s.window->outputPanel();
        const auto choose = [](QComboBox& box, int row) {
            box.setCurrentIndex(row);
            Q_EMIT box.activated(row);
        };
        choose(panel.size(), 2);
        QCOMPARE(s.window->model().document().output.height, 1280);
        choose(panel.rate(), panel.rate().count() - 1);
        QCOMPARE(s.window->model().document().output.fps, Rational::make(60, 1));
        QTest::keyClicks(&panel.prompt(), "calm");
        QTest::keyClicks(&panel.seed(), "42");
        QCOMPARE(s.window->model().document().output.seed, std::optional<std::uint64_t>(42));
        auto& stack = s.window->model().undoStack();
        QCOMPARE(stack.count(), 4);
        while (stack.canUndo())
            stack.undo();
        QCOMPARE(s.window->model().document(), before);
        QCOMPARE(panel.size().currentIndex(), 0);
        QVERIFY(panel.prompt().text().isEmpty());
        QVERIFY(panel.seed().text().isEmpty());
    }

    void case_047_odd_sizes_become_even_and_show_it()
    {
        StudioFixture s;
        auto& panel = s.window->outputPanel();
        const int custom = panel.size().count() - 1;
        panel.size().setCurrentIndex(custom);
        Q_EMIT panel.size().activated(custom);
        QVERIFY(panel.customWidth().isVisible());
        panel.customWidth().setValue(1057);
        QCOMPARE(s.window->model().document().output.width, 1056);
        QCOMPARE(panel.customWidth().value(), 1056);
    }

    void aVoiceOfAnotherMachineStays()
    {
        StudioFixture s;
        project::Document document;
        document.scenes.front().speech.voice = "xx-unknown";
        s.window->model().reset(document, {});
        QVERIFY(s.window->scriptPanel().voice().currentText().contains("xx-unknown"));
        QCOMPARE(s.window->model().scene().speech.voice, std::string("xx-unknown"));
    }
};

LOQUOR_TEST(tst_undo)
#include "tst_undo.moc"
