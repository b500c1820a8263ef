#include "core/speech/align.h"
#include "core/speech/speech_commands.h"
#include "core/speech/timing_json.h"
#include "tests/core/speech/align_support.h"
#include "tests/support/readings.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "core/base/random.h"
#include "core/base/trace.h"

using namespace loquor;
using namespace loquor::speech;
using namespace loquor::speechtest;
using test::kKennedy;
using test::kTwoCities;

class tst_align : public QObject
{
    Q_OBJECT
    std::shared_ptr<PhonemeClient> m_client;
    std::unique_ptr<Aligner> m_aligner;
    AudioBlock m_kennedy;

private Q_SLOTS:
    void initTestCase()
    {
        m_client = speechtest::makeClient();
        m_aligner = std::make_unique<Aligner>(acousticModelFolder(speechtest::dataFolder()), m_client);
        m_kennedy = readRecording("jfk.wav");
        QCOMPARE(m_kennedy.sampleRate, 16000);
    }

    void kennedyIsFoundWhereHeSpeaks()
    {
        const auto result = m_aligner->align(m_kennedy, kKennedy, {});
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY(result->method == AlignMethod::Acoustic);
        QVERIFY(result->warnings.empty());
        const Timing& t = result->timing;
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(t)), QString());
        QVERIFY(t.source == TimingSource::Alignment);
        QCOMPARE(t.durationSeconds, 11.0);
        // Checked by eye against the energy of the recording.
        // clang-format off
        const std::vector<std::pair<std::string, double>> expected{
            {"And", 0.29}, {"so", 0.63}, {"my", 0.98}, {"fellow", 1.24}, {"Americans", 1.63}, {"ask", 3.25},
            {"not", 3.99}, {"what", 5.37}, {"your", 5.61}, {"country", 5.86}, {"can", 6.43}, {"do", 6.67},
            {"for", 6.91}, {"you", 7.05}, {"ask", 8.15}, {"what", 8.53}, {"you", 8.89}, {"can", 9.20},
            {"do", 9.40}, {"for", 9.63}, {"your", 9.78}, {"country", 9.99}};
        // clang-format on
        QCOMPARE(t.words.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(t.words[i].text, expected[i].first);
            const double error = std::abs(t.words[i].start - expected[i].second);
            QVERIFY2(error < (expected[i].first == "you" ? 0.08 : 0.06), (t.words[i].text + " " + std::to_string(t.words[i].start)).c_str());
            QCOMPARE(std::string(kKennedy).substr(static_cast<std::size_t>(t.words[i].textBegin), t.words[i].text.size()), t.words[i].text);
        }
        QVERIFY(readTimingJson(writeTimingJson({t, kKennedy})).has_value());
        // Stress and pauses.
        const auto pause = std::count_if(t.phonemes.begin(), t.phonemes.end(), [](const Phoneme& p) { return p.symbol.empty() && p.end - p.start > 0.4; });
        QCOMPARE(pause, 4);
        QVERIFY(std::any_of(t.phonemes.begin(), t.phonemes.end(), [](const Phoneme& p) { return p.symbol == "ʌ" && p.stressed; }));
    }

    // What the dictionary does not know is pronounced by the helper. The neural voice says it and knows when.
    void numbersAbbreviationsAndStrangeWordsAlign()
    {
        const std::string text = "Dr. Smith paid $20 to Mr. Loquorian at 10:30 [smile] for 1,234 well-known 😀 things, and "
                                 "we don’t know why.";
        AudioBlock audio{22050, 1, {}};
        const auto said = sayScript(text, {}, speechtest::dataFolder(), m_client, [&](const AudioBlock& piece) -> Result<void> {
            audio.samples.insert(audio.samples.end(), piece.samples.begin(), piece.samples.end());
            return {};
        });
        QVERIFY2(said.has_value(), said ? "" : said.error().text().c_str());
        const auto result = m_aligner->align(audio, text, {});
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY2(result->method == AlignMethod::Acoustic, result->warnings.empty() ? "" : result->warnings[0].c_str());
        QStringList words;
        for (const Word& w : result->timing.words)
            words << QString::fromStdString(w.text);
        QCOMPARE(words.join(' '), QString("Dr Smith paid $20 to Mr Loquorian at 10:30 for 1,234 well-known things and we don’t know why"));
        const auto errors = startErrors(result->timing, said->document.timing);
        QVERIFY(errors.size() >= 16);
        double sum = 0;
        for (const double e : errors)
            sum += e;
        QVERIFY2(sum / static_cast<double>(errors.size()) <= 0.04, qPrintable(QString::number(sum / static_cast<double>(errors.size()))));
        // The closure of a stop behind a fricative ("dollars to") is counted to either of them.
        QVERIFY2(errors.back() <= 0.15, qPrintable(QString::number(errors.back())));
    }

    void wrongTextIsNoticed()
    {
        const auto result = m_aligner->align(m_kennedy, "Completely other words are written here, and nobody ever said "
                                                        "them in that speech of long ago.",
                                             {});
        QVERIFY(!result || !result->warnings.empty());
        // One wrong word gets a low confidence, the others keep theirs.
        const auto one = m_aligner->align(m_kennedy, "And so, my fellow Americans: ask not what your building can do for "
                                                     "you, ask what you can do for your country.",
                                          {});
        QVERIFY(one.has_value());
        QCOMPARE(one->warnings.size(), std::size_t(1)); // it is named, and it alone
        QVERIFY2(one->warnings[0].find("\"building\" at ") != std::string::npos && one->warnings[0].find(',') == std::string::npos, one->warnings[0].c_str());
        for (const Word& w : one->timing.words)
            QVERIFY2(w.text == "building" ? w.confidence < 0.6f : w.confidence > 0.6f, w.text.c_str());
    }

    // By comparison with a reading it is less sure: most of the words that were planted are doubted, and one right
    // word in eight (short ones, and neighbours of planted words).
    void wrongWordsAreDoubtedWithoutTheModel()
    {
        AlignOptions reference;
        reference.method = AlignMethod::Reference;
        const AudioBlock audio = readRecording("two_cities.wav");
        std::string text = kTwoCities;
        std::vector<std::int32_t> places;
        for (const auto& [said, other] : {std::pair("wisdom", "building"), std::pair("incredulity", "telephone"), std::pair("Darkness", "umbrella"),
                                          std::pair("despair", "mountain"), std::pair("Heaven", "chocolate"), std::pair("authorities", "yesterday")}) {
            const std::size_t at = text.find(said);
            text.replace(at, std::strlen(said), other);
            places.push_back(static_cast<std::int32_t>(at));
        }
        const auto result = m_aligner->align(audio, text, reference);
        QVERIFY(result.has_value());
        int wrong = 0, doubted = 0, right = 0, accused = 0;
        for (const Word& word : result->timing.words) {
            const bool isWrong = std::find(places.begin(), places.end(), word.textBegin) != places.end();
            const bool isPoor = static_cast<double>(word.confidence) < kDoubtfulWord;
            ++(isWrong ? wrong : right);
            (isWrong ? doubted : accused) += isPoor;
        }
        QCOMPARE(wrong, 6);
        QVERIFY2(doubted >= 4 && accused * 6 < right, qPrintable(QString("%1 of 6, %2 of %3").arg(doubted).arg(accused).arg(right)));
        QCOMPARE(result->warnings.size(), std::size_t(1));
        const auto fine = m_aligner->align(m_kennedy, kKennedy, reference);
        QVERIFY(fine && fine->warnings.empty());
    }

    void aLongReadingIsFast()
    {
        const AudioBlock audio = readRecording("two_cities.wav"); // 48 kHz
        QCOMPARE(audio.sampleRate, 48000);
        const double start = processCpuSeconds();
        const auto result = m_aligner->align(audio, kTwoCities, {});
        const double cpu = processCpuSeconds() - start;
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY(result->method == AlignMethod::Acoustic);
        QCOMPARE(result->timing.words.size(), std::size_t(119));
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(result->timing)), QString());
        QVERIFY2(cpu <= 3.0 * test::slowdown(), qPrintable(QString::number(cpu) + " s"));
    }

    void windowsFindTheSameAsTheWhole()
    {
        // Longer than one window: the same 22 words eight times.
        std::string text = kKennedy;
        for (int i = 1; i < 8; ++i)
            text += std::string("\n\n") + kKennedy;
        const auto result = m_aligner->align(repeated(m_kennedy, 8), text, {});
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY2(result->method == AlignMethod::Acoustic, result->warnings.empty() ? "" : result->warnings[0].c_str());
        const auto once = m_aligner->align(m_kennedy, kKennedy, {});
        QCOMPARE(result->timing.words.size(), 8 * once->timing.words.size());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(result->timing)), QString());
        int far = 0;
        for (std::size_t i = 0; i < result->timing.words.size(); ++i) {
            const Word& w = once->timing.words[i % once->timing.words.size()];
            const double wanted = w.start + 11.0 * static_cast<double>(i / once->timing.words.size());
            far += std::abs(result->timing.words[i].start - wanted) > 0.1;
        }
        QVERIFY2(far <= 4, qPrintable(QString::number(far)));
    }

    void referenceMethodIsNearTheAcousticOne()
    {
        AlignOptions reference;
        reference.method = AlignMethod::Reference;
        const auto exact = m_aligner->align(m_kennedy, kKennedy, {});
        const auto warped = m_aligner->align(m_kennedy, kKennedy, reference);
        QVERIFY2(warped.has_value(), warped ? "" : warped.error().text().c_str());
        QVERIFY(warped->method == AlignMethod::Reference);
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(warped->timing)), QString());
        const auto errors = startErrors(warped->timing, exact->timing);
        QVERIFY(errors.size() >= 20);
        QVERIFY2(errors[errors.size() / 2] <= 0.06, qPrintable(QString::number(errors[errors.size() / 2])));
        QVERIFY2(errors.back() <= 0.3, qPrintable(QString::number(errors.back())));
    }

    void otherLanguagesAlign_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("text");
        QTest::newRow("es") << "es" << "Buenos días a todos. Hoy el niño come tres manzanas, y mañana vamos a la playa.";
        QTest::newRow("vi") << "vi" << "Xin chào các bạn. Hôm nay trời rất đẹp, và chúng ta đi ra biển.";
        QTest::newRow("zh") << "zh" << "我们去北京。今天天气很好，我们一起去公园。";
    }
    void otherLanguagesAlign()
    {
        QFETCH(QString, language);
        QFETCH(QString, text);
        // The same words said slower, with silence around them; espeak's events say where they are.
        SayOptions say;
        say.voice = "espeak-" + language.toStdString();
        say.speech.speed = 0.8;
        AudioBlock audio{22050, 1, std::vector<float>(22050 / 2, 0.0f)};
        const auto said = sayScript(text.toStdString(), say, speechtest::dataFolder(), m_client, [&](const AudioBlock& piece) -> Result<void> {
            audio.samples.insert(audio.samples.end(), piece.samples.begin(), piece.samples.end());
            return {};
        });
        QVERIFY2(said.has_value(), said ? "" : said.error().text().c_str());
        audio.samples.insert(audio.samples.end(), 22050 / 2, 0.0f);
        Timing expected;
        appendTiming(expected, said->document.timing, 0.5, 0);
        const auto result = m_aligner->align(audio, text.toStdString(), {});
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY(result->method == AlignMethod::Reference);
        QCOMPARE(result->timing.language, language.toStdString());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(result->timing)), QString());
        const auto errors = startErrors(result->timing, expected);
        QCOMPARE(errors.size(), expected.words.size());
        QVERIFY2(errors[errors.size() / 2] <= 0.06, qPrintable(QString::number(errors[errors.size() / 2])));
        QVERIFY2(errors.back() <= 0.2, qPrintable(QString::number(errors.back())));
    }

    void roboticEnglishFallsBack()
    {
        SayOptions say;
        say.voice = "espeak-en-us";
        AudioBlock audio{22050, 1, {}};
        const auto said = sayScript(kKennedy, say, speechtest::dataFolder(), m_client, [&](const AudioBlock& piece) -> Result<void> {
            audio.samples.insert(audio.samples.end(), piece.samples.begin(), piece.samples.end());
            return {};
        });
        QVERIFY(said.has_value());
        const auto result = m_aligner->align(audio, kKennedy, {});
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(result->timing)), QString());
        if (result->method == AlignMethod::Reference)
            QVERIFY(!result->warnings.empty());
        const auto errors = startErrors(result->timing, said->document.timing);
        QVERIFY2(errors[errors.size() / 2] <= 0.08, qPrintable(QString::number(errors[errors.size() / 2])));
    }

    void impossibleInputsAreExplained()
    {
        QCOMPARE(m_aligner->align({}, kKennedy, {}).error().code(), ErrorCode::EmptyInput);
        QCOMPARE(m_aligner->align(m_kennedy, "[smile] ...", {}).error().code(), ErrorCode::EmptyInput);
        const AudioBlock silence{16000, 1, std::vector<float>(160000, 0.0f)};
        QCOMPARE(m_aligner->align(silence, kKennedy, {}).error().code(), ErrorCode::EmptyInput);
        AudioBlock noise = silence;
        Random random(1);
        for (float& s : noise.samples)
            s = 0.2f * static_cast<float>(random.normal());
        const auto noisy = m_aligner->align(noise, kKennedy, {});
        QVERIFY(!noisy);
        QCOMPARE(noisy.error().code(), ErrorCode::InvalidArgument);
        std::string far;
        for (int i = 0; i < 20; ++i)
            far += kKennedy;
        const auto tooMuch = m_aligner->align(m_kennedy, far, {});
        QVERIFY(!tooMuch);
        QCOMPARE(tooMuch.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(tooMuch.error().text().find("belong together") != std::string::npos);
        const AudioBlock blip{16000, 1, std::vector<float>(100, 0.5f)};
        QVERIFY(!m_aligner->align(blip, kKennedy, {}));
    }

    // What is said for words by tags and dictionaries is looked for; texts and places stay those of the script.
    void whatIsSaidIsLookedFor_data()
    {
        QTest::addColumn<QString>("voice");
        QTest::addColumn<QString>("script");
        QTest::addColumn<bool>("byComparison");
        const QString english = "We kept it in [say \"SQL 9\" as \"a very old filing cabinet behind the kitchen door\"] until the winter came, and then "
                                "[ipa \"QX\" as \"wʊstəʃə\"] wrote to KDB about it.";
        const QString spanish = "Lo guardamos en [say \"SQL 9\" as \"un armario muy viejo detrás de la puerta\"] hasta el invierno, y luego "
                                "[ipa \"QX\" as \"baɾθelona\"] escribió a KDB sobre eso.";
        QTest::newRow("acoustic model") << "en_US-joe-medium" << english << false;
        QTest::newRow("comparison") << "en_US-joe-medium" << english << true;
        QTest::newRow("comparison, Spanish") << "espeak-es" << spanish << true;
    }
    void whatIsSaidIsLookedFor()
    {
        QFETCH(QString, voice);
        QFETCH(bool, byComparison);
        QFETCH(QString, script);
        const std::string text = script.toStdString();
        const Pronunciations list{{"kdb", "", "the committee of the old library", "", ""}};
        SayOptions say;
        say.voice = voice.toStdString();
        say.pronunciations = list;
        say.speech.speed = 0.9;
        AudioBlock audio{22050, 1, {}};
        const auto said = sayScript(text, say, speechtest::dataFolder(), m_client, [&](const AudioBlock& piece) -> Result<void> {
            audio.samples.insert(audio.samples.end(), piece.samples.begin(), piece.samples.end());
            return {};
        });
        QVERIFY2(said, said ? "" : said.error().text().c_str());
        AlignOptions options;
        options.method = byComparison ? AlignMethod::Reference : AlignMethod::Acoustic;
        options.pronunciations = std::make_shared<const Pronunciations>(list);
        const auto found = m_aligner->align(audio, text, options);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(found->timing)), QString());
        QStringList words;
        for (const Word& word : found->timing.words) {
            words << QString::fromStdString(word.text);
            QCOMPARE(text.substr(static_cast<std::size_t>(word.textBegin), static_cast<std::size_t>(word.textEnd - word.textBegin)), word.text);
        }
        for (const char* word : {"QX", "KDB", "SQL 9"})
            QVERIFY2(words.contains(word), qPrintable(words.join('|')));
        const auto errors = startErrors(found->timing, said->document.timing);
        QVERIFY2(errors.size() + 3 >= said->document.timing.words.size(), qPrintable(QString::number(errors.size())));
        QVERIFY2(errors[errors.size() / 2] <= 0.06 && errors.back() <= 0.25, qPrintable(QString("%1 %2").arg(errors[errors.size() / 2]).arg(errors.back())));
    }

    void missingModelFallsBackAndSaysSo()
    {
        Aligner aligner("no/such/folder", m_client);
        const auto result = aligner.align(m_kennedy, kKennedy, {});
        QVERIFY(result.has_value());
        QVERIFY(result->method == AlignMethod::Reference);
        QVERIFY(result->warnings[0].find("setup.sh") != std::string::npos);
        AlignOptions only;
        only.method = AlignMethod::Acoustic;
        QCOMPARE(aligner.align(m_kennedy, kKennedy, only).error().code(), ErrorCode::NotFound);
    }

    void stereoAtAnotherRateIsTheSame()
    {
        AudioBlock stereo{16000, 2, {}};
        for (const float s : m_kennedy.samples)
            stereo.samples.insert(stereo.samples.end(), {s, s});
        const auto a = m_aligner->align(m_kennedy, kKennedy, {});
        const auto b = m_aligner->align(stereo, kKennedy, {});
        QVERIFY(a.has_value() && b.has_value());
        QCOMPARE(writeTimingJson({a->timing, ""}), writeTimingJson({b->timing, ""}));
    }

    void cancelEndsIt()
    {
        CancelSource source;
        source.cancel();
        const auto at = m_aligner->align(m_kennedy, kKennedy, {}, source.token());
        QVERIFY(!at);
        QVERIFY(at.error().isCancelled());
        CancelSource later;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            later.cancel();
        });
        std::string text;
        for (int i = 0; i < 20; ++i)
            text += std::string(kKennedy) + "\n\n";
        const auto result = m_aligner->align(repeated(m_kennedy, 20), text, {}, later.token());
        canceller.join();
        QVERIFY(!result);
        QVERIFY(result.error().isCancelled());
    }
};

LOQUOR_TEST(tst_align)
#include "tst_align.moc"
