// The dictionaries: list, form, what becomes stale, what is heard, undo, the context menu of the script.
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTableView>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/actions.h"
#include "ui/main/command_palette.h"
#include "ui/script/pronunciation_dialog.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/speech_tools.h"
#include "ui/timeline/timeline_view.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::setScript;
using loquor::test::StudioFixture;

namespace {

std::vector<Look> looksOf(StudioFixture& s)
{
    std::vector<Look> out;
    for (const LayoutLine& line : s.window->timeline().timeLayout().lines())
        out.push_back(line.look);
    return out;
}

void makeLines(StudioFixture& s)
{
    s.makeReady();
    s.window->model().edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
        setScript(document.scenes.front(), "We use SQL here. Nothing of it. A SQL server & client.");
    });
    s.window->model().breakMerge();
    s.window->generate();
    s.session.begin(150);
    s.session.makeFrames(150);
    s.session.finish();
    QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
    s.window->playback().pause();
}

PronunciationDialog& open(StudioFixture& s, const QString& word = {})
{
    s.window->speechTools().showPronunciations(word);
    StudioFixture::settle();
    auto* dialog = s.window->findChild<PronunciationDialog*>();
    if (!dialog)
        qFatal("no dialog");
    return *dialog;
}

void type(QLineEdit& field, const QString& text)
{
    field.setText(text); // QTest types Latin letters only
    Q_EMIT field.textEdited(text);
}

QStringList rows(PronunciationDialog& dialog)
{
    QStringList out;
    const QAbstractItemModel* model = dialog.table().model();
    for (int row = 0; row < model->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model->columnCount(); ++column)
            cells += model->index(row, column).data().toString();
        out += cells.join(QLatin1Char('|'));
    }
    return out;
}

constexpr Look kReady = Look::Ready, kStale = Look::Stale;

} // namespace

