#include "core/project/project_file.h"

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <QLocale>
#include <QTemporaryDir>

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
    scene.speech = {SpeechMode::Recording,
                    "Guten Tag, 1,5 Liter.\nZweite Zeile",
                    folder / "take.wav",
                    "hello",
                    "en-joe",
                    "en-us"};
    scene.background = "#102030";
    scene.prompt = "calm, smiling";
    document.output = {720, 1280, Rational::make(30000, 1001), Framing::Fit,
                       18446744073709551615ULL};
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
                       "'x'}, 'lines':[1,2]},{'id':'b','speech':{'text':'two','speed':1.25}}]}"));
        auto loaded = loadProject(file);
        QVERIFY(loaded);
        loaded->document.scenes.erase(loaded->document.scenes.begin()); // ids, not positions, match
        loaded->document.scenes.front().speech.text = "changed";
        QVERIFY(saveProject(loaded->document, file));
        const std::string text = readText(file);
        for (const char* kept : {"\"zoom\": 3", "\"hdr\": true", "\"speed\": 1.25", "changed"})
            QVERIFY2(text.find(kept) != std::string::npos, kept);
        QVERIFY(text.find("\"lines\"") == std::string::npos);

        writeText(file, json("{'format':'loquor-project','version':1, "
                             "'scenes':[{'id':'a','reference':{'file':{'path':'p.png','sha':'1f'},'"
                             "pose':'x'}}]}"));
        loaded = loadProject(file);
        QVERIFY(loaded && saveProject(loaded->document, file));
        QVERIFY(readText(file).find("\"sha\": \"1f\"") != std::string::npos);
        QVERIFY(readText(file).find("\"pose\": \"x\"") != std::string::npos);
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

    void aFailedSaveLeavesTheOldFile()
    {
        const fs::path file = folder() / "keep.loquor";
        QVERIFY(saveProject(Document(), file));
        const std::string before = readText(file);
        Document broken;
        broken.scenes.front().speech.text = "\xff\xfe";
        QCOMPARE(saveProject(broken, file).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(readText(file), before);
    }
};

LOQUOR_TEST(tst_project_file)
#include "tst_project_file.moc"
