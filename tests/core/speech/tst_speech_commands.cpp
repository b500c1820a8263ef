#include "core/speech/speech_commands.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace loquor;
using namespace loquor::speech;

class tst_speech_commands : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aScriptIsSaidWithItsTimes()
    {
        const std::string text = "\xEF\xBB\xBFHello there. [nod] How are you?\r\n\r\nI am [wiggle] fine, [smile] thanks.";
        auto client = speechtest::makeClient();
        SayOptions options;
        options.voice = "espeak-en-us"; // quick
        AudioBlock all{22050, 1, {}};
        const auto said = sayScript(text, options, speechtest::dataFolder(), client, [&](const AudioBlock& piece) -> Result<void> {
            all.samples.insert(all.samples.end(), piece.samples.begin(), piece.samples.end());
            return {};
        });
        QVERIFY2(said.has_value(), said ? "" : said.error().text().c_str());
        QCOMPARE(said->samples, all.frames());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(said->document.timing)), QString());
        QCOMPARE(said->document.timing.durationSeconds, all.seconds());
        QStringList words;
        for (const Word& w : said->document.timing.words) {
            words << QString::fromStdString(w.text);
            QCOMPARE(said->document.text.substr(static_cast<std::size_t>(w.textBegin), static_cast<std::size_t>(w.textEnd - w.textBegin)), w.text);
        }
        QCOMPARE(words.join(' '), QString("Hello there How are you I am fine thanks"));
        QCOMPARE(said->cues.size(), std::size_t(2));
        QCOMPARE(said->cues[0].name, std::string("nod"));
        QCOMPARE(said->cues[0].seconds, said->document.timing.words[2].start);
        QVERIFY(std::abs(said->cues[1].seconds - said->document.timing.words.back().start) < 1e-9);
        QCOMPARE(said->warnings.size(), std::size_t(1));
        QVERIFY(said->warnings[0].starts_with("Line 3, column 6: Unknown direction [wiggle]"));
        QVERIFY(readTimingJson(writeTimingJson(said->document)).has_value());
    }

    void errorsOfTheSinkEndEverything()
    {
        auto client = speechtest::makeClient();
        SayOptions options;
        options.voice = "espeak-en-us";
        const auto said = sayScript("One. Two.", options, speechtest::dataFolder(), client,
                                    [](const AudioBlock&) -> Result<void> { return fail(ErrorCode::DiskFull, "full"); });
        QVERIFY(!said);
        QCOMPARE(said.error().code(), ErrorCode::DiskFull);
        QVERIFY(said.error().text().find("line 1") != std::string::npos);
    }

    void textThatTheVoiceCannotSayIsAnError()
    {
        auto client = speechtest::makeClient();
        const auto empty = sayScript(" ", {}, speechtest::dataFolder(), client, [](const AudioBlock&) -> Result<void> { return {}; });
        QCOMPARE(empty.error().code(), ErrorCode::EmptyInput);
        SayOptions options;
        options.voice = "espeak-xx";
        const auto unknown = sayScript("Hi", options, speechtest::dataFolder(), client, [](const AudioBlock&) -> Result<void> { return {}; });
        QCOMPARE(unknown.error().code(), ErrorCode::InvalidArgument);
    }

    // Without a mark or a break anywhere. The memory is that of a clause.
    void tenThousandWordsInOneLine()
    {
        std::string text;
        for (int i = 0; i < 10'000; ++i)
            text += "go ";
        SayOptions options;
        options.voice = "espeak-en-us";
        options.speech.speed = 2;
        std::int64_t samples = 0, longest = 0;
        const auto said = sayScript(text, options, speechtest::dataFolder(), speechtest::makeClient(), [&](const AudioBlock& piece) -> Result<void> {
            samples += piece.frames();
            longest = std::max(longest, piece.frames());
            return {};
        });
        QVERIFY2(said.has_value(), said ? "" : said.error().text().c_str());
        QCOMPARE(said->document.timing.words.size(), std::size_t(10'000));
        QCOMPARE(said->samples, samples);
        QVERIFY2(longest < 30 * 22050, qPrintable(QString::number(longest)));
    }
};

LOQUOR_TEST(tst_speech_commands)
#include "tst_speech_commands.moc"
