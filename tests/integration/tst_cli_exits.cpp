// The exit codes of docs/cli.md, over all commands: the same kind of fault gives the same code everywhere.
#include "core/media/image_writer.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>

using namespace loquor;
using namespace loquor::test;

class tst_cli_exits : public QObject
{
    Q_OBJECT
    CliRunner m_cli;

    QString path(const char* name) const { return m_cli.path(QString::fromLatin1(name)); }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QFile::copy(CliRunner::media("astronaut.png"), path("photo.png")));
        m_cli.writeText("page.jpg", "<html>Not found</html>\n");
        m_cli.writeText("talk.txt", "Good evening.\n");
        m_cli.writeText("there.mp4", "precious");
        m_cli.writeText("there.wav", "precious");
        m_cli.writeText("there.json", "precious");
        m_cli.speech(.4);
        m_cli.writeWav("silent.wav", {16000, 1, std::vector<float>(32000)});
        m_cli.writeWav("none.wav", {16000, 1, {}});
        const CliResult made = m_cli.run({"project", "new", path("p.loquor"), "-r", path("photo.png"), "--size", "192x108"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        QCOMPARE(m_cli.run({"project", "add-line", path("p.loquor"), "One. Two."}).exitCode, 0);
    }

    void table_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* command, int exit, const char* says) {
            QTest::newRow(command) << QString::fromUtf8(command) << exit << QString::fromUtf8(says);
        };
        // 2: values, names of things that there are not, outputs that are inputs
        row("render -r photo.png -t Hi. -o a.mp4 --voice nobody", 2, "no voice 'nobody'");
        row("render -r photo.png -t Hi. -o a.mp4 --pack nothing", 2, "portrait ('loquor-cli packs list'");
        row("render -r photo.png -t Hi. -o a.mp4 --size 641x360", 2, "642x360");
        row("render -r photo.png -t Hi. -o a.mp4 --size big", 2, "WIDTHxHEIGHT");
        row("render -r photo.png -t Hi. -o a.mp4 --aspect 3:1", 2, "16:9, 9:16, 1:1 or 4:5");
        row("render -r photo.png -t Hi. -o a.mp4 --fps fast", 2, "29.97");
        row("render -r photo.png -t Hi. -o a.mp4 --framing wide", 2, "choose fill or fit");
        row("render -r photo.png -t Hi. -o a.mp4 --background #12", 2, "#20304f");
        row("render -r photo.png -t Hi. -o a.mp4 --seed -1", 2, "whole number");
        row("render -r photo.png -t Hi. -o a.mp4 --label=AI --label-corner up", 2, "bottom-left, bottom-right, top-left or top-right");
        row("render -r photo.png -t Hi. -o a.mp4 --label=AI --label-size 99", 2, "1.5");
        row("render -r photo.png -t Hi. -o a.mp4 --label=\xF4\x8F\xBF\xBD", 2, "U+10FFFD");
        row("render -r photo.png -t Hi. -o photo.png --overwrite", 2, "photo.png");
        row("render -r photo.png -t Hi. -o a.avi", 2, "a.mp4");
        row("render -r photo.png -t Hi. -o  --quiet", 2, "name of a file is empty");
        row("say -t Hi. -o a.wav --voice nobody", 2, "no voice 'nobody'");
        row("say --script talk.txt -o talk.txt --overwrite", 2, "talk.txt");
        row("align -a speech.wav -t Hi. -o speech.wav --overwrite", 2, "speech.wav");
        row("project new b.loquor -r photo.png --voice nobody", 2, "no voice 'nobody'");
        row("project new b.loquor -r photo.png --pack nothing", 2, "portrait ('loquor-cli packs list'");
        row("project new b.loquor -r photo.png --framing wide", 2, "choose fill or fit");
        row("project new b.loquor -r photo.png --background #12", 2, "#20304f");
        row("project new b.loquor -r photo.png --face 2", 2, "no face 2");
        row("project new photo.png -r photo.png --overwrite", 2, "photo.png");
        row("project add-line p.loquor Hi. --voice nobody", 2, "no voice 'nobody'");
        row("project add-line p.loquor Hi. --at 9", 2, "1 to 3");
        row("project add-line p.loquor Hi. --pause soon", 2, "soon");
        row("project set-line p.loquor 1 --voice nobody", 2, "no voice 'nobody'");
        row("project set-line p.loquor 9 Hi.", 2, "no line 9");
        row("project remove-line p.loquor 9", 2, "no line 9");
        row("project move-line p.loquor 1 9", 2, "no line 9");
        row("project takes p.loquor 9", 2, "no line 9");
        row("project choose-take p.loquor 9 1", 2, "no line 9");
        row("project choose-take p.loquor 1 9", 2, "no take 9");
        row("project pin-take p.loquor 1 9", 2, "no take 9");
        row("project unpin-take p.loquor 1 9", 2, "no take 9");
        row("project remove-take p.loquor 1 9", 2, "no take 9");
        row("project export p.loquor -o p.loquor --overwrite", 2, "p.mp4");
        row("project export p.loquor -o photo.png --overwrite", 2, "photo");
        row("project export p.loquor -o a.mp4 --report p.loquor", 2, "p.json");
        row("project export p.loquor -o a.avi", 2, "a.mp4");
        row("project export p.loquor -o a.mp4 --captions all", 2, "none, track, srt, vtt, vtt-words, burn, FILE.srt or FILE.vtt");
        row("project export p.loquor -o a.mp4 --quality 99", 2, "51");
        row("project export p.loquor -o a.mp4 --label=", 2, "the text is empty");
        row("render -r photo.png -t Hi. -o a.mp4 --label= --overwrite", 2, "the text is empty");
        row("project export p.loquor -o a.mp4 --size 108x192", 2, "Sizes that fit: 108x60 or 342x192");
        row("project export p.loquor -o a.mp4 --label=\xF4\x8F\xBF\xBD", 2, "U+10FFFD");
        row("project render p.loquor --report p.loquor", 2, "p.json");
        row("project render p.loquor --trace photo.png", 2, "photo.json");
        row("project render p.loquor p.loquor -q", 2, "is named twice: name it once");
        row("project choose-take p.loquor 1 b7c1d2e3f4a5b6c7", 2, "'b7c1d2e3f4a5b6c7' is not the number of a take; numbers begin at 1");
        row("project pin-take p.loquor 1 0", 2, "'0' is not the number of a take");
        row("project remove-take p.loquor one 1", 2, "LINE: 'one' is not the number of a line");
        row("project set-line p.loquor abc x", 2, "N: 'abc' is not the number of a line");
        row("project move-line p.loquor 1 99999999999", 2, "TO: '99999999999' is not the number of a line");
        row("project add-line p.loquor Hi. --at first", 2, "'first' is not the number of a line");
        row("project add-recording p.loquor speech.wav --at 0", 2, "'0' is not the number of a line");
        row("project new b.loquor -r photo.png --face left", 2, "'left' is not the number of a face");
        row("render -r photo.png -t Hi. -o a.mp4 --face left", 2, "'left' is not the number of a face");
        row("render --refrence photo.png", 2, "not expected: --refrence\n");
        row("render -r photo.png -t Hi. -o a.mp4 --language xx", 2, "The language is not known");
        row("say -t Hi. -o a.wav --language xx", 2, "The language is not known");
        row("align -a speech.wav -t Hi. -o a.json --language xx", 2, "The language is not known");
        row("bench nothing", 2, "bench_nothing");
        // 3: inputs
        row("render -r missing.png -t Hi. -o a.mp4", 3, "missing.png");
        row("render -r page.jpg -t Hi. -o a.mp4", 3, "a picture (.jpg), but its content is text");
        row("render -r photo.png -a missing.wav -o a.mp4", 3, "missing.wav");
        row("render -r photo.png -a page.jpg -o a.mp4", 3, "content is text");
        row("render -r photo.png -t Hi. --background page.jpg -o a.mp4", 3, "content is text");
        row("render -r photo.png --script missing.txt -o a.mp4", 3, "missing.txt");
        row("render -r photo.png -t Hi. -o no/folder/a.mp4", 3, "does not exist");
        row("say --script missing.txt -o a.wav", 3, "missing.txt");
        row("align -a missing.wav -t Hi. -o a.json", 3, "missing.wav");
        row("align -a page.jpg -t Hi. -o a.json", 3, "content is text");
        row("project new b.loquor -r missing.png", 3, "missing.png");
        row("project new b.loquor -r page.jpg", 3, "a picture (.jpg), but its content is text");
        row("project add-line missing.loquor Hi.", 3, "missing.loquor");
        row("project add-recording p.loquor missing.wav", 3, "missing.wav");
        row("project add-recording p.loquor page.jpg", 3, "content is text");
        row("project relink p.loquor missing.wav", 3, "missing.wav");
        row("project render missing.loquor", 3, "missing.loquor");
        row("project export missing.loquor -o a.mp4", 3, "missing.loquor");
        row("project takes missing.loquor", 3, "missing.loquor");
        row("project status missing.loquor", 3, "missing.loquor");
        row("project from-video missing.mp4 -o b.loquor", 3, "missing.mp4");
        // 5: nothing to say
        row("render -r photo.png -t [smile] -o a.mp4", 5, "no words");
        row("render -r photo.png -a silent.wav -o a.mp4", 5, "silent");
        row("render -r photo.png -a none.wav -o a.mp4", 5, "0 samples");
        row("say -t [smile] -o a.wav", 5, "no words");
        row("project add-line p.loquor [smile]", 5, "no words");
        row("project set-line p.loquor 1 [smile]", 5, "no words");
        row("project add-recording p.loquor silent.wav", 5, "silent");
        row("project add-recording p.loquor none.wav", 5, "0 samples");
        // 6: outputs
        row("render -r photo.png -t Hi. -o there.mp4", 6, "--overwrite");
        row("render -r photo.png -t Hi. -o a.mp4 --timing-out there.json", 6, "--overwrite");
        row("say -t Hi. -o there.wav", 6, "--overwrite");
        row("align -a speech.wav -t Hi. -o there.json", 6, "--overwrite");
        row("project new p.loquor -r photo.png", 6, "--overwrite");
        row("project export p.loquor -o there.mp4", 6, "--overwrite");
        row("render -r photo.png -t Hi. -o /proc/a.mp4", 6, "no file can be made in the folder '/proc'");
        // 8 and 10: a code of their own
        row("check missing.png", 8, "");
        row("check none.wav", 8, "");
        row("project export p.loquor -o a.mp4 --size 86x48", 10, "Render the project first"); // even, and of its shape
        row("project export p.loquor -o a.mp4", 10, "Render the project first");
    }
    // Told in plain words, before the engine is started, with nothing left behind.
    void table()
    {
        QFETCH(QString, command);
        QFETCH(int, exit);
        QFETCH(QString, says);
        QStringList arguments = command.split(' ');
        static const QRegularExpression file("^[a-z][a-z/]*\\.(mp4|avi|wav|png|jpg|txt|json|loquor)$");
        for (QString& argument : arguments) {
            if (file.match(argument).hasMatch())
                argument = m_cli.path(argument);
        }
        QFile project(path("p.loquor"));
        QVERIFY(project.open(QIODevice::ReadOnly));
        const QByteArray before = project.readAll();
        auto process = m_cli.start(arguments);
        QVERIFY(process->waitForFinished(60'000));
        const QString errors = QString::fromUtf8(process->readAllStandardError());
        QVERIFY2(process->exitCode() == exit, qPrintable(QString::number(process->exitCode()) + ": " + errors));
        QVERIFY2(errors.contains(says), qPrintable(errors));
        // Not how the program is made inside.
        QVERIFY2(!errors.contains(QRegularExpression("->|FAILED|\\{|std::|\\.cpp")), qPrintable(errors));
        project.seek(0);
        QCOMPARE(project.readAll(), before);
        QCOMPARE(m_cli.leftovers({"photo.png", "page.jpg", "talk.txt", "there.mp4", "there.wav", "there.json", "speech.wav",
                                  "silent.wav", "none.wav", "p.loquor"}),
                 QStringList());
    }

    void what_programs_wrote_is_no_script()
    {
        const auto expect = [this](const QString& file, int exit, const QStringList& words) {
            const CliResult result = m_cli.run({"check", file});
            QVERIFY2(result.exitCode == exit, qPrintable(result.output));
            for (const QString& word : words)
                QVERIFY2(result.output.contains(word), qPrintable(result.output));
            QVERIFY2(!result.output.contains("sentence"), qPrintable(result.output));
        };
        expect(path("p.loquor"), 0, {"usable", "kind: project, 2 lines", "size: 192 x 108", "loquor-cli project render"});
        const QString other = m_cli.writeText("report.json", "{\"frames\": [1, 2]}\n");
        expect(other, 8, {"NOT usable", "kind: JSON", "no script"});
        const QString broken = m_cli.writeText("broken.loquor", "{\"frames\": 1}\n");
        expect(broken, 8, {"NOT usable", "kind: project"});
        const QString empty = m_cli.writeText("empty.txt", "");
        expect(empty, 8, {"NOT usable", "kind: text", "is empty (0 bytes)"});
        for (const QString& file : {other, broken, empty})
            QVERIFY(QFile::remove(file));
        const CliResult sound = m_cli.run({"check", path("speech.wav")});
        QVERIFY2(sound.output.contains("1 channel\n") || sound.output.contains("mono"), qPrintable(sound.output));
        QVERIFY2(!sound.output.contains("1 channels"), qPrintable(sound.output));
    }

    // For programs: 10 has a code of its own.
    void what_is_not_rendered_has_a_code()
    {
        const CliResult result = m_cli.run({"project", "export", path("p.loquor"), "-o", path("a.mp4"), "-q", "--json"});
        QCOMPARE(result.exitCode, 10);
        QVERIFY2(result.output.contains("\"code\": \"not-rendered\""), qPrintable(result.output));
    }

    // Sound is spoken of as sound, whatever is wrong with it.
    void a_recording_without_samples_is_no_picture()
    {
        for (const QString& file : {path("none.wav"), m_cli.writeText("noise.mp3", QByteArray(3000, '\x01'))}) {
            const CliResult result = m_cli.run({"check", file});
            QCOMPARE(result.exitCode, 8);
            QVERIFY2(!result.output.contains("picture"), qPrintable(result.output));
            QVERIFY2(result.output.contains("kind: audio"), qPrintable(result.output));
        }
        QVERIFY(QFile::remove(path("noise.mp3")));
    }

    // A photo cannot be looked at without the engine's networks: that is not the photo's fault. Sound and text can.
    void an_engine_that_is_not_set_up_is_named()
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LOQUOR_DATA_DIR", path("nothing"));
        process.setProcessEnvironment(environment);
        process.start(QString(LOQUOR_BIN_DIR) + "/loquor-cli", {"check", path("photo.png"), path("speech.wav")});
        QVERIFY(process.waitForFinished(60'000));
        const QString errors = QString::fromUtf8(process.readAllStandardError());
        const QString output = QString::fromUtf8(process.readAllStandardOutput());
        QCOMPARE(process.exitCode(), 3);
        QVERIFY2(errors.contains("not checked: '" + path("photo.png")) && errors.contains("packaging/setup.sh"), qPrintable(errors));
        QVERIFY2(!output.contains("photo.png") && output.contains("speech.wav': usable"), qPrintable(output));
    }

    void what_means_nothing_is_warned_of_when_it_is_written()
    {
        const QString file = path("w.loquor");
        const CliResult made = m_cli.run({"project", "new", file, "-r", path("photo.png"), "--prompt", "calm, furious"});
        QVERIFY2(made.exitCode == 0 && made.errors.contains("'furious'"), qPrintable(made.errors));
        QVERIFY2(!made.errors.contains("'calm'"), qPrintable(made.errors));
        const CliResult added = m_cli.run({"project", "add-line", file, "[dance] Hello. [smile] Bye.", "--prompt", "angry"});
        QVERIFY2(added.exitCode == 0 && added.errors.contains("warning: Line 1: Column 1: Unknown direction [dance]"),
                 qPrintable(added.errors));
        QVERIFY2(added.errors.contains("Line 2: The motion prompt has a word") && added.errors.contains("'angry'"),
                 qPrintable(added.errors));
        const CliResult changed = m_cli.run({"project", "set-line", file, "1", "[jump] Hello.", "--prompt", ""});
        QVERIFY2(changed.exitCode == 0 && changed.errors.contains("[jump]") && !changed.errors.contains("angry"),
                 qPrintable(changed.errors));
        const CliResult fine = m_cli.run({"project", "set-line", file, "2", "[nod] Bye.", "--prompt", "smiling"});
        QVERIFY2(fine.exitCode == 0 && fine.errors.isEmpty(), qPrintable(fine.errors));
        const CliResult status = m_cli.run({"project", "status", file});
        QVERIFY2(status.output.contains("note: The motion prompt has a word") && status.output.contains("[jump]"),
                 qPrintable(status.output));
        QVERIFY(QFile::remove(file));
    }
};

LOQUOR_TEST(tst_cli_exits)
#include "tst_cli_exits.moc"
