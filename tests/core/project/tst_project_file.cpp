#include "core/project/project_file.h"

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <QLocale>
#include <QTemporaryDir>

#include "core/base/trace.h"
#include "core/project/script_text.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;
namespace fs = std::filesystem;

namespace {

Document filled(const fs::path& folder)
{
    Document document;
    Scene& scene = document.scenes.front();
    scene.reference = {folder / "photos" / "Zoë 🙂.jpg", 2, "2026-11-30T10:00:00Z"};
    document.id = 0xFEDCBA9876543210ULL;
    scene.leadIn = "\n ";
    scene.lines.push_back({0xFFFFFFFFFFFFFFFFULL, "Guten Tag, 1,5 Liter.", std::nullopt, "smiling 🙂", "de", 0.25, 18446744073709551615ULL, 7, "", ""});
    scene.lines.push_back({1, "Zweite\nZeile", std::nullopt, "", "", std::nullopt, 0, 0, "\n", R"({"mood":[1,2.5]})", LineCaptions{"zweite zeile", {{"Die zweite\nZeile", 0, {}}, {"ist das.", 1, R"({"loud":true})"}}, R"({"by":"me"})"}});
    scene.speech = {SpeechMode::Recording,
                    folder / "take.wav",
                    "hello",
                    "en-joe",
                    "en-us"};
    scene.background = "#102030";
    scene.prompt = "calm, smiling";
    document.pronunciations = {{"SQL", "en", "sequel", "", ""}, {"Worcester", "", "", "ˈwʊstə", R"({"by":"anna"})"}};
    document.output = {720, 1280, Rational::make(30000, 1001), Framing::Fit,
                       18446744073709551615ULL,
                       "flashtalk-14b"};
    return document;
}

std::string readText(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream out;
    out << stream.rdbuf();
    return out.str();
}

// JSON with ' for ", which keeps the examples readable.
std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

void writeText(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

class tst_project_file : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path folder() const { return m_dir.path().toStdString(); }

private Q_SLOTS:
    void roundTripKeepsEverything()
    {
        const Document document = filled(folder());
        const fs::path file = folder() / "ein Projekt.loquor";
        QVERIFY(saveProject(document, file));
        auto loaded = loadProject(file);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        loaded->document.preserved.clear();
        QVERIFY(loaded->document == document);
        QCOMPARE(loaded->missing.size(), std::size_t(2)); // photo and recording were never made
    }

    void unknownFieldsSurviveASave()
    {
        const fs::path file = folder() / "future.loquor";
        writeText(file,
                  json("{'format':'loquor-project','version':1,'studio':{'zoom':3}, "
                       "'output':{'width':640,'height':360,'hdr':true}, "
                       "'scenes':[{'id':'a','reference':{'file':{'path':'p.png','sha':'1f'},'pose':"
                       "'x'}, 'marks':[1,2]},{'id':'b','speech':{'text':'two','speed':1.25}}]}"));
        auto loaded = loadProject(file);
        QVERIFY(loaded);
        loaded->document.scenes.erase(loaded->document.scenes.begin()); // ids, not positions, match
        loaded->document.scenes.front().lines.front().text = "changed";
        QVERIFY(saveProject(loaded->document, file));
        const std::string text = readText(file);
        for (const char* kept : {"\"zoom\": 3", "\"hdr\": true", "\"speed\": 1.25", "changed"})
            QVERIFY2(text.find(kept) != std::string::npos, kept);
        QVERIFY(text.find("\"marks\"") == std::string::npos);

        writeText(file, json("{'format':'loquor-project','version':1, "
                             "'scenes':[{'id':'a','reference':{'file':{'path':'p.png','sha':'1f'},'"
                             "pose':'x'}}]}"));
        loaded = loadProject(file);
        QVERIFY(loaded && saveProject(loaded->document, file));
        QVERIFY(readText(file).find("\"sha\": \"1f\"") != std::string::npos);
        QVERIFY(readText(file).find("\"pose\": \"x\"") != std::string::npos);
    }

    void howARecordingIsTakenInIsKept()
    {
        using namespace std::chrono_literals;
        Document document = filled(folder());
        Line line = makeLine(77, "said");
        line.recording = Recording{folder() / "a.wav", "5eed", 1920, 96'000};
        document.scenes.front().lines.push_back(line);
        const fs::path file = folder() / "import.loquor";
        QVERIFY(saveProject(document, file));
        for (const char* field : {"\"stream\"", "\"in\"", "\"out\"", "\"loudness\"", "\"denoise\""})
            QVERIFY2(readText(file).find(field) == std::string::npos, field); // as before there was anything to choose
        media::SoundImport& import = document.scenes.front().lines.back().recording->import;
        import.stream = 2;
        import.from = 1500ms;
        import.to = 3723456789us;
        import.loudness = import.denoise = true;
        QLocale::setDefault(QLocale(QLocale::German));
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        const bool saved = saveProject(document, file).has_value();
        std::setlocale(LC_ALL, "C");
        QLocale::setDefault(QLocale::c());
        QVERIFY(saved);
        std::string text = readText(file);
        for (const char* field : {"\"stream\": 2", "\"in\": 1.5", "\"out\": 3723.456789", "\"loudness\": true", "\"denoise\": true"})
            QVERIFY2(text.find(field) != std::string::npos, field);
        auto loaded = loadProject(file);
        QVERIFY(loaded);
        loaded->document.preserved.clear();
        QVERIFY(loaded->document == document);
        // What a later version adds stays.
        text.replace(text.find("\"stream\": 2"), 11, "\"stream\": 2, \"gate\": {\"db\": -50}");
        writeText(file, text);
        loaded = loadProject(file);
        QVERIFY(loaded && saveProject(loaded->document, file));
        QVERIFY(readText(file).find("\"gate\"") != std::string::npos);
    }

    void case_157_paths_are_relative_inside_the_folder()
    {
        const fs::path home = folder() / "before", moved = folder() / "after";
        fs::create_directories(home / "photos");
        writeText(home / "photos" / "a.jpg", "x");
        Document document;
        document.scenes.front().reference.file = home / "photos" / "a.jpg";
        QVERIFY(saveProject(document, home / "p.loquor"));
        QVERIFY(readText(home / "p.loquor").find(home.string()) == std::string::npos);
        fs::rename(home, moved);
        const auto loaded = loadProject(moved / "p.loquor");
        QVERIFY(loaded);
        QCOMPARE(loaded->document.scenes.front().reference.file, moved / "photos" / "a.jpg");
        QVERIFY(loaded->missing.empty());
    }

    void aFileOutsideTheFolderIsFoundAgain()
    {
        fs::create_directories(folder() / "library");
        fs::create_directories(folder() / "one" / "deep");
        writeText(folder() / "library" / "a.jpg", "x");
        Document document;
        document.scenes.front().reference.file = folder() / "library" / "a.jpg";
        QVERIFY(saveProject(document, folder() / "one" / "p.loquor"));
        fs::rename(folder() / "one" / "p.loquor", folder() / "one" / "deep" / "p.loquor");
        const auto loaded = loadProject(folder() / "one" / "deep" / "p.loquor");
        QVERIFY(loaded && loaded->missing.empty());
    }

    void decimalCommaNeverReachesTheFile()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        std::setlocale(LC_ALL, "de_DE.UTF-8"); // has no effect where that locale is not installed
        const fs::path file = folder() / "komma.loquor";
        writeText(
            file,
            json("{'format':'loquor-project','version':1,'gain':0.75, 'output':{'fps':'29.97'}}"));
        const auto loaded = loadProject(file);
        const bool saved = loaded && saveProject(loaded->document, file).has_value();
        std::setlocale(LC_ALL, "C");
        QLocale::setDefault(QLocale::c());
        QVERIFY(saved);
        QVERIFY(readText(file).find("\"gain\": 0.75") != std::string::npos);
        QVERIFY(readText(file).find("\"fps\": \"30000/1001\"") != std::string::npos);
    }

    void damagedFilesSayWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("mentions");
        const auto row = [](const char* name, const std::string& content, ErrorCode code,
                            const char* mentions) {
            QTest::newRow(name) << QByteArray::fromStdString(content) << static_cast<int>(code)
                                << QByteArray(mentions);
        };
        row("empty", "", ErrorCode::Corrupt, "not valid JSON");
        row("cut", json("{'format':'loquor-project','ver"), ErrorCode::Corrupt, "not valid JSON");
        row("other", json("{'format':'gimp'}"), ErrorCode::Corrupt, "not a Loquor project");
        row("list", "[]", ErrorCode::Corrupt, "not a Loquor project");
        row("newer", json("{'format':'loquor-project','version':99}"), ErrorCode::Unsupported,
            "newer");
        row("no version", json("{'format':'loquor-project'}"), ErrorCode::Corrupt, "version");
        row("bad line",
            json("{'format':'loquor-project','version':2,'scenes':[{'lines':[{'text':'a'},{'text':7}]}]}"),
            ErrorCode::Corrupt, "scenes[0].lines[1].text");
        row("bad lines", json("{'format':'loquor-project','version':2,'scenes':[{'lines':'x'}]}"),
            ErrorCode::Corrupt, "scenes[0].lines");
        row("bad id", json("{'format':'loquor-project','version':2,'scenes':[{'lines':[{'id':'xyz'}]}]}"),
            ErrorCode::Corrupt, "scenes[0].lines[0].id");
        row("bad pause", json("{'format':'loquor-project','version':2,'scenes':[{'lines':[{'pauseAfter':-1}]}]}"),
            ErrorCode::Corrupt, "pauseAfter");
        row("text between lines", json("{'format':'loquor-project','version':2,'scenes':[{'lines':[{'after':'x'}]}]}"),
            ErrorCode::Corrupt, "after");
        const auto recording = [&row](const char* name, const std::string& fields, const char* mentions) {
            row(name, json("{'format':'loquor-project','version':2,'scenes':[{'lines':[{'recording':{'file':{'path':'a.wav'},"
                           "'sha256':'ab','firstSample':0,'samples':9," +
                           fields + "}}]}]}"),
                ErrorCode::Corrupt, mentions);
        };
        recording("bad in", "'in':'1 s'", "recording.in");
        recording("in before the start", "'in':-1", "recording.in");
        recording("out before in", "'in':5,'out':4", "recording.out");
        recording("bad stream", "'stream':1.5", "recording.stream");
        recording("bad loudness", "'loudness':1", "recording.loudness");
        row("bad project id", json("{'format':'loquor-project','version':2,'id':'12345678901234567'}"),
            ErrorCode::Corrupt, "'id'");
        row("bad text",
            json("{'format':'loquor-project','version':1,'scenes':[{'speech':{'text':7}}]}"),
            ErrorCode::Corrupt, "scenes[0].speech.text");
        row("bad scenes", json("{'format':'loquor-project','version':1,'scenes':{}}"),
            ErrorCode::Corrupt, "scenes");
        row("bad rate", json("{'format':'loquor-project','version':1,'output':{'fps':'fast'}}"),
            ErrorCode::Corrupt, "output.fps");
        row("negative", json("{'format':'loquor-project','version':1,'output':{'width':-4}}"),
            ErrorCode::Corrupt, "output.width");
        row("binary", "\x89PNG\r\n", ErrorCode::Corrupt, "not valid JSON");
    }

