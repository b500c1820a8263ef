// Dictionaries: what matches, what wins, and files.
#include "core/speech/pronunciations.h"
#include "core/speech/segments.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::speech;

namespace {

Pronunciations list()
{
    Pronunciations out;
    const auto add = [&](const char* words, const char* language, const char* alias, const char* ipa = "") {
        const auto entry = makePronunciation(words, language, alias, ipa);
        if (!entry || !setPronunciation(out, *entry))
            QTest::qFail("an entry was refused", __FILE__, __LINE__);
    };
    add("sql", "", "sequel");
    add("New York", "", "the city");
    add("york", "", "yorick");
    add("US", "en", "United States");
    add("Gif", "en-gb", "jif");
    add("nguyễn", "", "", "ŋwiən");
    add("北京", "", "bei jing");
    add("C++", "", "see plus plus");
    return out;
}

QString said(const std::string& text, const std::string& language = "en-us")
{
    auto script = parseScript(text, language);
    if (!script)
        return "ERROR";
    applyPronunciations(*script, list(), language);
    QStringList out;
    for (const ScriptLine& line : script->lines) {
        for (const SpokenSegment& s : spokenSegments(line))
            out << QString::fromStdString(s.ipa.empty() ? s.text : "/" + s.ipa + "/").simplified();
    }
    return out.join('|');
}

} // namespace

