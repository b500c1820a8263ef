#include "tests/integration/cli_runner.h"

#include "core/media/image_writer.h"
#include "tests/support/folders.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>

using namespace loquor;
using namespace loquor::test;

namespace {

// The names in the list of commands of a help text.
QStringList commandsOf(const QString& help)
{
    QStringList out;
    const QStringList lines = help.mid(help.indexOf("Subcommands:")).split('\n').mid(1);
    for (const QString& line : lines) {
        const auto name = QRegularExpression("^  ([a-z][a-z-]*)").match(line);
        if (!name.hasMatch())
            break;
        out.append(name.captured(1));
    }
    return out;
}

QSet<QString> optionsIn(const QString& text, const QString& before)
{
    QSet<QString> out;
    auto found = QRegularExpression(before + "(--[a-z][a-z-]*)", QRegularExpression::MultilineOption).globalMatch(text);
    while (found.hasNext())
        out.insert(found.next().captured(1));
    return out;
}

// What docs/cli.md says of a command: its rows in tables and its chapter; of a command inside a group, its row there.
QString described(const QString& documentation, const QString& command, const QString& group)
{
    QString out;
    const QStringList chapters = documentation.split("\n## ");
    for (const QString& chapter : chapters) {
        const QString title = chapter.section('\n', 0, 0);
        if (group.isEmpty() && title == command)
            out += chapter;
        if (group.isEmpty() ? !chapter.startsWith("# ") : title != group)
            continue;
        for (const QString& line : chapter.split('\n')) {
            if (line.contains(QRegularExpression("^\\| `" + command + "[ `]")))
                out += line;
        }
    }
    return out;
}

void compareOptions(const QString& command, const QString& help, const QString& text)
{
    const QSet<QString> real = optionsIn(help, "^ +(?:-[a-z],)?") - QSet<QString>{"--help"};
    const QSet<QString> told = optionsIn(text, "(?<![a-z-])");
    const auto list = [&](const QSet<QString>& options) { return command + ": " + QStringList(options.values()).join(' '); };
    QVERIFY2((real - told).isEmpty(), qPrintable(list(real - told)));
    QVERIFY2((told - real).isEmpty(), qPrintable(list(told - real)));
}

} // namespace

class tst_cli_info : public QObject
{
    Q_OBJECT
    CliRunner m_cli;

private Q_SLOTS:
    void version_voices_devices()
    {
        const auto version = QJsonDocument::fromJson(m_cli.run({"version", "--json"}).output.toUtf8()).object();
        QVERIFY(!version["version"].toString().isEmpty());
        QCOMPARE(version["packs"].toArray()[0].toObject()["id"].toString(), QString("portrait"));
        QVERIFY(m_cli.run({"version"}).output.contains("\npack portrait "));
        const auto voices = QJsonDocument::fromJson(m_cli.run({"voices", "--json"}).output.toUtf8()).array();
        QVERIFY(voices.size() > 3);
        QVERIFY(voices[0].toObject()["exact_timing"].toBool());
        const auto devices = QJsonDocument::fromJson(m_cli.run({"devices", "--json"}).output.toUtf8()).array();
        QCOMPARE(devices[0].toObject()["kind"].toString(), QString("CPU"));
        QCOMPARE(m_cli.run({"--help"}).exitCode, 0);
        QCOMPARE(m_cli.run({}).exitCode, 2);
        const CliResult unknown = m_cli.run({"dance"});
        QCOMPARE(unknown.exitCode, 2);
        QVERIFY2(unknown.errors.contains("'dance'") && unknown.errors.contains("render"), qPrintable(unknown.errors));
    }

    void case_085_check_says_where_a_recording_is_bad()
    {
        const QString loud = m_cli.path("loud.mka");
        QProcess ffmpeg;
        ffmpeg.start("ffmpeg", {"-v", "error", "-i", CliRunner::media("jfk.wav"), "-i", CliRunner::media("jfk.wav"),
                                "-filter_complex", "[0:a]volume=18dB,apad=pad_dur=2[a]", "-map", "[a]", "-map", "1",
                                "-c", "flac", loud});
        QVERIFY(ffmpeg.waitForFinished(20000));
        const CliResult result = m_cli.run({"check", loud});
        QCOMPARE(result.exitCode, 0);
        for (const char* said : {"distorted", "Nothing is heard for 2 s at the end", "2 sound streams"})
            QVERIFY2(result.output.contains(said), qPrintable(result.output + result.errors));
    }