    void damagedFilesSayWhatIsWrong()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, code);
        QFETCH(QByteArray, mentions);
        const fs::path file = folder() / "bad.loquor";
        writeText(file, content.toStdString());
        const auto loaded = loadProject(file);
        QVERIFY(!loaded);
        QCOMPARE(static_cast<int>(loaded.error().code()), code);
        QVERIFY2(loaded.error().text().find(mentions.toStdString()) != std::string::npos,
                 loaded.error().text().c_str());
    }

    void missingFileAndFolder()
    {
        QCOMPARE(loadProject(folder() / "nowhere.loquor").error().code(), ErrorCode::NotFound);
        QCOMPARE(saveProject(Document(), folder() / "no" / "p.loquor").error().code(),
                 ErrorCode::NotFound);
        QCOMPARE(saveProject(Document(), folder()).error().code(), ErrorCode::InvalidArgument);
    }

    void savingReplacesAsAWholeAndFollowsLinks()
    {
        fs::create_directories(folder() / "real");
        const fs::path file = folder() / "real" / "p.loquor", link = folder() / "link.loquor";
        writeText(file, "old");
        fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
        fs::create_symlink(file, link);
        QVERIFY(saveProject(Document(), link));
        QVERIFY(fs::is_symlink(link));
        QVERIFY(loadProject(file));
        QCOMPARE(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        QCOMPARE(std::distance(fs::directory_iterator(folder() / "real"), {}), std::ptrdiff_t(1));
    }

    void badCaptionsAreDamage_data()
    {
        QTest::addColumn<QString>("captions");
        QTest::newRow("no list") << "{'words': 'a'}";
        QTest::newRow("empty") << "{'words': 'a', 'list': []}";
        QTest::newRow("no text") << "{'words': 'a', 'list': [{'firstWord': 0}]}";
        QTest::newRow("begins late") << "{'words': 'a', 'list': [{'text': 'a', 'firstWord': 1}]}";
        QTest::newRow("goes back") << "{'words': 'a', 'list': [{'text': 'a', 'firstWord': 0}, {'text': 'b', 'firstWord': 0}]}";
        QTest::newRow("negative") << "{'words': 'a', 'list': [{'text': 'a', 'firstWord': -1}]}";
        QTest::newRow("no object") << "{'words': 'a', 'list': ['a']}";
        QTest::newRow("a text") << "'a'";
    }
    void badCaptionsAreDamage()
    {
        QFETCH(QString, captions);
        const auto loaded = fromJson(json("{'format':'loquor-project','version':2,'scenes':[{'lines':[{'text':'a b','captions':" +
                                          captions.toStdString() + "}]}]}"),
                                     "/tmp");
        QVERIFY(!loaded);
        QCOMPARE(loaded.error().code(), ErrorCode::Corrupt);
        QVERIFY2(loaded.error().message().find("captions") != std::string::npos, loaded.error().message().c_str());
    }

    void unknownFieldsOfLinesFollowTheirLine()
    {
        const fs::path file = folder() / "lines.loquor";
        writeText(file, json("{'format':'loquor-project','version':2,'id':'00000000000000ff','scenes':[{'id':'a','lines':["
                             "{'id':'1','text':'One.','mood':{'deep':[1,2]}},{'id':'2','text':'Two.'}]}]}"));
        auto loaded = loadProject(file);
        QVERIFY(loaded);
        QVERIFY(!loaded->mustBeSaved);
        QCOMPARE(loaded->document.id, std::uint64_t(255));
        std::swap(loaded->document.scenes[0].lines[0], loaded->document.scenes[0].lines[1]);
        QVERIFY(saveProject(loaded->document, file));
        loaded = loadProject(file);
        QVERIFY(loaded);
        QCOMPARE(loaded->document.scenes[0].lines[1].id, std::uint64_t(1));
        QCOMPARE(loaded->document.scenes[0].lines[1].preserved, std::string(R"({"mood":{"deep":[1,2]}})"));
    }

    void version1BecomesLinesAndIsKept()
    {
        const fs::path file = folder() / "old.loquor";
        const std::string old = json("{'format':'loquor-project','version':1,'zoom':3,'scenes':[{'id':'a',"
                                     "'speech':{'text':'\\nFirst one. Second one!\\n\\nThird 🙂 ','voice':'v','speed':1.5}}]}");
        writeText(file, old);
        auto loaded = loadProject(file);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QVERIFY(loaded->mustBeSaved);
        QVERIFY(loaded->document.id != 0);
        const Scene& scene = loaded->document.scenes.front();
        QCOMPARE(scene.lines.size(), std::size_t(3));
        QCOMPARE(scene.lines[1].text, std::string("Second one!"));
        QCOMPARE(scriptText(scene), std::string("\nFirst one. Second one!\n\nThird 🙂 "));
        const auto again = loadProject(file);
        QVERIFY(again && again->document.scenes == loaded->document.scenes); // the same ids until it is saved
        QVERIFY(saveProject(loaded->document, file));
        QCOMPARE(readText(folder() / "old.loquor.v1"), old);
        const auto saved = loadProject(file);
        QVERIFY(saved && !saved->mustBeSaved);
        QVERIFY(saved->document.scenes == loaded->document.scenes);
        QCOMPARE(saved->document.id, loaded->document.id);
        const std::string text = readText(file);
        for (const char* kept : {"\"zoom\": 3", "\"speed\": 1.5", "\"version\": 2", "\"savedBy\": \"Loquor "})
            QVERIFY2(text.find(kept) != std::string::npos, kept);
        // A second save of what was read from version 1 does not overwrite the copy.
        QVERIFY(saveProject(loaded->document, file));
        QCOMPARE(readText(folder() / "old.loquor.v1"), old);
    }

    void idsThatAreMissingOrTwiceAreRepaired()
    {
        const std::string text = json("{'format':'loquor-project','version':2,'scenes':[{'lines':["
                                      "{'id':'5','text':'a'},{'id':'5','text':'a'},{'text':'a'},{'text':'a'}]}]}");
        ReadNotes notes;
        const auto document = fromJson(text, folder(), &notes);
        QVERIFY(document);
        std::set<std::uint64_t> ids;
        for (const Line& line : document->scenes[0].lines)
            ids.insert(line.id);
        QCOMPARE(ids.size(), std::size_t(4));
        QVERIFY(ids.count(0) == 0);
        QCOMPARE(document->scenes[0].lines[0].id, std::uint64_t(5));
        QVERIFY(notes.idsGiven);
        QCOMPARE(notes.warnings.size(), std::size_t(1));
        QVERIFY(fromJson(text, folder())->scenes == document->scenes);
    }

    void aChangeByAnotherProgramIsSeen()
    {
        const fs::path file = folder() / "shared.loquor";
        const auto first = saveProject(newDocument(randomIds()), file);
        QVERIFY(first);
        QCOMPARE(*first, loadProject(file)->fingerprint);
        Document mine = loadProject(file)->document;
        mine.scenes.front().prompt = "mine";
        const auto second = saveProject(mine, file, *first);
        QVERIFY(second && *second != *first);
        writeText(file, readText(file) + " ");
        const std::string theirs = readText(file);
        const auto refused = saveProject(mine, file, *second);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code(), ErrorCode::PermissionDenied);
        QVERIFY(refused.error().text().find("another program") != std::string::npos);
        QCOMPARE(readText(file), theirs);
        fs::remove(file); // deleted meanwhile: saving brings it back
        QVERIFY(saveProject(mine, file, *second));
    }

    void case_146_names_of_any_kind_and_length()
    {
        const std::vector<std::string> names{"Zoë 🙂.loquor", "日本語の企画.loquor", "new\nline.loquor",
                                             std::string(248, 'x') + ".loquor", "-rf.loquor", "a:b?*.loquor"};
        for (const std::string& name : names) {
            const fs::path file = folder() / name;
            QVERIFY2(saveProject(newDocument(randomIds()), file), name.c_str());
            QVERIFY2(loadProject(file), name.c_str());
        }
        QCOMPARE(saveProject(Document(), folder() / (std::string(256, 'x'))).error().code(), ErrorCode::InvalidArgument);
    }

    void tenThousandLinesInLinearTime()
    {
        const auto cost = [&](int count) {
            Document document = newDocument(randomIds());
            for (int i = 0; i < count; ++i)
                document.scenes[0].lines.push_back(makeLine(std::uint64_t(i + 1), "This is line number " + std::to_string(i) + '.'));
            const fs::path file = folder() / "long.loquor";
            const double before = threadCpuSeconds();
            const bool ok = saveProject(document, file) && loadProject(file)->document.scenes == document.scenes;
            return ok ? threadCpuSeconds() - before : 1e9;
        };
        cost(1000);
        const double small = cost(2500), large = cost(10'000);
        QVERIFY2(large < 4 * small * 2.5, qPrintable(QString("%1 s and %2 s").arg(small).arg(large)));
    }

    void recordedLinesKeepTheirPart()
    {
        Document document = newDocument(randomIds());
        const Recording part{folder() / "sound" / "anna.wav", "ab12", 643'200, 528'000'000'000};
        for (std::uint64_t id : {1, 2}) {
            document.scenes[0].lines.push_back(makeLine(id, id == 1 ? "" : "Said."));
            document.scenes[0].lines.back().recording = part;
        }
        const fs::path file = folder() / "recorded.loquor";
        QVERIFY(saveProject(document, file));
        const auto loaded = loadProject(file);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QVERIFY(loaded->document.scenes == document.scenes);
        QCOMPARE(loaded->missing, std::vector<fs::path>{part.file}); // once
        std::string json = *toJson(document, folder());
        QVERIFY(json.find("sound/anna.wav") != std::string::npos);
        const std::vector<std::pair<std::string, std::string>> damages{
            {"\"samples\": 528000000000", "\"samples\": -1"},
            {"\"samples\": 528000000000", "\"samples\": 0"},
            {"\"firstSample\": 643200", "\"firstSample\": \"x\""},
            {"\"sha256\": \"ab12\"", "\"sha256\": \"\""}};
        for (const auto& [from, to] : damages) {
            std::string damaged = json;
            damaged.replace(damaged.find(from), from.size(), to);
            QCOMPARE(fromJson(damaged, folder()).error().code(), ErrorCode::Corrupt);
        }
    }

    void aFailedSaveLeavesTheOldFile()
    {
        const fs::path file = folder() / "keep.loquor";
        QVERIFY(saveProject(Document(), file));
        const std::string before = readText(file);
        Document broken;
        broken.scenes.front().lines.push_back(makeLine(1, "\xff\xfe"));
        QCOMPARE(saveProject(broken, file).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(readText(file), before);
    }
};

LOQUOR_TEST(tst_project_file)
#include "tst_project_file.moc"