class tst_pronunciations : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void wordsThatMatch_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("spoken");
        QTest::newRow("small letters match any case") << "SQL and Sql, sql!" << "sequel|and|sequel|,|sequel|!";
        QTest::newRow("capitals match themselves") << "The US is not us." << "The|United States|is not us.";
        QTest::newRow("whole words only") << "SQLite, mysql, SQL-like, SQL's" << "SQLite, mysql,|sequel|-like,|sequel|'s";
        QTest::newRow("the longest phrase") << "New York, York" << "the city|,|yorick";
        QTest::newRow("a phrase over a tag is none") << "New [smile] York" << "New|yorick";
        QTest::newRow("tags win") << "[say \"SQL\" as \"ess\"] SQL" << "ess|sequel";
        QTest::newRow("inside a stretch") << "[slow]SQL[/slow] b" << "sequel|b";
        QTest::newRow("composed and not") << "Nguye\u0302\u0303n, Nguyễn" << "/ŋwiən/|,|/ŋwiən/";
        QTest::newRow("Han has no spaces") << "我在北京。" << "我在|bei jing|。";
        QTest::newRow("with signs") << "In C++ it is." << "In|see plus plus|it is.";
        QTest::newRow("other English") << "A Gif." << "A Gif.";
    }
    void wordsThatMatch()
    {
        QFETCH(QString, text);
        QFETCH(QString, spoken);
        QCOMPARE(said(text.toStdString()), spoken);
    }

    void languagesAreKeptApart()
    {
        QCOMPARE(said("A Gif.", "en-gb"), QString("A|jif|."));
        QCOMPARE(said("US", "en-gb"), QString("United States"));
        QCOMPARE(said("US", "es"), QString("US"));
    }

    void theProjectGoesBeforeTheUser()
    {
        Pronunciations project{*makePronunciation("sql", "", "ess cue ell", "")};
        Pronunciations user{*makePronunciation("sql", "", "sequel", ""), *makePronunciation("gif", "", "jif", "")};
        const auto merged = mergedPronunciations(project, user);
        QCOMPARE(merged.size(), std::size_t(2));
        QCOMPARE(merged[0].alias, std::string("ess cue ell"));
        QCOMPARE(merged[1].words, std::string("gif"));
    }

    void onlyEntriesInUseChangeALine()
    {
        const auto all = list();
        QVERIFY(pronunciationsUsed("Nothing here.", all, "en-us").empty());
        const auto used = pronunciationsUsed("SQL here.", all, "en-us");
        QVERIFY(!used.empty());
        auto changed = all;
        changed[1].alias = "other"; // New York
        QCOMPARE(pronunciationsUsed("SQL here.", changed, "en-us"), used);
        changed[0].alias = "other";
        QVERIFY(pronunciationsUsed("SQL here.", changed, "en-us") != used);
    }

    void badEntriesAreRefused()
    {
        const auto code = [](const auto& r) { return r.error().code(); };
        QCOMPARE(code(makePronunciation("", "", "a", "")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("...", "", "a", "")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("a", "", "", "")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("a", "", "b", "b")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("a", "", "", "b7")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("a", "", "!", "")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("a[b", "", "c", "")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation(std::string(300, 'a'), "", "c", "")), ErrorCode::InvalidArgument);
        QCOMPARE(code(makePronunciation("\xF1", "", "c", "")), ErrorCode::InvalidArgument);
    }

    void filesKeepWhatTheyDoNotKnow()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "new" / "pronunciations.json";
        QVERIFY(readPronunciations(file)->empty());
        QVERIFY(writePronunciations(file, {*makePronunciation("SQL", "en", "sequel", "")}));
        QFile json(QString::fromStdString(file.string()));
        QVERIFY(json.open(QIODevice::ReadWrite));
        QByteArray bytes = json.readAll();
        bytes.replace("\"version\": 1", "\"version\": 1, \"colour\": \"red\"").replace("\"as\":", "\"note\": [1, 2], \"as\":");
        json.resize(0);
        json.seek(0);
        json.write(bytes);
        json.close();
        auto read = readPronunciations(file);
        QVERIFY(read.has_value());
        QCOMPARE(read->at(0).words, std::string("SQL"));
        QVERIFY(setPronunciation(*read, *makePronunciation("SQL", "en", "", "ˈsiːkwəl")));
        QVERIFY(setPronunciation(*read, *makePronunciation("gif", "", "jif", "")));
        QVERIFY(writePronunciations(file, *read));
        QVERIFY(json.open(QIODevice::ReadOnly));
        const QByteArray written = json.readAll();
        QVERIFY2(written.contains("\"colour\": \"red\"") && written.contains("\"note\"") && written.contains("ˈsiːkwəl"), written.constData());
        QVERIFY(removePronunciation(*read, "SQL", "EN"));
        QVERIFY(!removePronunciation(*read, "SQL", "en"));
    }

    void damagedFilesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("another file") << QByteArray("{\"format\": \"loquor-project\"}");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("entries of another kind") << QByteArray("{\"format\": \"loquor-pronunciations\", \"version\": 1, \"entries\": [1]}");
        QTest::newRow("words of another kind") << QByteArray("{\"format\": \"loquor-pronunciations\", \"version\": 1, \"entries\": [{\"words\": 1}]}");
        QTest::newRow("newer") << QByteArray("{\"format\": \"loquor-pronunciations\", \"version\": 2}");
    }
    void damagedFilesAreNamed()
    {
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        QFile file(folder.filePath("p.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        const auto read = readPronunciations(file.fileName().toStdString());
        QVERIFY(!read);
        QVERIFY2(read.error().text().find("p.json") != std::string::npos, read.error().text().c_str());
        QVERIFY(!writePronunciations(file.fileName().toStdString(), {})); // what cannot be read is not written over
    }

    void largeDictionariesAreFast()
    {
        Pronunciations many;
        for (int i = 0; i < 5000; ++i)
            many.push_back(*makePronunciation("word" + std::to_string(i), "", "other", ""));
        std::string text;
        for (int i = 0; i < 20000; ++i)
            text += "Word" + std::to_string(i) + ". ";
        QElapsedTimer timer;
        timer.start();
        auto script = parseScript(text, "en-us");
        QVERIFY(script.has_value());
        applyPronunciations(*script, many, "en-us");
        QVERIFY2(static_cast<double>(timer.elapsed()) < 10000 * test::slowdown(), qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(script->lines[0].spans.size(), std::size_t(1));
    }
};

LOQUOR_TEST(tst_pronunciations)
#include "tst_pronunciations.moc"
