// Takes pictures of every screen of the studio, over a fake engine: screens OUT_FOLDER [PHOTO].
// The scale comes from QT_SCALE_FACTOR. Used by packaging/ci/screenshots.sh.
#include <cmath>
#include <cstdio>
#include <functional>
#include <tuple>

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QThread>
#include <QTranslator>

#include "tests/ui/support/studio_fixture.h"
#include "ui/jobs/export_dialog.h"
#include "ui/main/actions.h"
#include "ui/main/command_palette.h"
#include "ui/main/project_flow.h"
#include "ui/main/workspace.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/script/pronunciation_dialog.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/speech_tools.h"
#include "ui/script/take_in_dialog.h"
#include "ui/settings/preferences.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/time_box.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::setScript;
using loquor::test::StudioFixture;

namespace {

struct Screens
{
    QString folder;
    std::shared_ptr<const Image> photo;
    ThemeMode theme = ThemeMode::Light;
    int taken = 0;

    // What comes a little later comes: inspections after edits.
    static void rest()
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 400)
            QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        StudioFixture::settle();
    }
    void take(QWidget& widget, const char* name)
    {
        rest();
        const QString file = QStringLiteral("%1/%2-%3.png")
                                 .arg(folder, QString::fromLatin1(name), toKey(theme));
        taken += widget.grab().save(file);
    }
    void apply(StudioFixture& s) const
    {
        Preferences preferences;
        preferences.theme = theme;
        s.window->applyPreferences(preferences);
        s.session.background = photo;
    }
    session::CheckReport portrait() const
    {
        session::CheckReport report;
        report.kind = "image";
        report.usable = true;
        report.width = 512;
        report.height = 512;
        report.faces = {test::faceAt(1, 0.345f, 0.11f, 0.33f)};
        report.warnings = {"The teeth are visible in the photo: the lips may close less well."};
        return report;
    }
};

void speak(StudioFixture& s)
{
    const char* words[] = {"Welcome", "to", "Loquor.", "Everything", "you", "see",
                           "here", "was", "made", "on", "this", "computer."};
    double at = 0.2;
    for (const char* word : words) {
        s.session.addWord(word, at, at + 0.35);
        at += 0.55;
    }
}

void ready(Screens& screens, StudioFixture& s)
{
    screens.apply(s);
    s.session.setCheck(s.path("astronaut.png"), screens.portrait(), screens.photo);
    s.drop({s.qpath("astronaut.png")});
    s.window->model().edit(EditKind::Text, QStringLiteral("t"), [](project::Document& document) {
        setScript(document.scenes.front(),
                  "[smile] Welcome to Loquor. Everything you see here was made on this computer.\n\n"
                  "Change a word, and only that sentence is made again.");
        document.scenes.front().reference.consentAt = "2026-11-30T10:00:00Z";
    });
    s.window->model().breakMerge();
}

void takeMainScreens(Screens& screens)
{
    {
        StudioFixture s;
        screens.apply(s);
        screens.take(*s.window, "01-empty");
    }
    StudioFixture s;
    ready(screens, s);
    screens.take(*s.window, "02-ready");
    s.window->generate();
    s.session.begin(180);
    s.session.say("speech");
    screens.take(*s.window, "03-starting");
    speak(s);
    s.session.makeFrames(50);
    s.session.makeFrames(50);
    s.session.say("render", 62, 4);
    screens.rest();
    s.window->playback().pause();
    s.window->playback().seek(60);
    screens.take(*s.window, "04-generating");
    s.session.makeFrames(80);
    s.session.finish();
    screens.rest();
    screens.take(*s.window, "05-finished");
    s.window->actions().exportVideo->trigger();
    if (auto* dialog = s.window->findChild<ExportDialog*>()) {
        screens.take(*dialog, "24-export");
        dialog->close();
    }
    s.window->actions().palette->trigger();
    if (auto* palette = s.window->findChild<CommandPalette*>()) {
        screens.take(*palette, "25-commands");
        palette->close();
    }
    QTextCursor word = s.window->scriptPanel().editor().document()->find(QStringLiteral("computer"));
    s.window->scriptPanel().editor().setTextCursor(word);
    word.insertText(QStringLiteral("machine"));
    Workspace::show(s.window->workspace().docks()[3]);
    screens.take(*s.window, "26-edited-word-takes");
    Workspace::show(s.window->workspace().docks()[4]);
    screens.take(*s.window, "27-history");
    Workspace::show(s.window->workspace().docks()[1]);
    s.window->scriptPanel().takeText(QStringLiteral("Another text."));
    screens.take(*s.window, "06-out-of-date");
    s.window->exportTo(s.qpath("welcome.mp4"));
    s.session.begin(180);
    s.session.makeFrames(180);
    s.session.finish();
    screens.take(*s.window, "07-exported");
    s.window->generate();
    s.session.begin(180);
    s.session.fail(Error(ErrorCode::DiskFull,
                         "The disk is full: 3 MB are left and about 20 MB are needed. Free some space and "
                         "try again."));
    screens.take(*s.window, "08-failed");
    s.window->resize(900, 640);
    screens.take(*s.window, "09-small-window");
}

