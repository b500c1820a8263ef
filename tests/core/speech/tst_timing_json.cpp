#include "core/speech/timing_json.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

#include <clocale>
#include <string>

using namespace loquor;
using namespace loquor::speech;

namespace {

TimingDocument example()
{
    TimingDocument d;
    d.text = "Hi chào.";
    d.timing.language = "en-us";
    d.timing.source = TimingSource::Synthesis;
    d.timing.durationSeconds = 0.8125;
    d.timing.words = {{"Hi", 0.05, 0.25, 0, 2, 1.0f}, {"chào", 0.25, 0.7, 3, 8, 0.5f}};
    // clang-format off
    d.timing.phonemes = {{"", 0, 0.05, 1, false}, {"h", 0.05, 0.1, 1, false}, {"aɪ", 0.1, 0.25, 0.25f, true},
                         {"tʃ", 0.25, 0.7, 1, false}, {"", 0.7, 0.8125, 1, false}};
    // clang-format on
    return d;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    return at == std::string::npos ? std::string("not there: ") + from : text.replace(at, from.size(), to);
}

} // namespace

class tst_timing_json : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void roundTrip()
    {
        const std::string json = writeTimingJson(example());
        const auto back = readTimingJson(json);
        QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
        QCOMPARE(back->text, example().text);
        QCOMPARE(back->timing.language, std::string("en-us"));
        QVERIFY(back->timing.source == TimingSource::Synthesis);
        QCOMPARE(back->timing.words.size(), std::size_t(2));
        QCOMPARE(back->timing.words[1].text, std::string("chào"));
        QCOMPARE(back->timing.words[1].textEnd, 8);
        QCOMPARE(back->timing.words[1].confidence, 0.5f);
        QCOMPARE(back->timing.phonemes.size(), std::size_t(5));
        QCOMPARE(back->timing.phonemes[2].symbol, std::string("aɪ"));
        QVERIFY(back->timing.phonemes[2].stressed);
        QCOMPARE(back->timing.durationSeconds, 0.8125);
        QCOMPARE(writeTimingJson(*back), json);
    }

    void numbersDoNotFollowTheLocale()
    {
        const std::string before = writeTimingJson(example());
        const std::string old = std::setlocale(LC_ALL, nullptr);
        for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
            std::setlocale(LC_ALL, name);
        const std::string after = writeTimingJson(example());
        const bool reads = readTimingJson(before).has_value();
        std::setlocale(LC_ALL, old.c_str());
        QCOMPARE(after, before);
        QVERIFY(reads);
        QVERIFY(before.find("0.8125") != std::string::npos);
    }

    void drawnGap()
    {
        TimingDocument d = example();
        d.gap = DrawnGap{25, {0, .125, .0625}};
        const auto back = readTimingJson(writeTimingJson(d));
        QVERIFY(back.has_value());
        QVERIFY(back->gap.has_value());
        QCOMPARE(back->gap->rate, 25.);
        QCOMPARE(back->gap->values, d.gap->values);
        QVERIFY(!readTimingJson(writeTimingJson(example()))->gap.has_value());
    }

    void emptyTimingIsLegal()
    {
        TimingDocument d;
        const auto back = readTimingJson(writeTimingJson(d));
        QVERIFY(back.has_value());
        QVERIFY(back->timing.source == TimingSource::None);
    }

    void badFilesAreRefused_data()
    {
        QTest::addColumn<std::string>("json");
        QTest::addColumn<QString>("says");
        const std::string good = writeTimingJson(example());
        QTest::newRow("empty") << std::string() << "not valid JSON";
        QTest::newRow("half") << good.substr(0, good.size() / 2) << "not valid JSON";
        QTest::newRow("list") << std::string("[]") << "is not an object";
        QTest::newRow("other") << std::string("{\"schema\": \"x\"}") << "schema";
        QTest::newRow("version") << replaced(good, "\"version\": 1", "\"version\": 2") << "version 2";
        QTest::newRow("source") << replaced(good, "synthesis", "magic") << "'magic'";
        QTest::newRow("string") << replaced(good, "\"duration\": 0.8125", "\"duration\": \"1\"") << "duration is not a number";
        QTest::newRow("missing") << replaced(good, "\"words\"", "\"wörds\"") << "words is missing";
        QTest::newRow("end") << replaced(good, "\"end\": 0.25", "\"end\": 0.01") << "words[0].end is not after its start";
        QTest::newRow("order") << replaced(good, "\"start\": 0.25", "\"start\": 0.2") << "words[1].start is before";
        QTest::newRow("beyond") << replaced(good, "\"end\": 0.7", "\"end\": 7.0") << "words[1].end is 7";
        QTest::newRow("span") << replaced(good, "\"text_end\": 8", "\"text_end\": 80") << "words[1].text_end is outside the text";
        QTest::newRow("negative") << replaced(good, "\"text_begin\": 3", "\"text_begin\": -3") << "outside the text";
        QTest::newRow("fraction") << replaced(good, "\"text_begin\": 3", "\"text_begin\": 3.5") << "not a whole number";
        QTest::newRow("hole") << replaced(good, "\"start\": 0.1,", "\"start\": 0.15,") << "phonemes[2].start is not where";
        QTest::newRow("short") << replaced(good, "\"duration\": 0.8125", "\"duration\": 0.9") << "end before the duration";
        QTest::newRow("flag") << replaced(good, "\"stressed\": true", "\"stressed\": 1") << "not true or false";
        QTest::newRow("confidence") << replaced(good, "\"confidence\": 0.5", "\"confidence\": 5") << "outside 0 to 1";
        const auto withGap = [&](const char* gap) { return replaced(good, "{", std::string("{\"gap\": ") + gap + ","); };
        QTest::newRow("gap list") << withGap("[]") << "gap is not an object";
        QTest::newRow("gap rate") << withGap("{\"rate\": 0, \"values\": []}") << "gap.rate is 0";
        QTest::newRow("gap value") << withGap("{\"rate\": 25, \"values\": [0, null]}") << "gap.values[1] is not a number";
        QTest::newRow("huge") << replaced(good, "0.8125", "1e400") << "";
    }
    void badFilesAreRefused()
    {
        QFETCH(std::string, json);
        QFETCH(QString, says);
        const auto result = readTimingJson(json);
        QVERIFY(!result);
        const QString text = QString::fromStdString(result.error().text());
        QVERIFY2(text.contains(says), qPrintable(text));
    }

    void filesCarryTheirNameInErrors()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("t.json").toStdString();
        QVERIFY(writeTimingFile(file, example()).has_value());
        QVERIFY(readTimingFile(file).has_value());
        QVERIFY(!QFile::exists(folder.filePath("t.json.part")));
        const auto missing = readTimingFile(folder.filePath("none.json").toStdString());
        QVERIFY(!missing);
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(QString::fromStdString(missing.error().text()).contains("none.json"));
        const auto nowhere = writeTimingFile(folder.filePath("no/such/t.json").toStdString(), example());
        QVERIFY(!nowhere);
        QCOMPARE(nowhere.error().code(), ErrorCode::NotFound);
    }

    void partsJoinIntoAWhole()
    {
        Timing whole;
        appendTiming(whole, example().timing, 0, 0);
        appendTiming(whole, example().timing, 1.0, 100);
        QCOMPARE(whole.words.size(), std::size_t(4));
        QCOMPARE(whole.words[2].textBegin, 100);
        QCOMPARE(whole.words[2].start, 1.05);
        QCOMPARE(whole.durationSeconds, 1.8125);
        double last = 0;
        for (const auto& p : whole.phonemes) {
            QCOMPARE(p.start, last);
            last = p.end;
        }
        QCOMPARE(last, whole.durationSeconds);
        QCOMPARE(whole.phonemes.size(), std::size_t(9)); // the silences at the joint are one
    }
};

LOQUOR_TEST(tst_timing_json)
#include "tst_timing_json.moc"