    void check_says_what_files_are()
    {
        const QString photo = CliRunner::media("hopper.jpg");
        const CliResult good = m_cli.run({"check", photo, CliRunner::media("jfk.wav"), "--json"});
        QCOMPARE(good.exitCode, 0);
        const auto list = QJsonDocument::fromJson(good.output.toUtf8()).array();
        QCOMPARE(list.size(), 2);
        const auto image = list[0].toObject();
        QCOMPARE(image["kind"].toString(), QString("image"));
        QCOMPARE(image["width"].toInt(), 512);
        QCOMPARE(image["faces"].toArray().size(), 1);
        QVERIFY(image["faces"].toArray()[0].toObject()["eye_distance_px"].toDouble() > 60);
        QCOMPARE(list[1].toObject()["duration_s"].toDouble(), 11.0);

        const CliResult bad = m_cli.run({"check", CliRunner::media("chelsea.png"), m_cli.path("missing.png"), photo});
        QCOMPARE(bad.exitCode, 8);
        QVERIFY2(bad.output.contains("No face was found"), qPrintable(bad.output));
        QVERIFY2(bad.output.contains("missing.png"), qPrintable(bad.output));
        QVERIFY2(bad.output.contains("hopper.jpg': usable"), qPrintable(bad.output));
    }

    // The name says picture, the content is text: an error page that was saved as a photo, say.
    void a_name_that_promises_something_else_is_not_usable()
    {
        const QString page = m_cli.writeText("page.jpg", "<html>Not found</html>\n");
        const CliResult result = m_cli.run({"check", page});
        QCOMPARE(result.exitCode, 8);
        QVERIFY2(result.output.contains("NOT usable") && result.output.contains("a picture (.jpg)") &&
                     result.output.contains("its content is text"),
                 qPrintable(result.output));
        QCOMPARE(m_cli.run({"check", m_cli.writeText("page.txt", "Good evening.\n")}).exitCode, 0);
    }

    void several_faces_are_listed_with_the_option_that_chooses()
    {
        const Image one = loadPhoto(CliRunner::media("hopper.jpg"));
        const QString file = m_cli.path("two.png");
        QVERIFY(media::writePng(file.toStdString(), sideBySide(one, one)));
        const CliResult result = m_cli.run({"check", file});
        QCOMPARE(result.exitCode, 0);
        QVERIFY2(result.output.contains("face 1, at the ") && result.output.contains("face 2, at the "), qPrintable(result.output));
        QVERIFY2(result.output.contains("shows 2 faces; choose one with --face N: 1 = at the left") ||
                     result.output.contains("choose one with --face N: 1 = at the right"),
                 qPrintable(result.output));
    }

    // Every command and option of --help is in docs/cli.md, where the command is described, and no others are.
    void the_documentation_knows_every_option()
    {
        QFile file(QString(LOQUOR_SOURCE_DIR) + "/docs/cli.md");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString documentation = QString::fromUtf8(file.readAll());
        const QStringList commands = commandsOf(m_cli.run({"--help"}).output);
        QVERIFY(commands.contains("render") && commands.contains("say") && commands.contains("align"));
        for (const QString& command : commands) {
            const QString chapter = described(documentation, command, "");
            QVERIFY2(!chapter.isEmpty(), qPrintable(command + " is not in docs/cli.md"));
            if (command == "evaluate" || command == "bench" || command == "parity") // programs of their own
                continue;
            const QString help = m_cli.run({command, "--help"}).output;
            if (command != "project") { // of a small group, the chapter tells all
                QString all = help;
                for (const QString& inner : commandsOf(help))
                    all += '\n' + m_cli.run({command, inner, "--help"}).output;
                compareOptions(command, all, chapter);
                continue;
            }
            QVERIFY(chapter.contains("All of them take `--json`"));
            for (const QString& inner : commandsOf(help)) {
                const QString row = described(documentation, inner, "project");
                QVERIFY2(!row.isEmpty(), qPrintable("project " + inner + " is not in docs/cli.md"));
                compareOptions("project " + inner, m_cli.run({"project", inner, "--help"}).output, row + "--json");
            }
        }
    }

    // What happens inside is shown on request only.
    void log_lines_are_for_those_who_ask()
    {
        const QStringList arguments{"render", "-r", CliRunner::media("chelsea.png"), "-t", "Hello.", "-o", m_cli.path("cat.mp4")};
        const CliResult plain = m_cli.run(arguments);
        QCOMPARE(plain.exitCode, 4);
        QVERIFY2(!plain.errors.contains(QRegularExpression("\\.cpp|no-face|rank:|session:")), qPrintable(plain.errors));
        QCOMPARE(plain.errors.count("No face was found"), 1);
        const CliResult told = m_cli.run(arguments + QStringList{"--verbose"});
        QVERIFY2(told.errors.contains(QRegularExpression("info +rank: .*no-face")), qPrintable(told.errors));
    }