// Names as long as the disk allows, with and without places to break.
void takeLongNames(Screens& screens, StudioFixture& s)
{
    const std::string words = "Portrait of somebody whose photographer likes to describe everything in the name of the "
                              "file, with place, light and lens, taken on the second day (final version, corrected).png";
    const std::string solid = std::string(240, 'w') + ".png";
    for (const auto& [name, picture] : {std::pair(words, "15-long-name"), std::pair(solid, "16-solid-name")}) {
        s.session.setCheck(s.path(name.c_str()), screens.portrait(), screens.photo);
        s.drop({s.qpath(name.c_str())});
        screens.take(*s.window, picture);
    }
    s.drop({s.qpath((std::string(240, 'w') + ".xyz").c_str())});
    screens.take(*s.window, "17-long-refusal");
    s.window->exportTo(s.qpath((std::string(240, 'w') + ".mp4").c_str()));
    s.session.begin(10);
    s.session.makeFrames(10);
    s.session.finish();
    screens.take(*s.window, "18-long-export");
}

void takeCheckScreens(Screens& screens)
{
    StudioFixture s(true);
    ready(screens, s);
    session::CheckReport none;
    none.kind = "image";
    none.width = 512;
    none.height = 512;
    none.problems = {"No face was found in this picture. Choose one in which a face is seen from the front."};
    s.session.setCheck(s.path("cat.png"), none, screens.photo);
    s.drop({s.qpath("cat.png")});
    screens.take(*s.window, "10-no-face");
    session::CheckReport group = screens.portrait();
    group.warnings.clear();
    group.faces = {test::faceAt(1, 0.345f, 0.11f, 0.33f), test::faceAt(2, 0.02f, 0.3f, 0.3f),
                   test::faceAt(3, 0.72f, 0.25f, 0.3f)};
    s.session.setCheck(s.path("group.png"), group, screens.photo);
    s.drop({s.qpath("group.png")});
    screens.take(*s.window, "11-several-faces");
    s.drop({s.qpath("voice.wav")});
    screens.take(*s.window, "12-recording-file");
    s.window->scriptPanel().recording().setCountIn(0);
    s.window->scriptPanel().recording().toggleRecording();
    for (int i = 0; i < 30; ++i) {
        s.device.push(std::vector<float>(4800, i % 3 == 0 ? 0.2f : 0.4f));
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(15);
    }
    screens.take(*s.window, "13-recording");
    s.window->scriptPanel().recording().toggleRecording();
    s.drop({s.qpath("notes.xyz")});
    screens.take(*s.window, "14-refused");
    takeLongNames(screens, s);
}

void takePronunciation(Screens& screens)
{
    StudioFixture s;
    ready(screens, s);
    s.window->speechTools().showPronunciations(QStringLiteral("Loquor"));
    StudioFixture::settle();
    auto* dialog = s.window->findChild<PronunciationDialog*>();
    screens.take(*dialog, "30-pronunciation-new");
    s.window->model().edit(EditKind::Pronunciation, QStringLiteral("t"), [](project::Document& document) {
        for (const auto& [word, as, ipa, language] : {std::tuple("SQL", "sequel", "", ""), std::tuple("Worcester", "", "ˈwʊstə", "en"),
                                                      std::tuple("New York", "Niu Jork", "", "de"), std::tuple("gif", "jif", "", "")})
            document.pronunciations.push_back(*speech::makePronunciation(word, language, as, ipa));
    });
    dialog->table().setCurrentIndex(dialog->table().model()->index(3, 0));
    screens.take(*dialog, "31-pronunciation");
    dialog->said().setText(QStringLiteral("ˈw3!"));
    Q_EMIT dialog->said().textEdited(dialog->said().text());
    screens.take(*dialog, "32-pronunciation-fault");
    screens.take(*s.window, "33-pronunciation-window");
    dialog->close();
}

