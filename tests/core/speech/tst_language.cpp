#include "core/speech/language.h"
#include "core/speech/respelling.h"
#include "core/speech/utf8.h"
#include "tests/support/test_main.h"

using namespace loquor::speech;

class tst_language : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void guesses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("language");
        QTest::newRow("en") << "Ask not what your country can do for you." << "en-us";
        QTest::newRow("en with name") << "The café in El Paso is run by Señora Nguyễn and it is good." << "en-us";
        QTest::newRow("es") << "Buenos días a todos, hoy hablamos de la casa." << "es";
        QTest::newRow("es marks") << "¿Qué tal, niño?" << "es";
        QTest::newRow("vi") << "Xin chào các bạn, hôm nay trời đẹp." << "vi";
        QTest::newRow("vi decomposed") << QString("Xin chào các bạn, hôm nay trời đẹp.").normalized(QString::NormalizationForm_D) << "vi";
        QTest::newRow("zh") << "我们去北京。" << "zh";
        QTest::newRow("zh in English") << "The word 北 means north and nothing else." << "en-us";
        QTest::newRow("ja") << "今日はいい天気ですね" << "ja";
        QTest::newRow("digits") << "12 34" << "en-us";
        QTest::newRow("empty") << "" << "en-us";
    }
    void guesses()
    {
        QFETCH(QString, text);
        QFETCH(QString, language);
        QCOMPARE(QString::fromStdString(guessLanguage(text.toStdString()).language), language);
    }

    void tagsAreNormalized()
    {
        QCOMPARE(normalizedLanguage("en_US.UTF-8"), std::string("en-us"));
        QCOMPARE(normalizedLanguage("EN"), std::string("en-us"));
        QCOMPARE(normalizedLanguage("zh-Hans-CN"), std::string("zh"));
        QCOMPARE(normalizedLanguage("tl"), std::string("fil"));
        QCOMPARE(normalizedLanguage("es-MX"), std::string("es-419"));
        QCOMPARE(normalizedLanguage("vi-VN"), std::string("vi"));
        QCOMPARE(normalizedLanguage(""), std::string());
        QCOMPARE(espeakVoiceName("zh-CN"), std::string("cmn-latn-pinyin"));
        QCOMPARE(espeakVoiceName("fil"), std::string("id"));
    }

    void respellingLeadsBackToTheSource()
    {
        const std::string source = "so\u00ADft Vie\u0323\u0302t"; // soft hyphen; e + dot below + circumflex
        const Respelling r = respell(source, "vi");
        QCOMPARE(r.text, std::string("soft Vi\u1EC7t"));
        QCOMPARE(r.origin.size(), r.text.size() + 1);
        QCOMPARE(r.origin[2], 4);  // f
        QCOMPARE(r.origin[7], 9);  // the composed letter begins at its base letter
        QCOMPARE(r.origin.back(), static_cast<std::int32_t>(source.size()));
    }

    void filipinoIsWrittenForTheIndonesianVoice()
    {
        QCOMPARE(respell("Ang mga bata ng quezo, cine, llave", "fil").text, std::string("ang manga bata nang kezo, sine, lyave"));
        QCOMPARE(respell("TP. Hồ", "vi").text, std::string("TP  Hồ"));
        QCOMPARE(respell("Dr. Lee", "en-us").text, std::string("Dr. Lee"));
    }

    void invalidUtf8IsFound()
    {
        QVERIFY(!firstInvalidUtf8("chào 😀"));
        QCOMPARE(firstInvalidUtf8("ab\xFF").value(), std::size_t(2));
        QCOMPARE(firstInvalidUtf8("\xED\xA0\x80").value(), std::size_t(0)); // a surrogate
        QCOMPARE(firstInvalidUtf8("a\xE1\xBB").value(), std::size_t(1));    // cut off
    }
};

LOQUOR_TEST(tst_language)
#include "tst_language.moc"