class tst_pronunciations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void exactlyTheLinesWithTheWordBecomeStaleAndUndoLeadsBack()
    {
        StudioFixture s;
        makeLines(s);
        PronunciationDialog& dialog = open(s, QStringLiteral("SQL"));
        QCOMPARE(dialog.word().text(), QStringLiteral("SQL"));
        QVERIFY(!dialog.store().isEnabled());
        type(dialog.said(), QStringLiteral("sequel"));
        QVERIFY(dialog.store().isEnabled());
        s.session.answerInspections = false; // at once, before the engine says so
        dialog.store().click();
        QCOMPARE(looksOf(s), (std::vector<Look>{kStale, kReady, kStale}));
        s.session.answerInspections = true;
        s.session.answerHeldInspections();
        StudioFixture::settle();
        QCOMPARE(looksOf(s), (std::vector<Look>{kStale, kReady, kStale}));
        QCOMPARE(rows(dialog), QStringList{QStringLiteral("SQL|sequel|every language")});
        QVERIFY(!dialog.store().isEnabled() && dialog.remove().isEnabled());

        QUndoStack& stack = s.window->model().undoStack();
        QVERIFY(stack.undoText().contains(QStringLiteral("SQL")));
        stack.undo();
        QTRY_COMPARE(looksOf(s), (std::vector<Look>{kReady, kReady, kReady}));
        QVERIFY(rows(dialog).isEmpty());
        stack.redo();
        QTRY_COMPARE(looksOf(s), (std::vector<Look>{kStale, kReady, kStale}));
        dialog.remove().click();
        QTRY_COMPARE(looksOf(s), (std::vector<Look>{kReady, kReady, kReady}));
        QVERIFY(!dialog.remove().isEnabled());
    }

    void entriesAreChangedByLanguageAndKind()
    {
        StudioFixture s;
        makeLines(s);
        PronunciationDialog& dialog = open(s, QStringLiteral("server"));
        type(dialog.said(), QStringLiteral("ˈsɜːvə"));
        dialog.kind().setCurrentIndex(1);
        Q_EMIT dialog.kind().activated(1);
        const int english = dialog.language().findData(QStringLiteral("en"));
        QVERIFY(english > 0);
        dialog.language().setCurrentIndex(english);
        Q_EMIT dialog.language().activated(english);
        dialog.store().click();
        QCOMPARE(rows(dialog), QStringList{QStringLiteral("server|/ˈsɜːvə/|English")});
        const auto& list = s.window->model().document().pronunciations;
        QCOMPARE(list.size(), std::size_t(1));
        QCOMPARE(list[0].ipa, std::string("ˈsɜːvə"));
        QCOMPARE(list[0].language, std::string("en"));
        type(dialog.said(), QStringLiteral("12!"));
        QVERIFY(!dialog.store().isEnabled());
        QVERIFY2(dialog.problemText().contains(QStringLiteral("server")), qPrintable(dialog.problemText()));
        type(dialog.word(), QStringLiteral("gif"));
        type(dialog.said(), QStringLiteral("dʒɪf"));
        QVERIFY(dialog.problemText().isEmpty());
        QVERIFY(!dialog.remove().isEnabled());
        dialog.store().click();
        QCOMPARE(rows(dialog).size(), 2);
        type(dialog.search(), QStringLiteral("SERV"));
        QCOMPARE(rows(dialog).size(), 1);
        dialog.table().setCurrentIndex(dialog.table().model()->index(0, 0));
        QCOMPARE(dialog.word().text(), QStringLiteral("server"));
        QCOMPARE(dialog.said().text(), QStringLiteral("ˈsɜːvə"));
        QCOMPARE(dialog.kind().currentIndex(), 1);
    }

    void whatIsHeardIsTheEntryInTheForm()
    {
        StudioFixture s(true);
        makeLines(s);
        PronunciationDialog& dialog = open(s, QStringLiteral("SQL"));
        dialog.hear().click(); // as it is said without an entry
        QCOMPARE(s.session.says.size(), std::size_t(1));
        QCOMPARE(s.session.says[0].text, std::string("SQL"));
        QVERIFY(s.session.says[0].pronunciations.empty());
        type(dialog.said(), QStringLiteral("sequel"));
        dialog.hear().click();
        QCOMPARE(s.session.says[1].pronunciations.size(), std::size_t(1));
        QCOMPARE(s.session.says[1].pronunciations[0].alias, std::string("sequel"));
        QVERIFY(s.window->model().document().pronunciations.empty()); // nothing is stored by hearing
        s.session.answerSays = false;
        dialog.hear().click();
        QCOMPARE(dialog.hear().text(), QStringLiteral("Speaking…"));
        s.session.failSay(Error(ErrorCode::NotFound, "The voice is not there."));
        QTRY_COMPARE(dialog.problemText(), QStringLiteral("The voice is not there."));
        QCOMPARE(dialog.hear().text(), QStringLiteral("Hear"));
        dialog.hear().click();
        const std::size_t given = s.session.cancelled.size(); // what was asked for last is what is heard
        dialog.close();                                       // nothing is said behind it
        QTRY_COMPARE(s.session.cancelled.size(), given + 1);
    }

    void theUsersDictionaryIsAFileAndAsksTheEngineAgain()
    {
        StudioFixture s;
        makeLines(s);
        PronunciationDialog& dialog = open(s, QStringLiteral("SQL"));
        dialog.setOfProject(false);
        type(dialog.said(), QStringLiteral("sequel"));
        const int asked = s.session.inspections;
        dialog.store().click();
        QTRY_COMPARE(rows(dialog), QStringList{QStringLiteral("SQL|sequel|every language")});
        QTRY_VERIFY(s.session.inspections > asked);
        const auto file = s.path("config") / "pronunciations.json";
        auto stored = speech::readPronunciations(file);
        QVERIFY(stored && stored->size() == 1);
        QVERIFY(s.window->model().document().pronunciations.empty());
        // What another program wrote meanwhile stays.
        QVERIFY(speech::setPronunciation(*stored, *speech::makePronunciation("gif", "", "jif", "")));
        QVERIFY(speech::writePronunciations(file, *stored));
        dialog.remove().click();
        QTRY_COMPARE(rows(dialog), QStringList{QStringLiteral("gif|jif|every language")});
        QCOMPARE(speech::readPronunciations(file)->size(), std::size_t(1));
    }

    void aDamagedFileIsToldAndLeftAlone()
    {
        StudioFixture s;
        const auto file = s.path("config") / "pronunciations.json";
        std::filesystem::create_directories(file.parent_path());
        QFile damaged(QString::fromStdString(file.string()));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write("{ not a dictionary");
        damaged.close();
        PronunciationDialog& dialog = open(s, QStringLiteral("gif"));
        QTRY_VERIFY2(dialog.problemText().contains(QStringLiteral("pronunciations.json")), qPrintable(dialog.problemText()));
        dialog.setOfProject(false);
        type(dialog.said(), QStringLiteral("jif"));
        dialog.store().click();
        QTRY_VERIFY(dialog.problemText().contains(QStringLiteral("pronunciations.json")));
        QVERIFY(damaged.open(QIODevice::ReadOnly));
        QCOMPARE(damaged.readAll(), QByteArray("{ not a dictionary"));
    }

    void theContextMenuSpeaksOfTheWord()
    {
        StudioFixture s;
        s.makeReady();
        s.window->model().edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
            setScript(document.scenes.front(), "[smile] We use SQL, R&D and\nNew York.");
        });
        ScriptEditor& editor = s.window->scriptPanel().editor();
        const auto placeOf = [&editor](const QString& text) {
            QTextCursor cursor = editor.document()->find(text);
            cursor.setPosition(cursor.selectionStart() + 1);
            return editor.cursorRect(cursor).center();
        };
        QCOMPARE(editor.wordAt(placeOf(QStringLiteral("SQL"))), QStringLiteral("SQL"));
        QCOMPARE(editor.wordAt(placeOf(QStringLiteral("smile"))), QString()); // a tag is not said
        editor.setTextCursor(editor.document()->find(QStringLiteral("New York")));
        QCOMPARE(editor.wordAt(placeOf(QStringLiteral("York"))), QStringLiteral("New York"));
        const std::unique_ptr<QMenu> menu(editor.makeContextMenu(placeOf(QStringLiteral("SQL"))));
        QVERIFY(menu->actions().front()->text().contains(QStringLiteral("SQL")));
        menu->actions().front()->trigger();
        StudioFixture::settle();
        auto* dialog = s.window->findChild<PronunciationDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->word().text(), QStringLiteral("SQL"));
        QVERIFY(dialog->isOfProject());
    }

    void theMenuAndThePaletteOpenIt()
    {
        StudioFixture s;
        s.window->actions().pronunciations->trigger();
        StudioFixture::settle();
        QPointer<PronunciationDialog> dialog = s.window->findChild<PronunciationDialog*>();
        QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
        s.window->actions().pronunciations->trigger(); // the same one
        QCOMPARE(s.window->findChildren<PronunciationDialog*>().size(), 1);
        dialog->close();
        QTRY_VERIFY(!dialog);
        const QList<QAction*> menus = s.window->menuBar()->actions();
        QVERIFY(std::any_of(menus.begin(), menus.end(), [&](QAction* menu) {
            return menu->menu() && menu->menu()->actions().contains(s.window->actions().pronunciations);
        }));
    }
};

LOQUOR_TEST(tst_pronunciations)
#include "tst_pronunciations.moc"