// A minute with a silence and two distorted places.
session::SoundLook minuteOfSound(int streams)
{
    session::SoundLook out;
    for (int i = 1; i <= streams; ++i)
        out.streams.push_back({i, i, "aac", i == 1 ? "stereo" : "mono", i == 1 ? "eng" : "deu", 48000, 2});
    out.report.sampleRate = 48000;
    out.report.channels = 2;
    out.report.frames = 48000 * 60;
    out.report.peak = 1;
    out.report.silenceCount = 2;
    out.report.silences = {{0, 48000 * 3}, {48000 * 31, 48000 * 5}};
    out.report.clippedRuns = 7;
    out.report.clipped = {{48000 * 12, 300}, {48000 * 47, 300}};
    out.peakSeconds = .01;
    for (int i = 0; i < 6000; ++i) {
        const double t = i * .01;
        const bool silent = t < 3 || (t > 31 && t < 36);
        const double speech = std::pow(std::abs(std::sin(t * 1.7) * std::sin(t * 7.3)), .7);
        out.peaks.push_back(static_cast<float>(silent ? .001 : .02 + .6 * speech));
    }
    return out;
}

void takeSoundImport(Screens& screens)
{
    StudioFixture s;
    ready(screens, s);
    s.session.look = minuteOfSound(2);
    s.drop({s.qpath("interview.wav")});
    screens.take(*s.window, "34-recording");
    s.window->scriptPanel().recording().use().click();
    StudioFixture::settle();
    auto* dialog = s.window->findChild<TakeInDialog*>();
    screens.take(*dialog, "35-take-in");
    dialog->from().setValue(3.5);
    dialog->to().setValue(30.75);
    dialog->denoise().setChecked(true);
    dialog->use().click();
    s.session.showCopying(.42);
    screens.take(*dialog, "36-take-in-copying");
    s.session.failSound(Error(ErrorCode::DiskFull, "The disk is full: 3 MB are left and about 20 MB are needed."));
    s.session.showCopying(-1);
    screens.take(*dialog, "37-take-in-failed");
    dialog->reject();
}

void takeDialogs(Screens& screens)
{
    takePronunciation(screens);
    takeSoundImport(screens);
    StudioFixture s;
    ready(screens, s);
    const std::pair<QAction*, const char*> dialogs[] = {
        {s.window->actions().settings, "20-settings"},
        {s.window->actions().about, "21-about"},
        {s.window->actions().keys, "22-keys"},
        {s.window->actions().newProject, "23-unsaved"},
    };
    for (const auto& [action, name] : dialogs) {
        action->trigger();
        StudioFixture::settle();
        for (QDialog* dialog : s.window->findChildren<QDialog*>()) {
            if (!dialog->isVisible())
                continue;
            screens.take(*dialog, name);
            dialog->close();
        }
        StudioFixture::settle();
    }
}

} // namespace

int main(int argc, char** argv)
{
    QTemporaryDir home;
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toLocal8Bit());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("share")).toLocal8Bit());
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("loquor-screens"));
    QApplication::setApplicationName(QStringLiteral("loquor-screens"));
    QApplication::setApplicationVersion(QStringLiteral("0.1.0"));
    QTranslator translator;
    const QString language = qEnvironmentVariable("LOQUOR_LANGUAGE", QStringLiteral("en"));
    QLocale::setDefault(QLocale(language));
    if (translator.load(QStringLiteral(":/translations/loquor_") + language))
        QApplication::installTranslator(&translator);
    if (argc < 2 || !QDir().mkpath(QString::fromLocal8Bit(argv[1]))) {
        std::fprintf(stderr, "usage: screens OUT_FOLDER [PHOTO]\n");
        return 2;
    }
    Screens screens;
    screens.folder = QString::fromLocal8Bit(argv[1]);
    screens.photo = test::drawPortrait(512, 512);
    if (argc > 2) {
        const QImage photo = QImage(QString::fromLocal8Bit(argv[2])).convertToFormat(QImage::Format_RGB888);
        auto image = std::make_shared<Image>(photo.width(), photo.height(), 3);
        for (int y = 0; y < photo.height(); ++y)
            std::copy_n(photo.constScanLine(y), image->stride(), image->row(y));
        screens.photo = image;
    }
    for (const ThemeMode theme : {ThemeMode::Light, ThemeMode::Dark}) {
        screens.theme = theme;
        takeMainScreens(screens);
        takeCheckScreens(screens);
        takeDialogs(screens);
    }
    std::printf("%d pictures in %s\n", screens.taken, argv[1]);
    return screens.taken > 0 ? 0 : 1;
}
