// What an export is to be, and what the engine is asked for.
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/jobs/export_dialog.h"
#include "ui/jobs/job_panel.h"
#include "ui/main/actions.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/message_bar.h"

#include <QAction>

using namespace loquor;
using namespace loquor::ui;
using loquor::test::StudioFixture;

class tst_export : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theDialogSaysWhatItWillBe()
    {
        QSettings().clear();
        project::Document document;
        document.output.width = 720;
        document.output.height = 1280;
        ExportDialog dialog(document, 12.4, 3'000'000);
        QVERIFY(dialog.costText().contains("0:12.4") && dialog.costText().contains("3.0 MB"));
        QCOMPARE(dialog.choice().width, 0); // as made
        QVERIFY(dialog.choice().captions == session::Captions::None);
        QVERIFY(!dialog.choice().label.isShown());
        const int half = dialog.size().findData(QSize(360, 640));
        QVERIFY(half > 0);
        dialog.size().setCurrentIndex(half);
        QCOMPARE(dialog.choice().height, 640);
        QVERIFY(dialog.costText().contains("750.0 kB"));
        dialog.captions().setCurrentIndex(dialog.captions().findData(static_cast<int>(session::Captions::Burn)));
        QVERIFY(dialog.choice().captions == session::Captions::Burn);
        dialog.labelled().setChecked(true);
        QCOMPARE(dialog.choice().label.text, std::string("AI generated"));
        auto* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
        dialog.label().setText("  ");
        QVERIFY(!ok->isEnabled());
        dialog.label().setText("Made with Loquor");
        QVERIFY(ok->isEnabled());
        ok->click();
        StudioFixture::settle();
        // It is proposed the next time.
        ExportDialog next(document, 1, 1);
        QVERIFY(next.choice().captions == session::Captions::Burn);
        QCOMPARE(next.choice().label.text, std::string("Made with Loquor"));
        QCOMPARE(next.choice().width, 0);
    }

    void aRecordingHasNoCaptions()
    {
        QSettings().setValue("export/captions", static_cast<int>(session::Captions::Srt));
        project::Document document;
        document.scenes.front().speech.mode = project::SpeechMode::Recording;
        const ExportDialog dialog(document, 1, 1);
        QVERIFY(dialog.choice().captions == session::Captions::None);
        QSettings().clear();
    }

    void theChoiceReachesTheEngine()
    {
        StudioFixture s;
        s.makeReady();
        ExportChoice choice;
        choice.file = s.qpath("out.mp4");
        choice.captions = session::Captions::Srt;
        choice.label.text = "AI generated";
        choice.width = 640;
        choice.height = 360;
        s.session.finishExports = false;
        s.window->exportAs(choice);
        s.session.begin(50);
        s.session.makeFrames(50);
        s.session.finish();
        QTRY_COMPARE(s.session.exportRequests.size(), std::size_t(1));
        const session::ExportRequest& request = s.session.exportRequests.front();
        QVERIFY(request.captions == session::Captions::Srt);
        QCOMPARE(request.label.text, std::string("AI generated"));
        QCOMPARE(request.width, 640);
        QCOMPARE(request.height, 360);
        QVERIFY(s.window->jobs().isRunning());
        QTRY_VERIFY(s.window->jobPanel().progressText().contains("Writing"));
        s.window->jobs().cancel(); // the second step is cancelled as the first is
        QCOMPARE(s.session.cancelled, std::vector<session::CommandId>{s.window->jobs().job()});
        s.session.acknowledgeCancel();
        QTRY_VERIFY(!s.window->jobs().isRunning());
    }

    // What cannot be made is not exported: there would be a hole.
    void withoutAllLinesThereIsNoVideo()
    {
        StudioFixture s;
        s.makeReady();
        s.window->exportTo(s.qpath("out.mp4"));
        s.session.begin(50);
        s.session.failLine(1, "the voice is missing");
        s.session.finish();
        QTRY_VERIFY(!s.window->jobs().isRunning());
        QVERIFY(s.session.exportRequests.empty());
        QVERIFY(s.window->messages().level() == MessageBar::Level::Error);
        QVERIFY(s.window->messages().text().contains("could not be made"));
    }

    void theActionOpensTheDialog()
    {
        StudioFixture s;
        s.window->actions().exportVideo->trigger(); // nothing is there yet
        QVERIFY(!s.window->findChild<ExportDialog*>());
        s.makeReady();
        s.window->actions().exportVideo->trigger();
        auto* dialog = s.window->findChild<ExportDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QTest::keyClick(dialog, Qt::Key_Escape);
        StudioFixture::settle();
        QVERIFY(s.session.projectRequests.empty());
    }
};

LOQUOR_TEST(tst_export)
#include "tst_export.moc"
