#include "core/speech/phoneme_client.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <csignal>
#include <thread>

using namespace loquor;
using namespace loquor::speech;

namespace {

std::string joined(const std::vector<PhonemeWord>& words)
{
    std::string out;
    for (const auto& w : words) {
        out += out.empty() ? "" : " ";
        for (const auto& p : w.phonemes)
            out += p;
    }
    return out;
}

std::vector<std::string> spans(const std::string& text, const std::vector<PhonemeWord>& words)
{
    std::vector<std::string> out;
    for (const auto& w : words)
        out.push_back(text.substr(static_cast<std::size_t>(w.begin), static_cast<std::size_t>(w.end - w.begin)));
    return out;
}

PhonemeClientOptions scriptOptions(const QTemporaryDir& folder, const char* body, int timeoutMs)
{
    QFile file(folder.filePath("helper.sh"));
    if (file.open(QIODevice::WriteOnly))
        file.write(QByteArray("#!/bin/bash\n") + body);
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return {folder.filePath("helper.sh").toStdString(), std::chrono::milliseconds(timeoutMs)};
}

} // namespace

class tst_phoneme_client : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void englishWordsAndSpans()
    {
        auto client = speechtest::makeClient();
        const std::vector<std::string> texts{"Dr. Smith paid 1,234 dollars", "out of the well-known house at 10:30", ""};
        const auto result = client->phonemes("en-us", texts);
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QCOMPARE(result->size(), std::size_t(3));
        QVERIFY((spans(texts[0], (*result)[0]) == std::vector<std::string>{"Dr", "Smith", "paid", "1,234", "dollars"}));
        QVERIFY((spans(texts[1], (*result)[1]) == std::vector<std::string>{"out of", "the", "well-known", "house", "at", "10:30"}));
        QCOMPARE(joined((*result)[0]), std::string("dˈɑːktɚ smˈɪθ pˈeɪd wˈʌnθˈaʊzəndtˈuːhˈʌndɹɪdθˈɜːɾifˈoːɹ dˈɑːlɚz"));
        QVERIFY((*result)[2].empty());
    }

    void otherLanguages_data()
    {
        QTest::addColumn<QString>("voice");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("words");
        QTest::addColumn<QString>("ipa");
        QTest::newRow("es") << "es" << "El niño come 3 manzanas" << 5 << "el nˈiɲo kˈome tɾˈes manθˈanas";
        QTest::newRow("vi") << "vi" << "Xin chào các bạn" << 4 << "sˈin tʃˈaː2w kˌaːɜc bˈaː6n";
        QTest::newRow("zh") << "cmn-latn-pinyin" << "我们去北京" << 5 << "wˈo2 mˈə1n tɕhˈy5 pˈei2 tɕˈi5ŋ";
        QTest::newRow("id") << "id" << "magandang umaga" << 2 << "maɡˈandaŋ umˈaɡa";
    }
    void otherLanguages()
    {
        QFETCH(QString, voice);
        QFETCH(QString, text);
        QFETCH(int, words);
        QFETCH(QString, ipa);
        auto client = speechtest::makeClient();
        const std::vector<std::string> texts{text.toStdString()};
        const auto result = client->phonemes(voice.toStdString(), texts);
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QCOMPARE(static_cast<int>((*result)[0].size()), words);
        QCOMPARE(QString::fromStdString(joined((*result)[0])), ipa);
    }

    void symbolsBecomePlain_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<bool>("stressed");
        QTest::newRow("stress") << "ˈoʊ" << "oʊ" << true;
        QTest::newRow("secondary") << "ˌɑː" << "ɑː" << false;
        QTest::newRow("tone") << "ˈaː2" << "aː" << true;
        QTest::newRow("tone mark") << "ˌaːɜ" << "aː" << false;
        QTest::newRow("aspiration") << "tɕh" << "tɕ" << false;
        QTest::newRow("h") << "h" << "h" << false;
        QTest::newRow("retroflex") << "ts.h" << "tʂ" << false;
        QTest::newRow("nurse") << "ˈɜː" << "ɜː" << true;
        QTest::newRow("pause") << "" << "" << false;
    }
    void symbolsBecomePlain()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(bool, stressed);
        bool got = !stressed;
        QCOMPARE(QString::fromStdString(plainSymbol(from.toStdString(), got)), to);
        QCOMPARE(got, stressed);
    }

    void speechHasSoundAndTimes()
    {
        auto client = speechtest::makeClient();
        const auto speech = client->speak("es", "Hola, ¿cómo estás?");
        QVERIFY2(speech.has_value(), speech ? "" : speech.error().text().c_str());
        QCOMPARE(speech->sampleRate, 22050);
        QVERIFY(speech->pcm.size() > 15000);
        QCOMPARE(speech->words.size(), std::size_t(3));
        QVERIFY(std::is_sorted(speech->wordSamples.begin(), speech->wordSamples.end()));
        QVERIFY(speech->sounds.size() >= 13);
        const auto slow = client->speak("es", "Hola, ¿cómo estás?", {0.7, 0, Writing::Plain});
        QVERIFY(slow->pcm.size() > speech->pcm.size() * 12 / 10);
        const auto again = client->speak("es", "Hola, ¿cómo estás?");
        QVERIFY(again->pcm == speech->pcm); // whatever was said in between
    }

    void unknownVoiceIsAnError()
    {
        auto client = speechtest::makeClient();
        const auto result = client->speak("xx-klingon", "nuqneH");
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(client->speak("en-us", "still alive").has_value());
    }

    void deadHelperIsStartedAgain()
    {
        auto client = speechtest::makeClient();
        QVERIFY(client->warmUp().has_value());
        const int first = client->helperPid();
        QVERIFY(first > 0);
        QCOMPARE(::kill(first, SIGKILL), 0);
        const auto result = client->speak("en-us", "hello");
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY(client->helperPid() > 0);
        QVERIFY(client->helperPid() != first);
    }

    void hangingHelperTimesOutAndRecovers()
    {
        PhonemeClientOptions options;
        options.program = speechtest::helperProgram();
        options.timeout = std::chrono::milliseconds(3000);
        PhonemeClient client(options);
        QVERIFY(client.warmUp().has_value());
        ::kill(client.helperPid(), SIGSTOP);
        const auto result = client.speak("en-us", "hello");
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Timeout);
        QVERIFY(client.speak("en-us", "hello").has_value());
    }

    void cancelIsSeenAtOnce()
    {
        auto client = speechtest::makeClient();
        QVERIFY(client->warmUp().has_value());
        ::kill(client->helperPid(), SIGSTOP);
        CancelSource source;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            source.cancel();
        });
        QElapsedTimer timer;
        timer.start();
        const auto result = client->speak("en-us", "hello", {}, source.token());
        canceller.join();
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
        QVERIFY2(static_cast<double>(timer.elapsed()) < 2500 * test::slowdown(), qPrintable(QString::number(timer.elapsed())));
    }

    void missingProgramIsExplained()
    {
        PhonemeClient client(PhonemeClientOptions{"no/such/program", std::chrono::milliseconds(1000)});
        const auto result = client.warmUp();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::NotFound);
    }

    void crashingHelperIsNotRestartedForEver()
    {
        QTemporaryDir folder;
        PhonemeClient client(scriptOptions(folder, "read line; exit 3\n", 5000));
        const auto result = client.warmUp();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::ConnectionLost);
    }

    void nonsenseIsNoticed()
    {
        QTemporaryDir folder;
        PhonemeClient client(scriptOptions(folder, "while read line; do echo '{\"what\": 1}'; done\n", 5000));
        const auto result = client.warmUp();
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Corrupt);
    }
};

LOQUOR_TEST(tst_phoneme_client)
#include "tst_phoneme_client.moc"