    void say_writes_sound_and_times()
    {
        const CliResult result = m_cli.run({"say", "-t", "One two three.", "-o", m_cli.path("say.wav"), "--timing-out",
                                            m_cli.path("say.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(m_cli.json("say.json")["words"].toArray().size(), 3);
        QVERIFY(QFileInfo(m_cli.path("say.wav")).size() > 20'000);
        QCOMPARE(m_cli.run({"say", "-t", "Again.", "-o", m_cli.path("say.wav")}).exitCode, 6);
    }

    void say_tells_what_it_made()
    {
        const QString file = m_cli.path("told.wav");
        const CliResult slow = m_cli.run({"say", "-t", "One two three.", "--voice", "espeak-en-us", "--speed", "0.5", "--json", "-o", file});
        QVERIFY2(slow.exitCode == 0, qPrintable(slow.errors));
        const auto report = QJsonDocument::fromJson(slow.output.toUtf8()).object();
        QCOMPARE(report["voice"].toString(), QString("espeak-en-us"));
        QCOMPARE(report["words"].toInt(), 3);
        QCOMPARE(QFileInfo(file).size(), 44 + 2 * report["samples"].toInt());
        const CliResult fast = m_cli.run({"say", "-t", "One two three.", "--voice", "espeak-en-us", "--speed", "2", "--json", "-o", file, "--overwrite"});
        QVERIFY(QJsonDocument::fromJson(fast.output.toUtf8()).object()["seconds"].toDouble() < 0.5 * report["seconds"].toDouble());
        QCOMPARE(m_cli.run({"say", "-t", "Hi.", "--speed", "9", "-o", m_cli.path("x.wav")}).exitCode, 2);
    }

    void voices_that_are_none_are_not_imported()
    {
        const QString file = m_cli.writeText("page.onnx", "<html>Not found</html>\n");
        const CliResult alone = m_cli.run({"voices", "import", file});
        QCOMPARE(alone.exitCode, 3);
        QVERIFY2(alone.errors.contains("page.onnx.json"), qPrintable(alone.errors));
        m_cli.writeText("page.onnx.json", "{}");
        const CliResult wrong = m_cli.run({"voices", "import", file});
        QCOMPARE(wrong.exitCode, 3);
        QVERIFY2(wrong.errors.contains("not the configuration of a Piper voice"), qPrintable(wrong.errors));
        QCOMPARE(m_cli.run({"voices", "remove", "nobody"}).exitCode, 2);
        QCOMPARE(m_cli.run({"voices", "remove", "espeak-vi"}).exitCode, 2);
        const CliResult unknown = m_cli.run({"voices", "dance"});
        QVERIFY2(unknown.exitCode == 2 && unknown.errors.contains("import"), qPrintable(unknown.errors));
    }

    void packs_are_listed_and_not_installed_unasked()
    {
        const auto list = QJsonDocument::fromJson(m_cli.run({"packs", "list", "--json"}).output.toUtf8()).array();
        QVERIFY(list.size() >= 2);
        QCOMPARE(list[0].toObject()["name"].toString(), QString("whisper-tiny-en"));
        QVERIFY(list[0].toObject()["installed"].toBool()); // by packaging/setup.sh --tests
        QCOMPARE(m_cli.run({"packs", "install", "whisper-tiny-en"}).exitCode, 0);
        const CliResult unknown = m_cli.run({"packs", "install", "everything"});
        QVERIFY2(unknown.exitCode == 2 && unknown.errors.contains("whisper-base"), qPrintable(unknown.errors));
    }

    void recordings_are_written_down()
    {
        const CliResult heard = m_cli.run({"transcribe", CliRunner::media("jfk.wav"), "--pack", "whisper-tiny-en", "-o", m_cli.path("jfk.txt")});
        QVERIFY2(heard.exitCode == 0, qPrintable(heard.errors));
        QFile file(m_cli.path("jfk.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(QString::fromUtf8(file.readAll()).contains("ask not what your country can do for you"));
        const CliResult aligned = m_cli.run({"align", CliRunner::media("jfk.wav"), "--language", "en", "-o", m_cli.path("heard.json")});
        QVERIFY2(aligned.exitCode == 0, qPrintable(aligned.errors));
        QVERIFY2(aligned.errors.contains("recognized by the pack"), qPrintable(aligned.errors));
        QCOMPARE(m_cli.json("heard.json")["words"].toArray().size(), 22);
        QCOMPARE(m_cli.run({"transcribe", m_cli.path("none.wav")}).exitCode, 3);
    }

    void align_finds_the_words()
    {
        const CliResult result = m_cli.run({"align", "-a", CliRunner::media("jfk.wav"), "-t",
                                            "And so my fellow Americans ask not what your country can do for you ask what "
                                            "you can do for your country",
                                            "-o", m_cli.path("align.json")});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(m_cli.json("align.json")["words"].toArray().size(), 22);
        QCOMPARE(m_cli.run({"align", "-a", m_cli.path("none.wav"), "-t", "x", "-o", m_cli.path("y.json")}).exitCode, 3);
    }

    void programs_that_are_missing_are_named()
    {
        const CliResult result = m_cli.run({"bench", "nonsense"});
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains("bench_nonsense"), qPrintable(result.errors));
    }
};

LOQUOR_TEST(tst_cli_info)
#include "tst_cli_info.moc"
