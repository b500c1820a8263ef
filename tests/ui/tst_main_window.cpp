#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/jobs/job_panel.h"
#include "ui/main/actions.h"
#include "ui/main/status_line.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/settings/output_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/message_bar.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::StudioFixture;

class tst_main_window : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyStateSaysWhatToDo()
    {
        StudioFixture s;
        QVERIFY(
            s.window->previewPanel().picture().accessibleDescription().contains("Drop a photo"));
        QVERIFY(!s.window->jobPanel().generate().isEnabled());
        QVERIFY(!s.window->jobPanel().exportVideo().isEnabled());
        QVERIFY(s.window->jobPanel().hintText().contains("Add a photo"));
        QVERIFY(!s.window->isWindowModified());
        QCOMPARE(s.window->windowTitle(), QString::fromUtf8("Untitled[*] – Loquor"));
    }

    void case_122_the_device_badge_is_always_there()
    {
        StudioFixture s;
        QCOMPARE(s.window->status().deviceText(), QStringLiteral("CPU"));
        s.makeReady();
        s.window->generate();
        s.session.begin(100);
        StudioFixture::settle();
        QCOMPARE(s.window->status().deviceText(), QStringLiteral("CPU"));
    }

    void case_092_generate_is_off_until_all_is_there()
    {
        StudioFixture s;
        s.drop({s.qpath("face.jpg")});
        QVERIFY(s.window->jobPanel().hintText().contains("likeness"));
        s.makeReady();
        QVERIFY(s.window->jobPanel().generate().isEnabled());
        QVERIFY(s.window->jobPanel().hintText().contains("About")); // the cost instead
        s.window->scriptPanel().editor().setPlainText(QStringLiteral("[smile]"));
        QVERIFY(!s.window->jobPanel().generate().isEnabled());
        QVERIFY(s.window->jobPanel().hintText().contains("say"));
        s.window->generate(); // the key does nothing either
        QVERIFY(s.session.projectRequests.empty());
    }

    void generateSendsWhatTheProjectSays()
    {
        StudioFixture s;
        s.makeReady();
        s.window->model().edit(
            EditKind::Size, QStringLiteral("t"), [](project::Document& document) {
                document.output = {720, 1280, Rational::make(30, 1), project::Framing::Fit, 7};
                document.scenes.front().prompt = "calm";
                document.scenes.front().background = "#203040";
                document.scenes.front().speech.voice = "en-joe";
            });
        QTest::keyClick(s.window.get(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(s.session.projectRequests.size(), std::size_t(1));
        const session::ProjectRequest& request = s.session.projectRequests.front();
        QCOMPARE(request.document, s.window->model().document());
        QVERIFY(!request.everything);
        QVERIFY(s.session.requests.empty());
    }

    // A recording as a whole is made in one piece, as it always was.
    void oneRecordingIsOneRun()
    {
        StudioFixture s;
        s.makeReady();
        s.drop({s.qpath("voice.wav")});
        s.window->model().edit(
            EditKind::Size, QStringLiteral("t"), [](project::Document& document) {
                document.output = {720, 1280, Rational::make(30, 1), project::Framing::Fit, 7};
                document.scenes.front().prompt = "calm";
                document.scenes.front().background = "#203040";
                document.scenes.front().speech.transcript = "Hello.";
            });
        s.window->generate();
        QVERIFY(s.session.projectRequests.empty());
        QCOMPARE(s.session.requests.size(), std::size_t(1));
        const session::RenderRequest& request = s.session.requests.front();
        QCOMPARE(request.reference, s.path("face.jpg"));
        QCOMPARE(request.speech.audioFile, s.path("voice.wav"));
        QCOMPARE(request.speech.text, std::string("Hello."));
        QCOMPARE(request.settings.height, 1280);
        QVERIFY(request.settings.framing == session::Framing::Fit);
        QCOMPARE(request.settings.seed, std::optional<std::uint64_t>(7));
        QCOMPARE(request.settings.background, std::string("#203040"));
        QVERIFY(request.output.empty());
        s.session.begin(200);
        s.session.makeFrames(30);
        s.session.addWord("Hello", 0.1, 0.5);
        StudioFixture::settle();
        QTRY_VERIFY(s.window->playback().position() > 2);
        const TimelineLayout& layout = s.window->timeline().timeLayout();
        QCOMPARE(layout.readyFrames(), FrameIndex(30));
        QCOMPARE(layout.total(), FrameIndex(200));
        QCOMPARE(layout.lines().front().words->size(), std::size_t(1));
        s.session.makeFrames(170);
        s.session.finish();
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
        s.window->exportTo(s.qpath("out.mp4"));
        QCOMPARE(s.session.requests.back().output, s.path("out.mp4"));
        QVERIFY(s.session.requests.back().overwrite);
    }

    void framesArriveAndPlayWhileMoreAreMade()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(200);
        s.session.makeFrames(30);
        s.session.addWord("Hello", 0.1, 0.5);
        StudioFixture::settle();
        auto& preview = s.window->previewPanel();
        QTRY_VERIFY(s.window->playback().position() > 2); // plays, silently
        QTRY_VERIFY(preview.picture().shownFrame() >= 2);
        QTRY_COMPARE(s.window->timeline().timeLayout().readyFrames(), FrameIndex(30));
        const auto chunks = chunksOf(s.window->timeline().timeLayout().lines().front());
        QCOMPARE(chunks.size(), std::size_t(2));
        QVERIFY(chunks[0].look == Look::Ready && chunks[1].look == Look::Rendering);
        QTRY_COMPARE(s.window->timeline().timeLayout().lines().front().words->size(), std::size_t(1));
        QVERIFY(s.window->status().soundText().contains("silently"));
        s.session.makeFrames(170);
        s.session.finish();
        StudioFixture::settle();
        QTRY_COMPARE(s.window->timeline().timeLayout().readyFrames(), FrameIndex(200));
        QVERIFY(s.window->status().storeText().contains("stored"));
        QVERIFY(s.window->status().text().contains("real time"));
        QVERIFY(s.window->jobPanel().generate().isEnabled());
    }

    void scrubbingShowsThatFrame()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(100);
        s.session.makeFrames(100);
        s.session.finish();
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
        s.window->playback().pause();
        auto& timeline = s.window->timeline();
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(timeline.width() / 2, 8));
        QVERIFY(std::abs(s.window->playback().position() - 50) <= 1);
        QTRY_COMPARE(s.window->previewPanel().picture().shownFrame(),
                     s.window->playback().position());
        // A frame that is being fetched: the old one stays until it is there.
        s.session.framesThere = false;
        const qint64 old = s.window->previewPanel().picture().shownFrame();
        s.window->playback().seek(10);
        QTest::qWait(30);
        QCOMPARE(s.window->previewPanel().picture().shownFrame(), old);
        s.session.framesThere = true;
        s.session.say("render");
        QTRY_COMPARE(s.window->previewPanel().picture().shownFrame(), qint64(10));
        timeline.setFocus();
        QTest::keyClick(&timeline, Qt::Key_Right);
        QCOMPARE(s.window->playback().position(), FrameIndex(11));
    }

    void progressIsHonestAndCancelWorks()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        QVERIFY(s.window->jobPanel().progressText().contains("Starting"));
        s.session.begin(100);
        s.session.say("speech");
        StudioFixture::settle();
        QVERIFY(s.window->jobPanel().progressText().contains("Speaking"));
        s.session.say("render", 50, 3);
        StudioFixture::settle();
        QVERIFY(s.window->jobPanel().progressText().contains("50"));
        s.window->previewPanel().picture().setFocus();
        QTest::keyClick(&s.window->previewPanel().picture(), Qt::Key_Escape);
        QCOMPARE(s.session.cancelled.size(), std::size_t(1));
        QVERIFY(s.window->jobPanel().progressText().contains("Stopping"));
        QVERIFY(!s.window->jobPanel().cancel().isEnabled());
        s.session.acknowledgeCancel();
        StudioFixture::settle();
        QVERIFY(s.window->jobPanel().progressText().isEmpty());
        QVERIFY(s.window->jobPanel().generate().isEnabled());
        QVERIFY(s.window->messages().text().isEmpty()); // cancelled is not an error
    }

    void errorsAreShownInWords()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(100);
        s.session.fail(
            Error(ErrorCode::DiskFull, "The disk is full: 3 MB are left, 20 are needed"));
        StudioFixture::settle();
        QVERIFY(s.window->messages().text().contains("disk is full"));
        QVERIFY(s.window->messages().level() == MessageBar::Level::Error);
        QVERIFY(s.window->jobPanel().generate().isEnabled()); // try again
        s.session.restartEngine("The engine was restarted after a crash; one chunk is made again");
        StudioFixture::settle();
        QVERIFY(s.window->messages().text().contains("restarted"));
    }

    void exportWritesAndOffersTheFolder()
    {
        StudioFixture s;
        s.makeReady();
        s.window->exportTo(s.qpath("out.mp4"));
        QVERIFY(!s.window->jobPanel().exportVideo().isEnabled());
        s.session.begin(50);
        s.session.makeFrames(50);
        s.session.finish(); // what was missing is made, now it is put together
        QTRY_VERIFY(s.window->messages().text().contains("out.mp4"));
        QVERIFY(s.window->messages().level() == MessageBar::Level::Good);
        QCOMPARE(s.session.exportRequests.size(), std::size_t(1));
        QCOMPARE(s.session.exportRequests.front().output, s.path("out.mp4"));
        QVERIFY(s.session.exportRequests.front().overwrite);
        QCOMPARE(s.session.exportRequests.front().document, s.window->model().document());
    }

    void case_155_export_refuses_its_own_input()
    {
        StudioFixture s;
        s.makeReady();
        s.window->exportTo(s.qpath("face.jpg"));
        QVERIFY(s.session.projectRequests.empty());
        QVERIFY(s.window->messages().text().contains("would be lost"));
    }

    void aNewRunReplacesTheOldOne()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(100);
        s.session.makeFrames(20);
        StudioFixture::settle();
        const auto first = s.window->jobs().job();
        s.window->exportTo(s.qpath("out.mp4")); // while the preview is being made
        QCOMPARE(s.session.cancelled, std::vector<session::CommandId>{first});
        QVERIFY(s.window->jobs().job() != first);
        QTRY_COMPARE(s.window->timeline().timeLayout().readyFrames(), FrameIndex(20)); // what was made stays
    }

    void keysStayOutOfTextFields()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(100);
        s.session.makeFrames(100);
        s.session.finish();
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
        s.window->playback().pause();
        s.window->playback().seek(10);
        auto& editor = s.window->scriptPanel().editor();
        editor.setFocus();
        QTest::keyClicks(&editor, " jkl r");
        QTest::keyClick(&editor, Qt::Key_Left);
        QTest::keyClick(&editor, Qt::Key_Home);
        QCOMPARE(s.window->playback().position(), FrameIndex(10));
        QVERIFY(!s.window->playback().isPlaying());
        QVERIFY(editor.toPlainText().contains("jkl r"));
        s.window->model().undoStack().undo();
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
        QCOMPARE(s.window->playback().position(), FrameIndex(10));
        auto& prompt = s.window->outputPanel().prompt();
        prompt.setFocus();
        QTest::keyClicks(&prompt, "jolly look");
        QTest::keyClick(&prompt, Qt::Key_Home);
        QCOMPARE(prompt.text(), QStringLiteral("jolly look"));
        QCOMPARE(s.window->playback().position(), FrameIndex(10));
        s.window->model().undoStack().undo();
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());

        QWidget* picture = &s.window->previewPanel().picture();
        picture->setFocus();
        QTest::keyClick(picture, Qt::Key_Right);
        QCOMPARE(s.window->playback().position(), FrameIndex(11));
        QTest::keyClick(picture, Qt::Key_Home);
        QCOMPARE(s.window->playback().position(), FrameIndex(0));
        QTest::keyClick(picture, Qt::Key_End);
        QCOMPARE(s.window->playback().position(), FrameIndex(99));
        QTest::keyClick(picture, Qt::Key_PageUp);
        QCOMPARE(s.window->playback().position(), FrameIndex(74));
        QTest::keyPress(picture, Qt::Key_K);
        QTest::keyClick(picture, Qt::Key_J); // K held: one frame
        QTest::keyRelease(picture, Qt::Key_K);
        QCOMPARE(s.window->playback().position(), FrameIndex(73));
        QTest::keyClick(picture, Qt::Key_Space);
        QVERIFY(s.window->playback().isPlaying());
        QTest::keyClick(picture, Qt::Key_Space);
        QVERIFY(!s.window->playback().isPlaying());
    }

    void changesAfterARunAreMarked()
    {
        StudioFixture s;
        s.makeReady();
        s.window->generate();
        s.session.begin(50);
        s.session.makeFrames(50);
        s.session.finish();
        QTRY_VERIFY(s.window->timeline().timeLayout().isAllReady());
        s.window->playback().pause();
        s.window->playback().seek(5);
        QTRY_COMPARE(s.window->previewPanel().picture().shownFrame(), qint64(5));
        const QImage before = s.window->previewPanel().picture().grab().toImage();
        s.window->scriptPanel().editor().setPlainText(QStringLiteral("Something else."));
        StudioFixture::settle();
        QVERIFY(s.window->previewPanel().picture().grab().toImage() != before);
        s.window->model().undoStack().undo();
        QTRY_COMPARE(s.window->previewPanel().picture().grab().toImage(), before);
    }

    void recordingMakesATakeOfTheProject()
    {
        StudioFixture s(true);
        s.makeReady();
        s.window->model().edit(
            EditKind::SpeechMode, QStringLiteral("t"), [](project::Document& document) {
                document.scenes.front().speech.mode = project::SpeechMode::Recording;
            });
        auto& panel = s.window->scriptPanel().recording();
        panel.setCountIn(0);
        s.window->previewPanel().picture().setFocus();
        QTest::keyClick(&s.window->previewPanel().picture(), Qt::Key_R);
        QVERIFY(panel.isRecording());
        QTRY_VERIFY(panel.statusText().contains("Recording 0"));
        s.device.push(std::vector<float>(24000, 0.3f));
        QTRY_VERIFY(panel.statusText().contains("0.5"));
        panel.toggleRecording();
        QTRY_VERIFY(!panel.isRecording());
        QTRY_VERIFY(!s.window->model().scene().speech.audioFile.empty());
        QVERIFY(std::filesystem::exists(s.window->model().scene().speech.audioFile));
        QVERIFY(s.window->jobPanel().generate().isEnabled());
    }

    void withoutAMicrophoneItSaysSo()
    {
        StudioFixture s;
        s.window->model().edit(
            EditKind::SpeechMode, QStringLiteral("t"), [](project::Document& document) {
                document.scenes.front().speech.mode = project::SpeechMode::Recording;
            });
        s.window->scriptPanel().recording().toggleRecording();
        QTRY_VERIFY(s.window->messages().text().contains("no such device"));
        QVERIFY(!s.window->scriptPanel().recording().isRecording());
    }

    void closingDuringAnExportAsks()
    {
        StudioFixture s;
        s.makeReady();
        s.window->files().save(s.qpath("p.loquor"));
        QTRY_VERIFY(!s.window->isWindowModified());
        s.window->exportTo(s.qpath("out.mp4"));
        s.window->close();
        QVERIFY(s.window->isVisible());
        StudioFixture::question()->button(QMessageBox::No)->click();
        StudioFixture::settle();
        QVERIFY(s.window->isVisible());
        s.window->close();
        StudioFixture::question()->button(QMessageBox::Yes)->click();
        StudioFixture::settle();
        QVERIFY(!s.window->isVisible());
        QCOMPARE(s.session.cancelled.size(), std::size_t(1));
    }

    void everyControlHasANameAndTabReachesIt()
    {
        StudioFixture s;
        s.makeReady();
        QStringList nameless;
        for (QWidget* widget : s.window->findChildren<QWidget*>()) {
            const bool control =
                widget->inherits("QAbstractButton") || widget->inherits("QComboBox") ||
                widget->inherits("QLineEdit") || widget->inherits("QPlainTextEdit") ||
                widget->inherits("QAbstractSpinBox") || widget->inherits("QAbstractSlider");
            // Parts of other controls are named by them.
            const bool inner = widget->objectName().startsWith(QStringLiteral("qt_")) ||
                               widget->inherits("QScrollBar");
            if (!control || inner || widget->isHidden())
                continue;
            auto* button = qobject_cast<QAbstractButton*>(widget);
            if (widget->accessibleName().isEmpty() && !(button && !button->text().isEmpty()))
                nameless += QString::fromLatin1(widget->metaObject()->className());
            if (widget->focusPolicy() == Qt::NoFocus && widget->isVisible())
                nameless += QStringLiteral("no focus: ") + widget->accessibleName();
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral(", "))));
    }
};

LOQUOR_TEST(tst_main_window)
#include "tst_main_window.moc"
