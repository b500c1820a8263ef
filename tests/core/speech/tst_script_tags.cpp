// Tags that say how words are said: their grammar, the spans they give, and what is told of bad ones.
#include "core/speech/ipa.h"
#include "core/speech/script.h"
#include "core/speech/segments.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>

using namespace loquor;
using namespace loquor::speech;

namespace {

QString joined(const ScriptLine& line)
{
    QStringList out;
    for (const SpokenSegment& s : spokenSegments(line)) {
        QString text = QString::fromStdString(s.ipa.empty() ? s.text : "/" + s.ipa + "/").simplified();
        if (s.style.rate != 1)
            text += " rate " + QString::number(s.style.rate, 'g', 3);
        if (s.style.pitch != 0)
            text += " pitch " + QString::number(s.style.pitch);
        if (s.style.gainDb != 0)
            text += " gain " + QString::number(s.style.gainDb);
        if (s.isReplaced)
            text += " for '" + QString::fromStdString(line.text.substr(static_cast<std::size_t>(s.begin), static_cast<std::size_t>(s.end - s.begin))) + "'";
        if (s.pauseBefore > 0)
            text = "pause " + QString::number(s.pauseBefore) + " " + text;
        if (!text.isEmpty())
            out << text;
    }
    return out.join(" | ");
}

// Rules that hold for every script.
QString brokenRule(const Script& script)
{
    for (const ScriptLine& line : script.lines) {
        if (line.text.size() != line.spoken.size())
            return "lengths differ";
        std::int32_t last = 0;
        for (const SpokenSpan& span : line.spans) {
            if (span.textBegin < last || span.textEnd <= span.textBegin || span.textEnd > static_cast<std::int32_t>(line.text.size()))
                return "a span is out of order or of its line";
            last = span.textBegin;
        }
        std::int32_t end = 0;
        for (const SpokenSegment& s : spokenSegments(line)) {
            if (s.begin < end || s.end < s.begin)
                return "segments overlap";
            end = s.end;
        }
        // A line alone reads as in its script.
        const auto alone = parseScript(line.text, script.language);
        if (line.hasWords && (!alone || alone->lines.size() != 1 || joined(alone->lines[0]) != joined(line)))
            return "read alone otherwise: " + QString::fromStdString(line.text);
    }
    return {};
}

} // namespace

