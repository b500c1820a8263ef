#include "core/portrait/viseme.h"
#include "tests/support/test_main.h"

using namespace loquor::portrait;

class tst_viseme : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void emptyIsSilence()
    {
        const auto parts = visemesOf("");
        QCOMPARE(parts.size(), std::size_t(1));
        QCOMPARE(parts[0].viseme.kind, SoundClass::Silence);
    }

    void bilabialsClose_data()
    {
        QTest::addColumn<QString>("symbol");
        for (const char* s : {"p", "b", "m", "ɓ", "ʙ", "ʘ", "pʰ", "bʱ", "m̩", "kp", "k͡p", "ŋ͡m", "P", "ᴍ", "mː"})
            QTest::newRow(s) << QString::fromUtf8(s);
    }
    void bilabialsClose()
    {
        QFETCH(QString, symbol);
        const auto parts = visemesOf(symbol.toStdString());
        QVERIFY(!parts.empty());
        for (const auto& part : parts)
            QCOMPARE(part.viseme.close, 1.f);
    }

    void splits_data()
    {
        QTest::addColumn<QString>("symbol");
        QTest::addColumn<int>("parts");
        QTest::addColumn<QString>("kinds"); // V or C each
        const auto row = [](const char* s, int n, const char* kinds) { QTest::newRow(s) << QString::fromUtf8(s) << n << kinds; };
        row("tʃ", 2, "CC");
        row("oʊ", 2, "VV");
        row("aɪə", 3, "VVV");
        row("əl", 2, "VC");
        row("l̩", 2, "VC");
        row("m̩", 1, "C");
        row("ɔːɹ", 2, "VC");
        row("pf", 2, "CC");
        row("ts.h", 2, "CC");
        row("onɡ", 3, "VCC");
        row("uei", 3, "VVV");
        row("œ̃", 1, "V");
        row("ɑː5", 1, "V");
        row("a-", 1, "V");
        row("ˈɛ", 1, "V");
        row("ñ", 1, "C");
        row("ễ", 1, "V");
        row("(en)", 0, "");
        row("˥˩", 0, "");
        row("ꞎ", 1, "V"); // a letter without a row: a neutral mouth
    }
    void splits()
    {
        QFETCH(QString, symbol);
        QFETCH(int, parts);
        QFETCH(QString, kinds);
        const auto got = visemesOf(symbol.toStdString());
        QCOMPARE(int(got.size()), parts);
        float sum = 0;
        QString gotKinds;
        for (const auto& part : got) {
            sum += part.share;
            gotKinds += part.viseme.kind == SoundClass::Vowel ? "V" : "C";
        }
        QCOMPARE(gotKinds, kinds);
        if (parts > 0)
            QVERIFY(std::abs(sum - 1) < 1e-5f);
    }

    // Every letter of the IPA chart has its own row: none falls back to the neutral mouth by accident.
    void coversTheChart()
    {
        const QString vowels = QString::fromUtf8("iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒɚɝᵻ");
        const QString consonants = QString::fromUtf8(
            "pbtdʈɖcɟkɡqɢʔmɱnɳɲŋɴʙrʀⱱɾɽɸβfvθðszʃʒʂʐçʝxɣχʁħʕhɦɬɮʋɹɻjɰlɭʎʟʍwɥʜʢʡɕʑɺɧɓɗʄɠʛʘǀǃǂǁɫ");
        for (const QChar c : vowels)
            QCOMPARE(visemesOf(QString(c).toStdString())[0].viseme.kind, SoundClass::Vowel);
        for (const QChar c : consonants)
            QCOMPARE(visemesOf(QString(c).toStdString())[0].viseme.kind, SoundClass::Consonant);
    }

    void targetsFollowTheVowelChart()
    {
        const auto v = [](const char* s) { return visemesOf(s)[0].viseme; };
        QVERIFY(v("a").jaw > v("ɛ").jaw && v("ɛ").jaw > v("e").jaw && v("e").jaw > v("i").jaw);
        QVERIFY(v("ɔ").jaw > v("o").jaw && v("o").jaw > v("u").jaw);
        QVERIFY(v("i").stretch > v("ɛ").stretch && v("i").stretch > v("ɯ").stretch);
        QVERIFY(v("y").pucker > .5f && v("u").pucker > .5f && v("i").pucker == 0);
        QVERIFY(v("ʃ").funnel > .5f && v("f").tuck == 1.f && v("w").pucker == 1.f);
        QVERIFY(visemesOf("kʷ")[0].viseme.pucker > .4f);
        // an affricate has the fricative's lips from its start
        QCOMPARE(visemesOf("tʃ")[0].viseme.funnel, v("ʃ").funnel);
    }

    void survivesGarbage()
    {
        for (const char* s : {"\xff\xfe", "\xc9", "\xf0\x9f\x98\x80", "((((", "...", "\xed\xa0\x80", "ːːː", "h", " "})
            for (const auto& part : visemesOf(s))
                QVERIFY(part.share > 0 && part.share <= 1);
    }
};

LOQUOR_TEST(tst_viseme)
#include "tst_viseme.moc"
