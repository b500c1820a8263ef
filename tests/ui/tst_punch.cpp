// A part of a recorded line is said again: words and seconds, the microphone over a copy of the line, what becomes of it.
#include <cmath>

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QPointer>
#include <QPushButton>

#include "core/media/audio_reader.h"
#include "core/media/flac_writer.h"
#include "tests/support/test_main.h"
#include "tests/ui/support/studio_fixture.h"
#include "ui/main/actions.h"
#include "ui/script/punch_dialog.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/speech_tools.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/time_box.h"
#include "ui/widgets/waveform_view.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::StudioFixture;

namespace {

constexpr int kRate = 48000;

// Three recorded lines of a second.
void makeLines(StudioFixture& s)
{
    s.makeReady();
    s.drop({s.qpath("voice.wav")});
    s.window->scriptPanel().recording().makeLines().click();
    s.session.finishCut({"One word.", "Two more words.", "Three."});
    StudioFixture::settle();
}

const project::Line& lineOf(StudioFixture& s, std::size_t line)
{
    return s.window->model().scene().lines.at(line);
}

// The copy the engine would make: a quiet tone, half a second around it.
void finishCutting(StudioFixture& s)
{
    const auto file = s.session.cutTargets.back();
    auto writer = media::FlacWriter::create(file, kRate, 1);
    QVERIFY2(writer, writer ? "" : writer.error().message().c_str());
    std::vector<float> tone;
    for (int i = 0; i < 2 * kRate; ++i)
        tone.push_back(static_cast<float>(.1 * std::sin(i * .02)));
    QVERIFY(writer->write(tone.data(), 2 * kRate));
    QVERIFY(writer->finish());
    s.session.look.report.sampleRate = kRate;
    s.session.look.report.frames = 2 * kRate;
    s.session.look.peakSeconds = .01;
    s.session.look.peaks.assign(200, .1f);
    project::Recording part;
    part.file = file;
    part.sha256 = "copy";
    part.first = kRate / 2;
    part.samples = kRate;
    s.session.finishCutPart(part);
    StudioFixture::settle();
}

PunchDialog& open(StudioFixture& s, std::size_t line)
{
    s.window->speechTools().showPunch(lineOf(s, line).id, 0, 0);
    StudioFixture::settle();
    auto* dialog = s.window->findChild<PunchDialog*>();
    if (!dialog)
        qFatal("no dialog");
    return *dialog;
}

// A device that gives a tone until the dialog has recorded.
void speak(StudioFixture& s, PunchDialog& dialog)
{
    for (int i = 0; i < 600 && !dialog.use().isEnabled() && dialog.problemText().isEmpty(); ++i) {
        std::vector<float> tone;
        for (int k = 0; k < 4800; ++k)
            tone.push_back(static_cast<float>(.4 * std::sin(k * .1)));
        s.device.push(tone);
        QTest::qWait(10);
    }
}

} // namespace

