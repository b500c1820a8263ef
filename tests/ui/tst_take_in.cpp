// How a recording is taken in: what is seen of it, part and stream, the copy that is made, what becomes of the project.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>

#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/actions.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/speech_tools.h"
#include "ui/script/take_in_dialog.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/time_box.h"
#include "ui/widgets/waveform_view.h"

using namespace loquor;
using namespace loquor::ui;
using namespace std::chrono_literals;
using loquor::test::StudioFixture;

namespace {

// Ten seconds at 48 kHz, silent from 2 to 4 s, distorted at 7 s.
session::SoundLook lookOf(int streams)
{
    session::SoundLook out;
    for (int i = 1; i <= streams; ++i)
        out.streams.push_back({i, i, "aac", i == 1 ? "stereo" : "mono", i == 1 ? "eng" : "deu", 48000, 2});
    out.report.sampleRate = 48000;
    out.report.channels = 2;
    out.report.frames = 480000;
    out.report.peak = 1;
    out.report.silenceCount = 1;
    out.report.silences = {{96000, 96000}};
    out.report.clippedRuns = 3;
    out.report.clipped = {{336000, 100}};
    out.peakSeconds = .01;
    for (int i = 0; i < 1000; ++i)
        out.peaks.push_back(i >= 200 && i < 400 ? 0.f : .4f);
    return out;
}

TakeInDialog* dialogOf(StudioFixture& s)
{
    return s.window->findChild<TakeInDialog*>();
}

TakeInDialog& open(StudioFixture& s, int streams = 1)
{
    s.session.look = lookOf(streams);
    s.drop({s.qpath("voice.wav")});
    s.window->scriptPanel().recording().use().click();
    StudioFixture::settle();
    if (!dialogOf(s))
        qFatal("no dialog");
    return *dialogOf(s);
}

const media::SoundImport& importOf(StudioFixture& s)
{
    return s.window->model().scene().speech.import;
}

} // namespace

