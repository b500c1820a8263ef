// The document commands of `loquor-cli project`, as scripts use them.
#include "tests/integration/cli_runner.h"

#include "core/base/trace.h"
#include "core/media/mp4_writer.h"
#include "core/project/exported_settings.h"
#include "core/project/line_edits.h"
#include "core/project/project_file.h"
#include "core/project/project_lock.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <unistd.h>

using namespace loquor;
using loquor::test::CliResult;
using loquor::test::CliRunner;
namespace fs = std::filesystem;

namespace {

QJsonObject objectOf(const CliResult& result)
{
    return QJsonDocument::fromJson(result.output.toUtf8()).object();
}

class Project
{
public:
    explicit Project(const QString& name = "p.loquor") : file(cli.path(name))
    {
        QFile::copy(CliRunner::media("astronaut.png"), cli.path("photo.png"));
        // `new` looks at the photo, which takes a second: the others get a copy of the first.
        static std::pair<CliResult, QByteArray> first;
        if (first.second.isEmpty()) {
            first.first = run({"new", file, "-r", cli.path("photo.png")});
            first.second = content();
        } else {
            write(first.second);
        }
        made = first.first;
    }
    CliResult run(const QStringList& arguments) const { return cli.run(QStringList{"project"} + arguments); }
    CliResult run(const QStringList& arguments, const QByteArray& input) const
    {
        return cli.run(QStringList{"project"} + arguments, input);
    }
    QJsonObject status() const { return objectOf(run({"status", file, "--json"})); }
    QStringList texts() const
    {
        QStringList out;
        for (const QJsonValue& line : status()["lines"].toArray())
            out.append(line["text"].toString());
        return out;
    }
    QByteArray content() const
    {
        QFile reading(file);
        return reading.open(QIODevice::ReadOnly) ? reading.readAll() : QByteArray();
    }
    void write(const QByteArray& content) const
    {
        QFile writing(file);
        if (writing.open(QIODevice::WriteOnly))
            writing.write(content);
    }

    CliRunner cli;
    QString file;
    CliResult made;
};

#define COMPARE_EXIT(result, code)                                                                                     \
    do {                                                                                                               \
        const CliResult lqResult = (result);                                                                           \
        QVERIFY2(lqResult.exitCode == (code),                                                                          \
                 qPrintable(QString("exit %1\n%2\n%3").arg(lqResult.exitCode).arg(lqResult.output, lqResult.errors))); \
    } while (false)

} // namespace