class tst_punch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theRecordedPartBecomesTheLine()
    {
        StudioFixture s(true);
        makeLines(s);
        const project::Document before = s.window->model().document();
        QPointer<PunchDialog> dialog = &open(s, 1);
        QVERIFY(!dialog->record().isEnabled()); // the copy is not there yet
        QDir().mkpath(QString::fromStdString(s.session.cutTargets.back().parent_path().string()));
        finishCutting(s);
        QVERIFY(dialog->record().isEnabled() && !dialog->use().isEnabled());
        QCOMPARE(dialog->waveform().seconds(), 1.);
        dialog->from().setValue(.3);
        dialog->to().setValue(.6);
        dialog->record().click();
        QCOMPARE(dialog->record().text(), QStringLiteral("Stop"));
        speak(s, *dialog);
        QVERIFY2(dialog->use().isEnabled(), qPrintable(dialog->problemText()));
        QVERIFY(s.window->model().document() == before); // not before it is used
        dialog->use().click();
        QTRY_VERIFY(!dialog);
        const project::Line& line = lineOf(s, 1);
        QVERIFY(line.recording->file != before.scenes[0].lines[1].recording->file);
        QCOMPARE(line.recording->samples, std::int64_t(kRate));
        QCOMPARE(line.recording->first, std::int64_t(kRate / 2));
        QCOMPARE(line.recording->sha256.size(), std::size_t(64));
        QCOMPARE(line.text, before.scenes[0].lines[1].text);
        QVERIFY(lineOf(s, 0) == before.scenes[0].lines[0] && lineOf(s, 2) == before.scenes[0].lines[2]);
        const auto made = media::readAudio(line.recording->file, {kRate, 1});
        QVERIFY(made);
        const auto loudest = [&made](double from, double to) {
            float out = 0;
            for (auto i = static_cast<std::size_t>(from * kRate); i < static_cast<std::size_t>(to * kRate); ++i)
                out = std::max(out, std::abs(made->samples[i]));
            return out;
        };
        QVERIFY(loudest(0, .75) < .11f && loudest(1.15, 1.95) < .11f && loudest(.85, 1.05) > .3f);
        s.window->model().undoStack().undo();
        QVERIFY(s.window->model().document() == before);
        QVERIFY(std::filesystem::exists(made ? lineOf(s, 1).recording->file.parent_path() : "")); // nothing is deleted
    }

    void wordsAreChosenFromPauseToPause()
    {
        StudioFixture s;
        makeLines(s);
        s.window->generate();
        s.session.begin(75);
        s.session.addWord("Two", 1.1, 1.3);
        s.session.addWord("more", 1.4, 1.6);
        s.session.addWord("words", 1.7, 1.9);
        s.session.makeFrames(75);
        s.session.finish();
        QTRY_VERIFY(s.window->renderState().layout()->isAllReady());
        s.window->playback().pause();
        // What is selected in the script is what is meant.
        ScriptEditor& editor = s.window->scriptPanel().editor();
        editor.setTextCursor(editor.document()->find(QStringLiteral("more")));
        s.window->actions().punch->trigger();
        StudioFixture::settle();
        auto* dialog = s.window->findChild<PunchDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->firstWord().count(), 3);
        QCOMPARE(dialog->firstWord().currentIndex(), 1);
        QCOMPARE(dialog->lastWord().currentIndex(), 1);
        QVERIFY2(std::abs(dialog->from().value() - .35) < .002, qPrintable(QString::number(dialog->from().value())));
        QVERIFY2(std::abs(dialog->to().value() - .65) < .002, qPrintable(QString::number(dialog->to().value())));
        dialog->firstWord().setCurrentIndex(2);
        Q_EMIT dialog->firstWord().activated(2);
        QCOMPARE(dialog->lastWord().currentIndex(), 2); // never before the first
        QCOMPARE(dialog->to().value(), 1.);             // the end of the line
    }

    void givingUpLeavesNothing()
    {
        StudioFixture s(true);
        makeLines(s);
        const project::Document before = s.window->model().document();
        QPointer<PunchDialog> dialog = &open(s, 0);
        const QString folder = QString::fromStdString(s.session.cutTargets.back().parent_path().string());
        QDir().mkpath(folder);
        finishCutting(s);
        dialog->from().setValue(.2);
        dialog->to().setValue(.4);
        dialog->record().click();
        speak(s, *dialog);
        QVERIFY(dialog->use().isEnabled());
        dialog->reject();
        QTRY_VERIFY(!dialog);
        QVERIFY(s.window->model().document() == before);
        QTRY_COMPARE(QDir(folder).entryList({QStringLiteral("*.flac")}), QStringList());
    }

    void aFailureIsTold()
    {
        StudioFixture s;
        makeLines(s);
        PunchDialog& dialog = open(s, 0);
        s.session.failSound(Error(ErrorCode::NotFound, "Its recording is not there."));
        QTRY_COMPARE(dialog.problemText(), QStringLiteral("Its recording is not there."));
        QVERIFY(!dialog.record().isEnabled());
    }

    void aLineThatAVoiceSaysIsRefused()
    {
        StudioFixture s;
        s.makeReady();
        s.window->actions().punch->trigger();
        StudioFixture::settle();
        QVERIFY(!s.window->findChild<PunchDialog*>());
        QVERIFY2(s.window->messages().text().contains(QStringLiteral("recorded line")), qPrintable(s.window->messages().text()));
    }
};

LOQUOR_TEST(tst_punch)
#include "tst_punch.moc"