class tst_script_tags : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void segments_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("lines");
        QTest::newRow("plain") << "One two." << QStringList{"One two."};
        QTest::newRow("slow to its end") << "A [slow]b c[/slow] d." << QStringList{"A | b c rate 0.8 | d."};
        QTest::newRow("to the end of the line") << "A [fast] bit. Come." << QStringList{"A | bit. rate 1.25", "Come."};
        QTest::newRow("rate and its ends") << "[rate 0.9]A[/rate] [rate 150%]b[/fast] c" << QStringList{"A rate 0.9 | b rate 1.5 | c"};
        QTest::newRow("pitch") << "A [pitch +2st]b[/pitch] [Pitch -1,5 ST]c" << QStringList{"A | b pitch 2 | c pitch -1.5"};
        QTest::newRow("typographic minus") << "A [pitch \u22123st]b" << QStringList{"A | b pitch -3"};
        QTest::newRow("volume") << "A [volume -6dB]b[/volume] c" << QStringList{"A | b gain -6 | c"};
        QTest::newRow("emphasis") << "I [emphasis]do[/emphasis] it" << QStringList{"I | do rate 0.86 pitch 1 gain 2 | it"};
        QTest::newRow("emphasis inside slow") << "[slow]I [emphasis]do[/emphasis] it[/slow]"
                                              << QStringList{"I rate 0.8 | do rate 0.688 pitch 1 gain 2 | it rate 0.8"};
        QTest::newRow("the innermost counts") << "[slow]a [fast]b[/fast] c[/slow] d" << QStringList{"a rate 0.8 | b rate 1.25 | c rate 0.8 | d"};
        QTest::newRow("kinds may cross") << "[slow]a [pitch +1]b[/slow] c[/pitch]" << QStringList{"a rate 0.8 | b rate 0.8 pitch 1 | c pitch 1"};
        QTest::newRow("a stretch is not split") << "Ah. [slow]Be. See.[/slow] Do." << QStringList{"Ah.", "Be. See. rate 0.8", "Do."};
        QTest::newRow("a paragraph ends it") << "[slow]A\n\nB[/slow]" << QStringList{"A rate 0.8", "B"};
        QTest::newRow("alone on its line") << "[slow]\nA b.\nC." << QStringList{"A b. rate 0.8", "C."};
        QTest::newRow("say") << "Use [say \"SQL\" as \"sequel\"]. Now." << QStringList{"Use | sequel for 'SQL' | .", "Now."};
        QTest::newRow("say first in its sentence") << "Hi. [say \"SQL\" as \"sequel\"] is it." << QStringList{"Hi.", "sequel for 'SQL' | is it."};
        QTest::newRow("say with marks inside") << "[say \"Dr. No. Yes\" as \"a [b] c\"] x" << QStringList{"a [b] c for 'Dr. No. Yes' | x"};
        QTest::newRow("typographic quotes") << "[say “SQL” as „sequel“] x" << QStringList{"sequel for 'SQL' | x"};
        QTest::newRow("ipa of words") << "In [ipa \"New York\" as \"nuː jɔːk\"]!" << QStringList{"In | /nuː jɔːk/ for 'New York' | !"};
        QTest::newRow("ipa of the next word") << "A [ipa \"təˈmeɪtoʊ\"] “tomato-red”, b" << QStringList{"A “ | /təˈmeɪtoʊ/ for 'tomato-red' | ”, b"};
        QTest::newRow("ipa of one Han") << "[ipa \"ni\"]你好" << QStringList{"/ni/ for '你' | 好"};
        QTest::newRow("inside a stretch") << "[slow][say \"SQL\" as \"sequel\"] x[/slow]" << QStringList{"sequel rate 0.8 for 'SQL' | x rate 0.8"};
        QTest::newRow("pauses") << "A [pause 1s] [slow]b[/slow][pause 2s]" << QStringList{"A | pause 1 b rate 0.8 | pause 2 "};
        QTest::newRow("right to left") << "שלום [slow]עולם[/slow] מה" << QStringList{"שלום | עולם rate 0.8 | מה"};
        QTest::newRow("mixed scripts, emoji") << "Xin 😀 [fast]你好 hello[/fast] é" << QStringList{"Xin | 你好 hello rate 1.25 | é"};
        QTest::newRow("asterisks are text") << "5 * 3 is *fifteen*" << QStringList{"5 * 3 is *fifteen*"};
    }
    void segments()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, lines);
        const auto script = parseScript(text.toStdString(), "en-us");
        QVERIFY2(script.has_value(), script ? "" : script.error().text().c_str());
        QStringList found;
        for (const auto& line : script->lines)
            found << joined(line);
        QCOMPARE(found, lines);
        const QString first = script->issues.empty() ? QString() : QString::fromStdString(script->issues[0].message);
        const bool isStray = QByteArray(QTest::currentDataTag()) == "a paragraph ends it";
        QCOMPARE(script->issues.size(), std::size_t(isStray ? 1 : 0));
        QCOMPARE(brokenRule(*script), QString());
    }

    void badTagsAreToldWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("message"); // a part of it
        QTest::addColumn<QString>("spoken");
        QTest::newRow("unknown") << "é [wiggle]b" << 3 << "Unknown direction [wiggle]" << "é b";
        QTest::newRow("unknown end") << "a [/wiggle]b" << 3 << "Unknown direction [/wiggle]" << "a b";
        QTest::newRow("not closed") << "a [slow b" << 3 << "not closed" << "a slow b";
        QTest::newRow("say not closed") << "a [say \"b\" as \"c\" d" << 3 << "not closed" << "a say \"b\" as \"c\" d";
        QTest::newRow("ends nothing") << "a b[/slow] c" << 4 << "[/slow] ends nothing" << "a b | c"; // its place is a blank
        QTest::newRow("no number") << "a [rate quick]b[/rate] c" << 3 << "holds no number" << "a b c";
        QTest::newRow("missing number") << "a [pitch]b" << 3 << "holds no number" << "a b";
        QTest::newRow("infinite") << "a [rate inf]b" << 3 << "holds no number" << "a b";
        QTest::newRow("two signs") << "a [pitch +-2]b" << 3 << "holds no number" << "a b";
        QTest::newRow("too slow") << "a [rate 0.1]b" << 3 << "0.5 is used" << "a b rate 0.5";
        QTest::newRow("too high") << "a [pitch 40st]b" << 3 << "6 is used" << "a b pitch 6";
        QTest::newRow("slow takes none") << "a [slow 0.3]b" << 3 << "takes no number" << "a b rate 0.8";
        QTest::newRow("emphasis level") << "a [emphasis huge]b" << 3 << "only strong, moderate or reduced" << "a b rate 0.86";
        QTest::newRow("empty alias") << "a [say \"b\" as \"\"] c" << 3 << "gives nothing to say" << "a b c";
        QTest::newRow("alias of marks") << "a [say \"b\" as \"...\"] c" << 3 << "gives nothing to say" << "a b c";
        QTest::newRow("no alias") << "a [say \"b\"] c" << 3 << "does not say how" << "a b c";
        QTest::newRow("no quotes") << "a [say b as c] d" << 3 << "cannot be read" << "a d";
        QTest::newRow("no words") << "a [say \"!\" as \"b\"] c" << 3 << "names no word" << "a c";
        QTest::newRow("not IPA") << "a [ipa \"b\" as \"b7\"] c" << 3 << "holds '7'" << "a b c";
        QTest::newRow("empty IPA") << "a [ipa \"b\" as \"ˈ\"] c" << 3 << "holds no sound" << "a b c";
        QTest::newRow("IPA before no word") << "a b [ipa \"b\"] ..." << 5 << "No word follows" << "a b ...";
        QTest::newRow("IPA before a tag") << "a [ipa \"b\"] [smile] c" << 3 << "No word follows" << "a c";
        QTest::newRow("nested brackets") << "a [slow [smile] b" << 3 << "not closed" << "a slow b";
    }
    void badTagsAreToldWithTheirPlace()
    {
        QFETCH(QString, text);
        QFETCH(int, column);
        QFETCH(QString, message);
        QFETCH(QString, spoken);
        const auto script = parseScript(("First.\nTwo " + text).toStdString(), "en-us");
        QVERIFY(script.has_value());
        QVERIFY(!script->issues.empty());
        QCOMPARE(script->issues[0].line, 2);
        QCOMPARE(script->issues[0].column, column + 4);
        QVERIFY2(script->issues[0].message.find(message.toStdString()) != std::string::npos, script->issues[0].message.c_str());
        QCOMPARE(script->lines.size(), std::size_t(2));
        const QString said = joined(script->lines[1]).remove(" |");
        QVERIFY2(said.startsWith("Two " + spoken.remove(" |")), qPrintable(said));
        QCOMPARE(brokenRule(*script), QString());
    }

    void oneWordInATag()
    {
        const auto script = parseScript("[slow]Yes[/slow]", "en-us");
        QVERIFY(script.has_value());
        QCOMPARE(joined(script->lines.at(0)), QString("Yes rate 0.8"));
    }

    void onlyTagsAreNoScript()
    {
        for (const char* text : {"[slow][/slow]", "[rate 0.8]", "[ipa \"a\"]", "[slow][pause 1s][/slow]", "[say \"!\" as \"b\"]"})
            QCOMPARE(parseScript(text).error().code(), ErrorCode::EmptyInput);
    }

    void aStretchLongerThanALineIsTold()
    {
        std::string text = "[slow]";
        while (text.size() < 1300)
            text += "It goes on. ";
        const auto script = parseScript(text + "[/slow] End.", "en-us");
        QVERIFY(script.has_value());
        QCOMPARE(script->issues.size(), std::size_t(1));
        QVERIFY(script->issues[0].message.find("longer than 1200 bytes") != std::string::npos);
        QCOMPARE(joined(script->lines[0]), QString("It goes on. rate 0.8"));
        QCOMPARE(joined(script->lines[1]), QString("It goes on."));
        QCOMPARE(brokenRule(*script), QString());
    }

    void manyTagsAreFast_data()
    {
        QTest::addColumn<std::string>("unit");
        QTest::newRow("closed") << std::string("a [slow]b c[/slow] d. ");
        QTest::newRow("never closed") << std::string("a [slow]b [pitch 1]c ");
        QTest::newRow("never opened") << std::string("a [slow]b [/pitch]c ");
        QTest::newRow("say") << std::string("a [say \"b\" as \"c\"] d ");
        QTest::newRow("ipa") << std::string("[ipa \"b\"] \"\"\"\"\" ");
        QTest::newRow("crossing") << std::string("[slow]a [pitch 1]b[/slow] [rate 2]c[/pitch] ");
        QTest::newRow("quotes") << std::string("[say \"\"\"\"\"\"\" ");
        QTest::newRow("10000 words without punctuation") << std::string("word ");
    }
    void manyTagsAreFast()
    {
        QFETCH(std::string, unit);
        std::string text = "One ";
        for (int i = 0; i < 10000; ++i)
            text += unit;
        QElapsedTimer timer;
        timer.start();
        const auto script = parseScript(text, "en-us");
        QVERIFY(script.has_value());
        QVERIFY2(static_cast<double>(timer.elapsed()) < 3000 * test::slowdown(), qPrintable(QString::number(timer.elapsed()) + " ms"));
        for (const auto& line : script->lines)
            QVERIFY(line.text.size() <= 2 * kMaxLineBytes);
        QCOMPARE(brokenRule(*script), QString());
    }

    void ipaIsBroughtIntoTheVoicesForm_data()
    {
        QTest::addColumn<QString>("ipa");
        QTest::addColumn<QString>("sounds");
        QTest::newRow("stress before the vowel") << "təˈmɑːtoʊ" << "t ə m ˈɑː t oʊ";
        QTest::newRow("keyboard letters") << "'gri:n" << "ɡ ɹ ˈiː n";
        QTest::newRow("slashes and ties") << "/t͡ʃiːz/" << "tʃ iː z";
        QTest::newRow("words") << "nuː ˈjɔːk" << "n uː | j ˈɔː k";
        QTest::newRow("diphthong over a border") << "a.ˈi" << "a ˈi";
        QTest::newRow("secondary") << "ˌɪntəˈnæʃnəl" << "ˌɪ n t ə n ˈæ ʃ n ə l";
        QTest::newRow("nasal") << "bɔ̃" << "b ɔ̃";
    }
    void ipaIsBroughtIntoTheVoicesForm()
    {
        QFETCH(QString, ipa);
        QFETCH(QString, sounds);
        QStringList words;
        for (const auto& word : ipaWords(ipa.toStdString(), "en-us")) {
            QStringList list;
            for (const auto& s : word)
                list << QString::fromStdString(s);
            words << list.join(' ');
        }
        QCOMPARE(words.join(" | "), sounds);
        QCOMPARE(ipaProblem(ipa.toStdString()), std::string());
    }

    void abbreviationsEndNoSentence_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QStringList>("sentences");
        QTest::newRow("en") << "en-us" << QStringList{"Dr. Smith met J. R. R. Tolkien, e.g. Tuesday at 9 a.m. in St. Ives.", "It cost 3.5 dollars.", "See you Fri.", "Then on Fri. 13 we go.", "Vol. 2 is No. 5."};
        QTest::newRow("es") << "es" << QStringList{"La Dra. López y el Sr. Ruiz viven en la Avda. Mayor.", "Son 3,5 euros, p.ej. Aquí no.", "Ud. Sabe."};
        QTest::newRow("fr") << "fr" << QStringList{"M. Dupont et Mme. Durand, p.ex. Jean, sont là.", "Le Dr. Roux habite au 5 bd. Voltaire.", "Il est parti."};
        QTest::newRow("de") << "de" << QStringList{"Hr. Müller kam am 3. Mai, z. B. Montag.", "Fr. Dr. Weiß wohnt Hauptstr. 5.", "Es waren 12.", "Das 20. Jahrhundert endete."};
        QTest::newRow("it") << "it" << QStringList{"Il Sig. Rossi e la Dott.ssa Bianchi, p.es. Anna.", "L'Avv. Verdi arriva.", "Sono 3,5 euro."};
        QTest::newRow("pt") << "pt" << QStringList{"O Sr. Silva e a Dra. Souza moram na Av. Central.", "O Exmo. Juiz chegou.", "Fim."};
        QTest::newRow("nl") << "nl" << QStringList{"Dhr. Jansen en mevr. De Vries, bijv. Anna, komen.", "Prof. Bakker is er.", "Klaar."};
        QTest::newRow("pl") << "pl" << QStringList{"Mgr. Nowak i św. Jan, np. Adam, mieszkają na ul. Długiej.", "To koniec."};
        QTest::newRow("ru") << "ru" << QStringList{"Проф. Иванов живёт в г. Москва на ул. Мира.", "Это было в 2020 г.", "Он ушёл."};
        QTest::newRow("vi") << "vi" << QStringList{"TP. Hồ Chí Minh và TS. Nguyễn Văn A rất nổi tiếng.", "Giá là 3,5 triệu.", "Xin chào."};
        QTest::newRow("fil") << "fil" << QStringList{"Si Gng. Santos at si Atty. Cruz ay narito.", "Alas 9 a.m. na po.", "Salamat."};
        QTest::newRow("id") << "id" << QStringList{"Bpk. Budi tinggal di Jl. Merdeka.", "Prof. Dr. Sari datang.", "Terima kasih."};
    }
    void abbreviationsEndNoSentence()
    {
        QFETCH(QString, language);
        QFETCH(QStringList, sentences);
        const auto script = parseScript(sentences.join(' ').toStdString(), language.toStdString());
        QVERIFY(script.has_value());
        QStringList found;
        for (const auto& line : script->lines)
            found << QString::fromStdString(line.spoken).simplified();
        QCOMPARE(found, sentences);
    }
};

LOQUOR_TEST(tst_script_tags)
#include "tst_script_tags.moc"