class tst_cli_project : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aProjectFromNothingToFiveLines()
    {
        Project p;
        COMPARE_EXIT(p.made, 0);
        COMPARE_EXIT(p.run({"add-line", p.file, "First one. Second one! Third?"}), 0);
        COMPARE_EXIT(p.run({"add-line", p.file, "Before. It all.", "--at", "1", "--one-line", "--prompt", "calm", "--pause", "1.5"}), 0);
        COMPARE_EXIT(p.run({"add-line", p.file, "-", "--voice", ""}, "From standard input 🙂.\n"), 0);
        QCOMPARE(p.texts(), (QStringList{"Before. It all.", "First one.", "Second one!", "Third?", "From standard input 🙂."}));
        const QJsonObject first = p.status()["lines"].toArray()[0].toObject();
        QCOMPARE(first["prompt"].toString(), QString("calm"));
        QCOMPARE(first["pause_after"].toDouble(), 1.5);
        QCOMPARE(first["number"].toInt(), 1);
        QVERIFY(QRegularExpression("^[0-9a-f]{16}$").match(first["id"].toString()).hasMatch());
        QVERIFY(first["estimated_seconds"].toDouble() > 0.5);

        const QString id = p.status()["lines"].toArray()[2].toObject()["id"].toString();
        COMPARE_EXIT(p.run({"set-line", p.file, "3", "Second, again."}), 0);
        COMPARE_EXIT(p.run({"move-line", p.file, "3", "1"}), 0);
        COMPARE_EXIT(p.run({"remove-line", p.file, "2"}), 0);
        QCOMPARE(p.texts(), (QStringList{"Second, again.", "First one.", "Third?", "From standard input 🙂."}));
        QCOMPARE(p.status()["lines"].toArray()[0].toObject()["id"].toString(), id);
        const auto take = objectOf(p.run({"set-line", p.file, "1", "--new-take", "--json"}))["changed"].toArray()[0].toObject();
        QVERIFY(take["take_seed"].toString() != "0");
        QCOMPARE(take["id"].toString(), id);
        const auto back = objectOf(p.run({"set-line", p.file, "1", "--pause", "auto", "--prompt", "", "--json"}));
        QCOMPARE(back["changed"].toArray()[0].toObject()["pause_after"].toDouble(), 0.2);
        QCOMPARE(p.cli.leftovers({"p.loquor", "photo.png"}), QStringList());
    }

    void settingsOfANewProject()
    {
        Project p;
        const CliResult made = p.run({"new", p.cli.path("b.loquor"), "--reference", p.cli.path("photo.png"), "--aspect", "9:16", "--fps", "29.97",
                                      "--background", "#102030", "--framing", "fit", "--voice", "espeak-vi", "--language", "VI", "--seed",
                                      "18446744073709551615", "--prompt", "calm", "--face", "1", "--json"});
        COMPARE_EXIT(made, 0);
        const QJsonObject json = objectOf(made);
        const QJsonObject output = json["output"].toObject(), scene = json["scenes"].toArray()[0].toObject();
        QCOMPARE(output["width"].toInt(), 720);
        QCOMPARE(output["fps"].toString(), QString("30000/1001"));
        QCOMPARE(output["seed"].toString(), QString("18446744073709551615"));
        QCOMPARE(output["framing"].toString(), QString("fit"));
        QCOMPARE(scene["background"].toString(), QString("#102030"));
        QCOMPARE(scene["language"].toString(), QString("vi"));
        QCOMPARE(scene["face"].toInt(), 1);
        QCOMPARE(json["lines"].toArray().size(), 0);
    }

    void badInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("mentions");
        const auto row = [](const char* name, const QStringList& arguments, int exit, const char* mentions) {
            QTest::newRow(name) << arguments << exit << QString(mentions);
        };
        row("no command", {}, 2, "subcommand");
        row("wrong command", {"ad-line", "FILE", "x"}, 2, "no command 'ad-line'. Commands: new, add-line");
        row("line 0", {"set-line", "FILE", "0", "x"}, 2, "no line 0");
        row("line 3 of 2", {"remove-line", "FILE", "3"}, 2, "no line 3: the project has 2 lines");
        row("negative", {"remove-line", "FILE", "--", "-1"}, 2, "no line -1");
        row("not a number", {"remove-line", "FILE", "two"}, 2, "N");
        row("huge", {"remove-line", "FILE", "99999999999999"}, 2, "N");
        row("move from", {"move-line", "FILE", "5", "1"}, 2, "no line 5");
        row("move to", {"move-line", "FILE", "1", "5"}, 2, "no line 5");
        row("at 0", {"add-line", "FILE", "x", "--at", "0"}, 2, "1 to 3");
        row("at 4", {"add-line", "FILE", "x", "--at", "4"}, 2, "1 to 3");
        row("empty", {"add-line", "FILE", ""}, 5, "no words");
        row("blank", {"add-line", "FILE", " \n "}, 5, "no words");
        row("only a tag", {"set-line", "FILE", "1", "[smile]"}, 5, "no words");
        row("empty input", {"add-line", "FILE", "-"}, 5, "no words");
        row("nothing to change", {"set-line", "FILE", "1"}, 2, "--new-take");
        row("pause", {"set-line", "FILE", "1", "--pause", "soon"}, 2, "soon");
        row("long pause", {"add-line", "FILE", "x", "--pause", "61"}, 2, "60");
        row("negative pause", {"add-line", "FILE", "x", "--pause=-1"}, 2, "60");
        row("not a pause", {"add-line", "FILE", "x", "--pause", "nan"}, 2, "");
        row("missing", {"add-line", "NOWHERE", "x"}, 3, "nowhere.loquor");
        row("missing status", {"status", "NOWHERE"}, 3, "nowhere.loquor");
        row("not a project", {"add-line", "PHOTO", "x"}, 3, "not a Loquor project");
        row("takes of no line", {"takes", "FILE", "3"}, 2, "no line 3");
        row("a folder", {"status", "."}, 3, "folder");
        row("exists", {"new", "FILE", "-r", "PHOTO"}, 6, "exists");
        row("no reference", {"new", "NOWHERE"}, 2, "--reference");
        row("missing reference", {"new", "OTHER", "-r", "NOWHERE"}, 3, "nowhere");
        row("nobody", {"new", "NOWHERE", "-r", "CAT"}, 4, "No face was found in the picture");
        row("no second face", {"new", "NOWHERE", "-r", "PHOTO", "--face", "2"}, 2, "no face 2 in the picture");
        row("text as reference", {"new", "NOWHERE", "-r", "FILE"}, 3, "p.loquor");
        row("onto the reference", {"new", "PHOTO", "-r", "PHOTO", "--overwrite"}, 2, "photo.png");
        row("odd size", {"new", "NOWHERE", "-r", "PHOTO", "--size", "641x360"}, 2, "642x360");
        row("size", {"new", "NOWHERE", "-r", "PHOTO", "--size", "big"}, 2, "big");
        row("aspect", {"new", "NOWHERE", "-r", "PHOTO", "--aspect", "3:1"}, 2, "3:1");
        row("rate", {"new", "NOWHERE", "-r", "PHOTO", "--fps", "1000"}, 2, "1000");
        row("seed", {"new", "NOWHERE", "-r", "PHOTO", "--seed", "-3"}, 2, "-3");
        row("background", {"new", "NOWHERE", "-r", "PHOTO", "--background", "#12"}, 2, "#12");
        row("pack", {"new", "NOWHERE", "-r", "PHOTO", "--pack", "nothing"}, 2, "nothing");
        row("language", {"new", "NOWHERE", "-r", "PHOTO", "--language", "xx"}, 2, "No voice says the language 'xx'. There are: ");
        row("empty name", {"export", "FILE", "-o", ""}, 2, "name of a file is empty");
        row("no folder", {"new", "NOFOLDER", "-r", "PHOTO"}, 3, "does not exist");
        row("no video", {"from-video", "NOWHERE", "-o", "OTHER"}, 3, "nowhere");
        row("not a video", {"from-video", "FILE", "-o", "OTHER"}, 3, "p.loquor");
        row("photo as video", {"from-video", "PHOTO", "-o", "OTHER"}, 3, "no project");
    }
    void badInput()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exit);
        QFETCH(QString, mentions);
        Project p;
        COMPARE_EXIT(p.run({"add-line", p.file, "One. Two."}), 0);
        const QByteArray before = p.content();
        for (QString& argument : arguments) {
            argument.replace("NOWHERE", p.cli.path("nowhere.loquor")).replace("NOFOLDER", p.cli.path("no/folder.loquor"));
            argument.replace("FILE", p.file).replace("PHOTO", p.cli.path("photo.png")).replace("CAT", CliRunner::media("chelsea.png")).replace("OTHER", p.cli.path("other.loquor"));
        }
        const CliResult result = p.run(arguments, "");
        COMPARE_EXIT(result, exit);
        QVERIFY2(result.errors.contains(mentions), qPrintable(result.errors));
        QCOMPARE(p.content(), before);
        QCOMPARE(p.cli.leftovers({"p.loquor", "photo.png"}), QStringList());
    }

    void errorsForPrograms()
    {
        Project p;
        const CliResult result = p.run({"remove-line", p.file, "1", "--json"});
        COMPARE_EXIT(result, 2);
        const QJsonObject error = objectOf(result)["error"].toObject();
        QCOMPARE(error["code"].toString(), QString("invalid-argument"));
        QCOMPARE(error["exit"].toInt(), 2);
        QVERIFY(error["message"].toString().contains("0 lines"));
    }

    void aProjectThatIsOpenElsewhereIsLeftAlone()
    {
        Project p;
        COMPARE_EXIT(p.run({"add-line", p.file, "One."}), 0);
        const auto mine = project::lockProject(p.file.toStdString());
        QVERIFY(mine && mine->lock);
        const QByteArray before = p.content();
        for (const QStringList& arguments : {QStringList{"add-line", p.file, "x"}, QStringList{"set-line", p.file, "1", "x"},
                                             QStringList{"remove-line", p.file, "1"}, QStringList{"move-line", p.file, "1", "1"},
                                             QStringList{"new", p.file, "-r", p.cli.path("photo.png"), "--overwrite"}}) {
            const CliResult result = p.run(arguments + QStringList{"--json"});
            COMPARE_EXIT(result, 9);
            QVERIFY2(result.errors.contains(QString::number(::getpid())), qPrintable(result.errors));
            QCOMPARE(objectOf(result)["error"].toObject()["code"].toString(), QString("in-use"));
        }
        QCOMPARE(p.content(), before);
        QCOMPARE(p.texts(), QStringList{"One."}); // looking is allowed
    }

    void unknownFieldsSurviveEveryCommand()
    {
        Project p;
        COMPARE_EXIT(p.run({"add-line", p.file, "One. Two. Three."}), 0);
        QByteArray content = p.content();
        content.replace("\"format\":", "\"zoom\": 3, \"format\":").replace("\"width\":", "\"hdr\": true, \"width\":");
        content.replace("\"speech\": {", "\"pose\": \"x\", \"speech\": {\"speed\": 1.25, ");
        content.replace("\"text\": \"Two.\"", "\"mood\": {\"deep\": [1, 2.5]}, \"text\": \"Two.\"");
        p.write(content);
        for (const QStringList& arguments : {QStringList{"add-line", p.file, "New.", "--at", "1"}, QStringList{"set-line", p.file, "3", "Two, changed."},
                                             QStringList{"move-line", p.file, "3", "1"}, QStringList{"remove-line", p.file, "2"},
                                             QStringList{"set-line", p.file, "1", "--new-take"}}) {
            COMPARE_EXIT(p.run(arguments), 0);
            const QJsonObject root = QJsonDocument::fromJson(p.content()).object();
            const QJsonObject scene = root["scenes"].toArray()[0].toObject();
            QCOMPARE(root["zoom"].toInt(), 3);
            QCOMPARE(root["output"].toObject()["hdr"].toBool(), true);
            QCOMPARE(scene["pose"].toString(), QString("x"));
            QCOMPARE(scene["speech"].toObject()["speed"].toDouble(), 1.25);
            int found = 0;
            for (const QJsonValue& line : scene["lines"].toArray()) {
                if (line["text"].toString().startsWith("Two"))
                    found += line["mood"]["deep"][1].toDouble() == 2.5 ? 1 : 0;
            }
            QCOMPARE(found, 1);
        }
    }

    void aVersion1ProjectIsMigratedAndKept()
    {
        Project p;
        const QByteArray old = "{\"format\":\"loquor-project\",\"version\":1,\"scenes\":[{\"id\":\"a\",\"speech\":{\"text\":\"One. Two.\"}}]}";
        p.write(old);
        QCOMPARE(p.texts(), (QStringList{"One.", "Two."}));
        QCOMPARE(p.content(), old); // looking does not change it
        const QString id = p.status()["lines"].toArray()[1].toObject()["id"].toString();
        COMPARE_EXIT(p.run({"remove-line", p.file, "1"}), 0);
        QCOMPARE(p.status()["lines"].toArray()[0].toObject()["id"].toString(), id);
        QFile kept(p.file + ".v1");
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), old);
        p.write(QByteArray(old).replace("\"version\":1", "\"version\":3"));
        const CliResult newer = p.run({"add-line", p.file, "x"});
        COMPARE_EXIT(newer, 3);
        QVERIFY(newer.errors.contains("newer version"));
    }

    void case_146_names_and_texts_of_any_kind()
    {
        for (const QString& name : {QString("Zoë 🙂.loquor"), QString("new\nline.loquor"), QString(248, 'x') + ".loquor", QString("日本語.loquor")}) {
            Project p(name);
            COMPARE_EXIT(p.made, 0);
            COMPARE_EXIT(p.run({"add-line", p.file, "Text with\nbreak and \"quotes\" and 你好。再见。"}), 0);
            QVERIFY(p.texts().join("").contains("再见"));
            QCOMPARE(p.cli.leftovers({name, "photo.png"}), QStringList());
        }
        Project p;
        const CliResult bytes = p.run({"add-line", p.file, "-"}, "broken \xff text");
        COMPARE_EXIT(bytes, 3);
        QVERIFY(bytes.errors.contains("UTF-8"));
        COMPARE_EXIT(p.run({"add-line", p.file, "-"}, QByteArray("\xEF\xBB\xBFWith a mark.")), 0);
        QCOMPARE(p.texts(), QStringList{"With a mark."});
        COMPARE_EXIT(p.run({"add-line", p.file, "-"}, QByteArray(9 << 20, 'a')), 2);
    }

    void case_148_names_in_several_scripts()
    {
        for (const char* name : {"Müller.loquor", "日本語.loquor", "Ελλάδα.loquor", "نص.loquor", "Đào.loquor"}) {
            Project p(QString::fromUtf8(name));
            COMPARE_EXIT(p.made, 0);
            COMPARE_EXIT(p.run({"add-line", p.file, QString::fromUtf8(name)}), 0);
            QCOMPARE(p.texts(), QStringList{QString::fromUtf8(name)});
        }
    }

    void case_155_a_project_never_replaces_what_it_is_made_of()
    {
        Project p;
        const QString photo = p.cli.path("photo.png");
        const qint64 size = QFileInfo(photo).size();
        QFile::link(photo, p.cli.path("link.loquor"));
        for (const QString& target : {photo, p.cli.path("link.loquor"), p.cli.path("./photo.png")})
            COMPARE_EXIT(p.run({"new", target, "-r", photo, "--overwrite"}), 2);
        COMPARE_EXIT(p.run({"new", photo, "-r", CliRunner::media("hopper.jpg"), "--background", photo, "--overwrite"}), 2);
        COMPARE_EXIT(p.run({"from-video", photo, "-o", photo, "--overwrite"}), 2);
        QCOMPARE(QFileInfo(photo).size(), size);
    }

    void case_157_a_moved_project_finds_its_picture()
    {
        Project p;
        QDir().mkpath(p.cli.path("moved"));
        QVERIFY(QFile::rename(p.file, p.cli.path("moved/p.loquor")) && QFile::rename(p.cli.path("photo.png"), p.cli.path("moved/photo.png")));
        p.file = p.cli.path("moved/p.loquor");
        QCOMPARE(p.status()["missing"].toArray().size(), 0);
        QVERIFY(QFile::remove(p.cli.path("moved/photo.png")));
        const QJsonArray missing = p.status()["missing"].toArray();
        QCOMPARE(missing.size(), 1);
        QVERIFY(missing[0].toString().endsWith("photo.png"));
    }

    void case_160_a_full_disk_keeps_the_project()
    {
        Project p;
        COMPARE_EXIT(p.run({"add-line", p.file, "One."}), 0);
        const QByteArray before = p.content();
        const QString words = QString("Many words that need room. ").repeated(200);
        const CliResult result = p.cli.runWithFileLimit({"project", "add-line", p.file, words}, 4);
        COMPARE_EXIT(result, 6);
        QCOMPARE(p.content(), before);
        QCOMPARE(p.cli.leftovers({"p.loquor", "photo.png"}), QStringList());
    }

    void tenThousandLinesInLinearTime()
    {
        Project p;
        const auto text = [](int count) {
            QByteArray out;
            for (int i = 0; i < count; ++i)
                out += "This is line number " + QByteArray::number(i) + ".\n";
            return out;
        };
        const auto cost = [&](int count) {
            QFile::remove(p.file);
            p.run({"new", p.file, "-r", p.cli.path("photo.png")});
            QElapsedTimer timer;
            timer.start();
            p.run({"add-line", p.file, "-"}, text(count));
            p.run({"set-line", p.file, QString::number(count / 2), "Changed."});
            p.run({"move-line", p.file, "1", QString::number(count)});
            const int lines = static_cast<int>(p.status()["lines"].toArray().size());
            return lines == count ? static_cast<double>(timer.elapsed()) : 1e9;
        };
        const double small = cost(1250), large = cost(10'000);
        QVERIFY2(large < 8 * small * 3 + 2000, qPrintable(QString("%1 ms and %2 ms").arg(small).arg(large)));
        QCOMPARE(p.texts().last(), QString("This is line number 0."));
    }

    void projectsComeBackFromVideos()
    {
        Project p;
        COMPARE_EXIT(p.run({"add-line", p.file, "One. Two 🙂.", "--prompt", "calm"}), 0);
        const auto loaded = project::loadProject(p.file.toStdString());
        QVERIFY(loaded);
        project::ExportFacts facts;
        facts.packLabel = "portrait 3";
        facts.seed = 12345678901234567ULL;
        const fs::path photo = loaded->document.scenes[0].reference.file;
        facts.fileHashes[photo] = *platformHash(photo);
        const auto settings = project::exportedSettings(loaded->document, facts);
        QVERIFY(settings);
        const QString video = p.cli.path("out.mp4");
        writeVideo(video, {{project::kSettingsTag, *settings}, {"title", "A title"}});

        const CliResult made = p.run({"from-video", video, "-o", p.cli.path("back.loquor"), "--json"});
        COMPARE_EXIT(made, 0);
        const QJsonObject json = objectOf(made);
        QCOMPARE(json["pack_label"].toString(), QString("portrait 3"));
        QCOMPARE(json["output"].toObject()["seed"].toString(), QString("12345678901234567"));
        QCOMPARE(json["missing"].toArray().size(), 0);
        const QJsonArray lines = json["lines"].toArray(), before = p.status()["lines"].toArray();
        QCOMPARE(lines.size(), 2);
        for (int i = 0; i < 2; ++i) {
            for (const char* key : {"id", "text", "prompt"})
                QCOMPARE(lines[i].toObject()[key], before[i].toObject()[key]);
        }
        QVERIFY(json["id"].toString() != p.status()["id"].toString()); // a project of its own

        // Somewhere else, without the picture, or with another one in its place.
        QDir().mkpath(p.cli.path("far"));
        QFile::rename(video, p.cli.path("far/out.mp4"));
        const CliResult far = p.run({"from-video", p.cli.path("far/out.mp4"), "-o", p.cli.path("far/back.loquor"), "--json"});
        COMPARE_EXIT(far, 0);
        QVERIFY2(far.errors.contains("photo.png") && far.errors.contains("--reference"), qPrintable(far.errors));
        QCOMPARE(objectOf(far)["missing"].toArray().size(), 1);
        QFile::copy(CliRunner::media("hopper.jpg"), p.cli.path("far/photo.png"));
        COMPARE_EXIT(p.run({"from-video", p.cli.path("far/out.mp4"), "-o", p.cli.path("far/c.loquor")}), 0);
        const CliResult other = p.run({"from-video", p.cli.path("far/out.mp4"), "-o", p.cli.path("far/d.loquor"), "-r", p.cli.path("far/photo.png")});
        COMPARE_EXIT(other, 0);
        QVERIFY2(other.errors.contains("will differ"), qPrintable(other.errors));
    }

    void videosWithoutAProjectSaySo()
    {
        Project p;
        const QString video = p.cli.path("plain.mp4");
        writeVideo(video, {{"title", "Not ours"}});
        const CliResult plain = p.run({"from-video", video, "-o", p.cli.path("x.loquor")});
        COMPARE_EXIT(plain, 3);
        QVERIFY2(plain.errors.contains("carries no project"), qPrintable(plain.errors));
        writeVideo(p.cli.path("bad.mp4"), {{project::kSettingsTag, "{\"format\":\"loquor-export\",\"ver"}});
        const CliResult bad = p.run({"from-video", p.cli.path("bad.mp4"), "-o", p.cli.path("x.loquor")});
        COMPARE_EXIT(bad, 3);
        QVERIFY2(bad.errors.contains("damaged"), qPrintable(bad.errors));
        QFile cut(p.cli.path("bad.mp4"));
        QVERIFY(cut.resize(200));
        COMPARE_EXIT(p.run({"from-video", p.cli.path("bad.mp4"), "-o", p.cli.path("x.loquor")}), 3);
        QVERIFY(!QFileInfo::exists(p.cli.path("x.loquor")));
        COMPARE_EXIT(p.run({"from-video", video, "-o", video, "--overwrite"}), 2);
    }

private:
    static Result<std::string> platformHash(const fs::path& file) { return project::fingerprintOf(file); }
    static void writeVideo(const QString& file, const std::map<std::string, std::string>& tags)
    {
        media::Mp4Options options;
        options.width = 64;
        options.height = 64;
        options.tags = tags;
        auto writer = media::Mp4Writer::create(file.toStdString(), options, platform::IfExists::Replace);
        QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
        for (int i = 0; i < 5; ++i)
            QVERIFY(writer->addFrame(Image(64, 64, 3)));
        QVERIFY(writer->finish());
    }
};

LOQUOR_TEST(tst_cli_project)
#include "tst_cli_project.moc"