class tst_take_in : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsInItIsSeen()
    {
        StudioFixture s;
        TakeInDialog& dialog = open(s);
        QCOMPARE(s.session.looks.size(), std::size_t(1));
        QCOMPARE(s.session.looks[0].first, s.path("voice.wav"));
        QVERIFY2(dialog.factsText().contains(QStringLiteral("0:10")), qPrintable(dialog.factsText()));
        QVERIFY(dialog.factsText().contains(QStringLiteral("48000")));
        QVERIFY2(dialog.warningText().contains(QStringLiteral("0:02")), qPrintable(dialog.warningText()));
        QVERIFY(dialog.warningText().contains(QStringLiteral("0:07")));
        QVERIFY(!dialog.stream().isVisible()); // there is one
        QCOMPARE(dialog.waveform().seconds(), 10.);
        QCOMPARE(dialog.to().value(), 10.);
        QVERIFY(dialog.import().isPlain());
        QVERIFY(dialog.use().isEnabled());
    }

    void thePartIsTypedAndDragged()
    {
        StudioFixture s;
        TakeInDialog& dialog = open(s);
        dialog.from().setFocus();
        dialog.from().selectAll();
        QTest::keyClicks(&dialog.from(), QStringLiteral("0:02.5"));
        QTest::keyClick(&dialog.from(), Qt::Key_Tab);
        QCOMPARE(dialog.from().value(), 2.5);
        QCOMPARE(dialog.waveform().from(), 2.5);
        const int y = dialog.waveform().height() / 2;
        const auto place = [&](double seconds) { return QPoint(static_cast<int>(dialog.waveform().xOf(seconds)), y); };
        QTest::mousePress(&dialog.waveform(), Qt::LeftButton, {}, place(10));
        QTest::mouseMove(&dialog.waveform(), place(8));
        QTest::mouseRelease(&dialog.waveform(), Qt::LeftButton, {}, place(8));
        QVERIFY2(std::abs(dialog.to().value() - 8) < .1, qPrintable(QString::number(dialog.to().value())));
        QTest::mousePress(&dialog.waveform(), Qt::LeftButton, {}, place(2.5));
        QTest::mouseMove(&dialog.waveform(), place(9.5)); // beyond the end: it stops there
        QTest::mouseRelease(&dialog.waveform(), Qt::LeftButton, {}, place(9.5));
        QVERIFY(dialog.from().value() < dialog.to().value());
        dialog.from().setValue(1);
        dialog.to().setValue(9);
        QCOMPARE(dialog.import().from, std::chrono::microseconds(1s));
        QCOMPARE(dialog.import().to, std::chrono::microseconds(9s));
        dialog.to().setValue(10); // the end of the sound is no end of a part
        QCOMPARE(dialog.import().to.count(), 0);
    }

    void aStreamIsChosenAndLookedAt()
    {
        StudioFixture s;
        TakeInDialog& dialog = open(s, 2);
        QVERIFY(dialog.stream().isVisible());
        QCOMPARE(dialog.stream().count(), 3);
        QVERIFY(dialog.stream().itemText(2).contains(QStringLiteral("deu")));
        dialog.stream().setCurrentIndex(2);
        Q_EMIT dialog.stream().activated(2);
        StudioFixture::settle();
        QCOMPARE(s.session.looks.back().second, 2);
        QCOMPARE(dialog.import().stream, 2);
        dialog.use().click();
        s.session.finishTakeIn(480000);
        QTRY_COMPARE(importOf(s).stream, 2);
    }

    void theCopyIsMadeWithProgressAndBecomesAStepOfTheProject()
    {
        StudioFixture s;
        QPointer<TakeInDialog> dialog = &open(s);
        dialog->denoise().setChecked(true);
        dialog->loudness().setChecked(true);
        dialog->from().setValue(1.25);
        dialog->use().click();
        QCOMPARE(s.session.takenIn.size(), std::size_t(1));
        QVERIFY(s.session.takenIn[0].second.denoise && s.session.takenIn[0].second.loudness);
        QVERIFY(dialog->isCopying() && !dialog->use().isEnabled() && dialog->progress().isVisible());
        s.session.showCopying(.4);
        QTRY_COMPARE(dialog->progress().value(), 400);
        QVERIFY(importOf(s).isPlain()); // nothing before it is there
        s.session.finishTakeIn(420000);
        QTRY_VERIFY(!dialog);
        QCOMPARE(importOf(s).from, std::chrono::microseconds(1250ms));
        QVERIFY(importOf(s).denoise);
        const QString file = s.window->scriptPanel().recording().fileText();
        QVERIFY2(file.contains(QStringLiteral("0:01")) && file.contains(QStringLiteral("noise")), qPrintable(file));
        s.window->model().undoStack().undo();
        QVERIFY(importOf(s).isPlain());
        s.window->model().undoStack().redo();
        QVERIFY(importOf(s).loudness);
        s.window->scriptPanel().recording().makeLines().click();
        QVERIFY(s.session.cuts.back().import == importOf(s));
        s.drop({s.qpath("other.wav")}); // another recording begins plain
        QVERIFY(importOf(s).isPlain());
    }

    void stoppingTheCopyLeavesAllAsItWas()
    {
        StudioFixture s;
        QPointer<TakeInDialog> dialog = &open(s);
        dialog->denoise().setChecked(true);
        dialog->use().click();
        dialog->reject(); // the copy, not the dialog
        QVERIFY(dialog && dialog->isVisible() && !dialog->isCopying());
        QCOMPARE(s.session.cancelled.size(), std::size_t(1));
        s.session.failSound(Error(ErrorCode::Cancelled, "cancelled"));
        StudioFixture::settle();
        QVERIFY2(dialog->problemText().isEmpty(), qPrintable(dialog->problemText()));
        dialog->use().click();
        s.session.failSound(Error(ErrorCode::DiskFull, "The disk is full."));
        QTRY_COMPARE(dialog->problemText(), QStringLiteral("The disk is full."));
        QVERIFY(dialog->use().isEnabled());
        dialog->reject();
        QTRY_VERIFY(!dialog);
        QVERIFY(importOf(s).isPlain());
    }

    void theLinesOfARecordingAreTakenInTogether()
    {
        StudioFixture s;
        s.makeReady();
        s.drop({s.qpath("voice.wav")});
        s.window->scriptPanel().recording().makeLines().click();
        s.session.finishCut({"One.", "Two.", "Three."});
        StudioFixture::settle();
        s.session.look = lookOf(1);
        s.window->speechTools().showUseOfRecording(s.window->model().scene().lines[1].id);
        StudioFixture::settle();
        QPointer<TakeInDialog> dialog = dialogOf(s);
        QVERIFY(dialog);
        dialog->from().setValue(.5);
        dialog->use().click();
        s.session.finishTakeIn(480000 - 24000);
        QTRY_VERIFY(!dialog);
        const auto& lines = s.window->model().scene().lines;
        QCOMPARE(lines[0].recording->first, 0);
        QCOMPARE(lines[0].recording->samples, 24000); // shorter, and told
        QCOMPARE(lines[2].recording->first, 72000);
        QVERIFY2(s.window->messages().text().contains(QStringLiteral("Line 1")), qPrintable(s.window->messages().text()));
    }

    void pastedSsmlBecomesTags()
    {
        StudioFixture s;
        s.makeReady();
        ScriptEditor& editor = s.window->scriptPanel().editor();
        const auto paste = [&](const char* text) {
            editor.selectAll();
            QMimeData data;
            data.setText(QString::fromUtf8(text));
            editor.pasteFrom(data);
            StudioFixture::settle();
            return editor.toPlainText().trimmed();
        };
        const QString whole = paste("<speak>One<break time=\"500ms\"/> two.</speak>");
        QVERIFY2(whole.contains(QStringLiteral("[pause")) && !whole.contains(QLatin1Char('<')), qPrintable(whole));
        QVERIFY(s.window->messages().level() == MessageBar::Level::Info);
        const QString part = paste("Say <sub alias=\"sequel\">SQL</sub> so.");
        QVERIFY2(part.contains(QStringLiteral("sequel")) && !part.contains(QLatin1Char('<')), qPrintable(part));
        const QString unknown = paste("<speak>Here <audio src=\"x.wav\"/> is more.</speak>");
        QVERIFY(!unknown.contains(QLatin1Char('<')));
        QVERIFY(s.window->messages().level() == MessageBar::Level::Warning);
        QVERIFY2(s.window->messages().text().contains(QStringLiteral("audio")), qPrintable(s.window->messages().text()));
        QCOMPARE(paste("<speak>Broken"), QStringLiteral("<speak>Broken")); // nothing is lost
        QVERIFY2(s.window->messages().text().contains(QStringLiteral("cannot be read")), qPrintable(s.window->messages().text()));
        s.window->messages().dismiss();
        QCOMPARE(paste("a < b and b > c"), QStringLiteral("a < b and b > c"));
        QVERIFY(!s.window->messages().isVisible());
        s.window->actions().undo->trigger();
        QVERIFY(editor.toPlainText().contains(QStringLiteral("Broken")));
    }
};

LOQUOR_TEST(tst_take_in)
#include "tst_take_in.moc"
