#include <fstream>

#include <QCheckBox>
#include <QImage>
#include <QMimeData>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/jobs/job_panel.h"
#include "ui/reference/face_picture.h"
#include "ui/reference/reference_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/widgets/message_bar.h"

using namespace loquor;
using loquor::test::StudioFixture;

class tst_import : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aPhotoBecomesThePerson()
    {
        StudioFixture s;
        s.drop({s.qpath("face.jpg")});
        QCOMPARE(s.window->model().scene().reference.file, s.path("face.jpg"));
        QVERIFY(!s.window->checks().reference().picture.isNull());
        QVERIFY(s.window->referencePanel().picture().isVisible());
        QCOMPARE(s.session.checkedFiles.size(), std::size_t(1)); // looked at once, not twice
        QVERIFY(s.window->isWindowModified());
        QTRY_VERIFY(!s.session.prepared.empty()); // the engine gets ready ahead
        QCOMPARE(s.session.prepared.front(), s.path("face.jpg"));
    }

    void soundAndTextGoToTheSpeech()
    {
        StudioFixture s;
        std::ofstream(s.path("script.txt")) << "Grüß Gott, 1,5 Liter.";
        s.drop({s.qpath("script.txt")});
        QTRY_COMPARE(s.window->scriptPanel().editor().toPlainText(),
                     QString::fromUtf8("Grüß Gott, 1,5 Liter."));
        s.drop({s.qpath("voice.wav")});
        QVERIFY(s.window->model().scene().speech.mode == project::SpeechMode::Recording);
        QCOMPARE(s.window->model().scene().speech.audioFile, s.path("voice.wav"));
        QCOMPARE(s.window->scriptPanel().editor().toPlainText(),
                 QString::fromUtf8("Grüß Gott, 1,5 Liter.")); // kept for later
    }

    void case_152_a_bad_file_is_refused_with_the_reason()
    {
        StudioFixture s;
        s.drop({s.qpath("notes.xyz")});
        QVERIFY(s.window->messages().text().contains("notes.xyz"));
        QVERIFY(s.window->messages().text().contains("not a picture"));
        QVERIFY(s.window->model().scene().reference.file.empty());
        QVERIFY(!s.window->model().isModified());
    }

    void aRefusalIsOverWhenAnotherFileIsTaken()
    {
        StudioFixture s;
        s.drop({s.qpath("notes.xyz")});
        QVERIFY(s.window->messages().isVisible());
        s.drop({s.qpath("face.jpg")});
        QVERIFY2(!s.window->messages().isVisible(), qPrintable(s.window->messages().text()));
    }

    void case_094_a_silent_sound_is_refused_at_import()
    {
        StudioFixture s;
        session::CheckReport report;
        report.kind = "audio";
        report.problems = {"the recording has no samples"};
        s.session.setCheck(s.path("empty.wav"), report);
        s.drop({s.qpath("empty.wav")});
        QVERIFY(s.window->messages().text().contains("no samples"));
        QVERIFY(s.window->model().scene().speech.audioFile.empty());
    }

    void case_061_a_photo_without_a_face_shows_itself_and_why()
    {
        StudioFixture s;
        session::CheckReport report;
        report.kind = "image";
        report.width = 640;
        report.height = 480;
        report.problems = {"No face was found in this picture"};
        s.session.setCheck(s.path("cat.png"), report, test::drawPortrait(64, 48));
        s.drop({s.qpath("cat.png")});
        QVERIFY(s.window->referencePanel().picture().isVisible());
        QCOMPARE(s.window->referencePanel().messageText(),
                 QStringLiteral("No face was found in this picture"));
        QCOMPARE(s.window->jobPanel().hintText(),
                 QStringLiteral("No face was found in this picture"));
        QVERIFY(!s.window->referencePanel().consent().isVisible());
    }

    void case_067_several_faces_are_numbered_and_chosen()
    {
        StudioFixture s;
        session::CheckReport report;
        report.kind = "image";
        report.usable = true;
        report.faces = {test::faceAt(1, 0.05f, 0.2f, 0.4f), test::faceAt(2, 0.37f, 0.2f, 0.4f),
                        test::faceAt(3, 0.68f, 0.2f, 0.4f)};
        s.session.setCheck(s.path("group.jpg"), report, test::drawPortrait(400, 300));
        s.drop({s.qpath("group.jpg")});
        auto& picture = s.window->referencePanel().picture();
        QCOMPARE(s.window->model().scene().reference.faceIndex, 1);
        QVERIFY(s.window->referencePanel().messageText().contains("3"));
        QTest::mouseClick(&picture, Qt::LeftButton, {}, picture.centreOf(3));
        QCOMPARE(s.window->model().scene().reference.faceIndex, 3);
        QTest::keyClick(&picture, Qt::Key_2);
        QCOMPARE(s.window->model().scene().reference.faceIndex, 2);
        QTest::keyClick(&picture, Qt::Key_Left);
        QCOMPARE(picture.chosen(), 1);
        s.window->model().undoStack().undo();
        QVERIFY(picture.chosen() != 1 || s.window->model().scene().reference.faceIndex == 1);
    }

    void theConfirmationBelongsToOnePicture()
    {
        StudioFixture s;
        s.drop({s.qpath("a.jpg")});
        QCheckBox& consent = s.window->referencePanel().consent();
        QVERIFY(consent.isVisible() && !consent.isChecked());
        consent.click();
        QVERIFY(!s.window->model().scene().reference.consentAt.empty());
        s.drop({s.qpath("a.jpg")}); // the same again: not asked again
        QVERIFY(consent.isChecked());
        s.drop({s.qpath("b.jpg")});
        QVERIFY(!consent.isChecked());
        s.window->model().undoStack().undo(); // back to the first, with its confirmation
        StudioFixture::settle();
        QVERIFY(consent.isChecked());
    }

    void undoOfAnImportLooksAgain()
    {
        StudioFixture s;
        s.drop({s.qpath("a.jpg")});
        s.drop({s.qpath("b.jpg")});
        s.window->model().undoStack().undo();
        StudioFixture::settle();
        QCOMPARE(s.session.checkedFiles.back(), s.path("a.jpg"));
        QVERIFY(s.window->checks().reference().usable());
        s.window->model().undoStack().undo();
        StudioFixture::settle();
        QVERIFY(!s.window->referencePanel().picture().isVisible());
    }

    void aSlowCheckSaysSoAndALateOneIsIgnored()
    {
        StudioFixture s;
        s.session.answerChecks = false;
        s.drop({s.qpath("slow.jpg")});
        QCOMPARE(s.window->checks().importing(), QStringLiteral("slow.jpg"));
        QVERIFY2(s.window->jobPanel().hintText().contains("slow.jpg"), qPrintable(s.window->jobPanel().hintText()));
        s.session.answerHeldChecks();
        StudioFixture::settle();
        QVERIFY(s.window->checks().importing().isEmpty());
        s.window->model().reset({}, {});
        s.session.answerHeldChecks();
        StudioFixture::settle();
        QVERIFY(s.window->model().scene().reference.file.empty());
    }

    void aLinkFromABrowserIsExplained()
    {
        StudioFixture s;
        QMimeData data;
        data.setUrls({QUrl(QStringLiteral("https://example.org/face.jpg"))});
        s.dropData(data);
        QVERIFY(s.window->messages().text().contains("on this computer"));
        QVERIFY(s.session.checkedFiles.empty());
    }
};

LOQUOR_TEST(tst_import)
#include "tst_import.moc"
