#include <clocale>
#include <fstream>
#include <sstream>

#include <QDirIterator>
#include <QFile>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>

#include "core/project/project_file.h"
#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/project_flow.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/widgets/message_bar.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::scriptOf;
using loquor::test::setScript;
using loquor::test::StudioFixture;

namespace {

std::string readText(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream out;
    out << stream.rdbuf();
    return out.str();
}

int rescuedFiles(const QString& folder)
{
    int count = 0;
    QDirIterator files(folder, {QStringLiteral("*.loquor")}, QDir::Files, QDirIterator::Subdirectories);
    for (; files.hasNext(); files.next())
        ++count;
    return count;
}

void press(QMessageBox* box, QMessageBox::StandardButton button)
{
    box->button(button)->click();
    StudioFixture::settle();
}

void press(QMessageBox* box, QMessageBox::ButtonRole role)
{
    for (QAbstractButton* button : box->buttons()) {
        if (box->buttonRole(button) == role) {
            button->click();
            break;
        }
    }
    StudioFixture::settle();
}

} // namespace

class tst_project_flow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saveAndOpenAgain()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("film.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        QCOMPARE(s.window->windowTitle(), QString::fromUtf8("film[*] – Loquor"));
        const project::Document before = s.window->model().document();
        s.window->flow().newProject();
        QVERIFY(scriptOf(*s.window).empty());
        s.drop({s.qpath("film.loquor")});
        QTRY_COMPARE(scriptOf(*s.window), std::string("Hello there."));
        QCOMPARE(s.window->model().scene().reference, before.scenes.front().reference);
        QCOMPARE(s.window->scriptPanel().editor().toPlainText(), QStringLiteral("Hello there."));
        QVERIFY(!s.window->isWindowModified());
        QVERIFY(s.window->files().recent().contains(s.qpath("film.loquor")));
    }

    void unknownFieldsAndNumbersSurviveAGermanDesktop()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        const auto restore = qScopeGuard([] {
            std::setlocale(LC_ALL, "C");
            QLocale::setDefault(QLocale(QLocale::English));
        });
        StudioFixture s;
        const auto file = s.path("alt.loquor");
        std::ofstream(file)
            << "{\"format\":\"loquor-project\",\"version\":1,\"gain\":0.75,"
               "\"output\":{\"fps\":\"29.97\",\"width\":1920,\"height\":1080},"
               "\"scenes\":[{\"id\":\"a\",\"speech\":{\"text\":\"x\",\"speed\":1.25}}]}";
        s.window->flow().openFile(s.qpath("alt.loquor"));
        QTRY_COMPARE(s.window->model().document().output.width, 1920);
        s.window->scriptPanel().editor().setPlainText(QStringLiteral("neu"));
        s.window->flow().save();
        QTRY_VERIFY(!s.window->isWindowModified());
        const std::string text = readText(file);
        for (const char* wanted :
             {"\"gain\": 0.75", "\"speed\": 1.25", "\"fps\": \"30000/1001\"", "\"text\": \"neu\""})
            QVERIFY2(text.find(wanted) != std::string::npos, wanted);
    }

    void aDamagedProjectIsExplainedAndNothingIsLost()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("good.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        std::ofstream(s.path("bad.loquor")) << "{\"format\":";
        s.window->flow().openFile(s.qpath("bad.loquor"));
        QTRY_VERIFY(s.window->messages().text().contains("damaged"));
        QCOMPARE(scriptOf(*s.window), std::string("Hello there."));
        QCOMPARE(s.window->model().file(), s.qpath("good.loquor"));
    }

    void aFailedSaveKeepsTheStar()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("no/such/folder/x.loquor"));
        QTRY_COMPARE(static_cast<int>(s.window->messages().level()),
                     static_cast<int>(MessageBar::Level::Error));
        QVERIFY(s.window->isWindowModified());
        QVERIFY(s.window->model().file().isEmpty());
    }

    void unsavedWorkIsAskedFor()
    {
        StudioFixture s;
        s.makeReady();
        s.window->flow().newProject();
        QVERIFY(StudioFixture::question());
        press(StudioFixture::question(), QMessageBox::Cancel);
        QCOMPARE(scriptOf(*s.window), std::string("Hello there."));
        s.window->flow().newProject();
        press(StudioFixture::question(), QMessageBox::Discard);
        QVERIFY(scriptOf(*s.window).empty());

        s.makeReady();
        s.window->close();
        QVERIFY(s.window->isVisible());
        press(StudioFixture::question(), QMessageBox::Cancel);
        QVERIFY(s.window->isVisible());
        s.window->close();
        press(StudioFixture::question(), QMessageBox::Discard);
        QVERIFY(!s.window->isVisible());
    }

    void savingBeforeLeavingWaitsForTheDisk()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        s.window->scriptPanel().editor().setPlainText(QStringLiteral("changed"));
        s.window->flow().newProject();
        press(StudioFixture::question(), QMessageBox::Save);
        QTRY_VERIFY(s.window->model().file().isEmpty());
        QVERIFY(readText(s.path("p.loquor")).find("changed") != std::string::npos);
    }

    void case_157_missing_files_are_found_again_in_one_go()
    {
        StudioFixture s;
        std::ofstream(s.path("voice.wav")) << "x";
        std::ofstream(s.path("face.jpg")) << "x";
        s.makeReady();
        s.drop({s.qpath("voice.wav")});
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        std::filesystem::create_directories(s.path("elsewhere"));
        for (const char* name : {"voice.wav", "face.jpg"})
            std::filesystem::rename(s.path(name), s.path("elsewhere") / name);
        s.window->flow().openFile(s.qpath("p.loquor"));
        QTRY_VERIFY(s.window->messages().text().contains("face.jpg"));
        QVERIFY(s.window->messages().text().contains("voice.wav"));
        s.window->flow().relinkFrom(s.qpath("elsewhere"));
        QTRY_COMPARE(s.window->model().scene().reference.file, s.path("elsewhere") / "face.jpg");
        QCOMPARE(s.window->model().scene().speech.audioFile, s.path("elsewhere") / "voice.wav");
        s.window->model().undoStack().undo();
        QCOMPARE(s.window->model().scene().reference.file, s.path("face.jpg"));
    }

    void case_172_unsaved_work_is_rescued()
    {
        StudioFixture s;
        const QString rescue = s.qpath("data/rescue");
        {
            // The work of a start that crashed: its files are there, its lock is not.
            ProjectModel model;
            ProjectFiles files(model, rescue);
            model.edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
                setScript(document.scenes.front(), "precious words");
            });
            files.rescueNow();
            StudioFixture::settle();
        }
        s.window->files().findRescued();
        QTRY_VERIFY(StudioFixture::question());
        QVERIFY(StudioFixture::question()->informativeText().contains("precious"));
        press(StudioFixture::question(), QMessageBox::AcceptRole); // open as a copy
        QTRY_COMPARE(scriptOf(*s.window), std::string("precious words"));
        QVERIFY(s.window->isWindowModified());
        QVERIFY(s.window->model().file().isEmpty());
        s.window->files().save(s.qpath("kept.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        QTRY_COMPARE(rescuedFiles(rescue), 0); // given up behind the save
    }

    void case_175_discarded_and_corrupt_rescues_do_not_come_back()
    {
        StudioFixture s;
        const QString rescue = s.qpath("data/rescue");
        QDir().mkpath(rescue + QStringLiteral("/unnamed-1"));
        std::ofstream(s.path("data/rescue/unnamed-1/gen-0000000001.loquor")) << "{{{";
        {
            ProjectModel model;
            ProjectFiles files(model, rescue);
            model.edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
                setScript(document.scenes.front(), "unwanted");
            });
            files.rescueNow();
            StudioFixture::settle();
        }
        s.window->files().findRescued();
        QTRY_VERIFY(StudioFixture::question());
        press(StudioFixture::question(), QMessageBox::DestructiveRole);
        StudioFixture::settle();
        QSignalSpy found(&s.window->files(), &ProjectFiles::rescuedFound);
        s.window->files().findRescued();
        StudioFixture::settle();
        QCOMPARE(found.count(), 0);
        QCOMPARE(rescuedFiles(rescue), 0);
    }

    void aRunningProgramKeepsItsRescueFile()
    {
        StudioFixture s;
        ProjectModel model;
        ProjectFiles alive(model, s.qpath("data/rescue"));
        model.edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
            setScript(document.scenes.front(), "still being written");
        });
        alive.rescueNow();
        StudioFixture::settle();
        QSignalSpy found(&s.window->files(), &ProjectFiles::rescuedFound);
        s.window->files().findRescued();
        StudioFixture::settle();
        QCOMPARE(found.count(), 0);
        alive.forgetRescue();
        QTRY_COMPARE(rescuedFiles(s.qpath("data/rescue")), 0);
    }

    void aProjectOpenElsewhereCanBeLookedAtAndCopied()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        const std::uint64_t id = s.window->model().document().id;
        StudioFixture second;
        second.window->flow().openFile(s.qpath("p.loquor"));
        QTRY_VERIFY(second.window->messages().text().contains("is open in Loquor"));
        QCOMPARE(scriptOf(*second.window), std::string("Hello there."));
        second.window->scriptPanel().editor().setPlainText(QStringLiteral("Mine."));
        const std::string before = readText(s.path("p.loquor"));
        second.window->flow().save();
        StudioFixture::settle();
        QVERIFY(second.window->isWindowModified());
        QCOMPARE(readText(s.path("p.loquor")), before);
        second.window->files().save(second.qpath("copy.loquor"));
        QTRY_VERIFY(!second.window->isWindowModified());
        QVERIFY(second.window->model().document().id != id); // a project of its own
        const std::uint64_t copy = second.window->model().document().id;
        second.window->model().undoStack().undo();
        QCOMPARE(second.window->model().document().id, copy);

        // Once it is let go, it can be opened for editing; saving again under the same name keeps the id.
        s.window->flow().newProject();
        StudioFixture::settle();
        StudioFixture third;
        third.window->flow().openFile(s.qpath("p.loquor"));
        QTRY_COMPARE(scriptOf(*third.window), std::string("Hello there."));
        third.window->scriptPanel().editor().setPlainText(QStringLiteral("Third."));
        third.window->flow().save();
        QTRY_VERIFY(!third.window->isWindowModified());
        QCOMPARE(third.window->model().document().id, id);
    }

    void aFileChangedByAnotherProgramIsNotOverwritten()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        std::ofstream(s.path("p.loquor"), std::ios::app) << "\n";
        const std::string theirs = readText(s.path("p.loquor"));
        s.window->scriptPanel().editor().setPlainText(QStringLiteral("Mine."));
        s.window->flow().save();
        QTRY_VERIFY(s.window->messages().text().contains("another program"));
        QVERIFY(s.window->isWindowModified());
        QCOMPARE(readText(s.path("p.loquor")), theirs);
    }

    void savesInARowAllArrive()
    {
        StudioFixture s;
        s.makeReady();
        for (int i = 0; i < 5; ++i) {
            s.window->scriptPanel().editor().setPlainText(QStringLiteral("Version %1.").arg(i));
            s.window->files().save(s.qpath("p.loquor"));
        }
        QTRY_VERIFY(!s.window->isWindowModified());
        QTRY_VERIFY(readText(s.path("p.loquor")).find("Version 4.") != std::string::npos);
        QVERIFY(s.window->messages().text().isEmpty() || !s.window->messages().isVisible());
    }

    void case_173_rescued_work_says_what_differs()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        s.window->flow().newProject();
        const QString rescue = s.qpath("data/rescue");
        {
            ProjectModel model;
            ProjectFiles files(model, rescue);
            files.open(s.qpath("p.loquor"));
            StudioFixture::settle();
            model.edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
                setScript(document.scenes.front(), "Unsaved words.");
            });
            files.rescueNow();
            StudioFixture::settle();
        }
        QCOMPARE(rescuedFiles(rescue), 1);
        s.window->files().findRescued();
        QTRY_VERIFY(StudioFixture::question());
        const QString details = StudioFixture::question()->informativeText();
        QVERIFY2(details.contains("Unsaved words") && details.contains("p.loquor") && details.contains("was saved on"),
                 qPrintable(details));
        QVERIFY(!details.contains("something else"));
        press(StudioFixture::question(), QMessageBox::AcceptRole);
        QTRY_COMPARE(scriptOf(*s.window), std::string("Unsaved words."));
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        QTRY_COMPARE(rescuedFiles(rescue), 0);
    }
};

LOQUOR_TEST(tst_project_flow)
#include "tst_project_flow.moc"
