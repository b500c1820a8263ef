// SSML on import: the script text it becomes, what is told, what is refused.
#include "core/speech/segments.h"
#include "core/speech/ssml.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::speech;

class tst_ssml : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void becomesAScript_data()
    {
        QTest::addColumn<QString>("inside");
        QTest::addColumn<QString>("script");
        QTest::newRow("plain") << "Hello\n   there. <!-- no -->You." << "Hello there. You.";
        QTest::newRow("paragraphs") << "<p><s>One.</s><s>Two.</s></p><p>Three.</p>" << "One.\nTwo.\n\nThree.";
        QTest::newRow("break time") << "One <break time=\"500ms\"/>two<break time='1.5s'/>." << "One [pause 0.5s]two[pause 1.5s].";
        QTest::newRow("break strength") << "One<break strength=\"strong\"/> two<break strength='none'/> three <break/>four" << "One[pause 0.75s] two three [pause 0.4s]four";
        QTest::newRow("emphasis") << "I <emphasis>do</emphasis> <emphasis level='strong'>it</emphasis> <emphasis level='reduced'>so</emphasis> <emphasis level='none'>x</emphasis>"
                                  << "I [emphasis]do[/emphasis] [emphasis strong]it[/emphasis] [emphasis reduced]so[/emphasis] x";
        QTest::newRow("prosody") << "A <prosody rate='slow' pitch='+2st' volume='-6dB'>b c</prosody> d" << "A [rate 0.8][pitch +2st][volume -6dB]b c[/volume][/pitch][/rate] d";
        QTest::newRow("over sentences") << "<prosody rate='80%'>One is here. Two is there.</prosody> Three." << "[rate 0.8]One is here.[/rate] [rate 0.8]Two is there.[/rate] Three.";
        QTest::newRow("nested") << "<prosody rate='0.8'>a <prosody rate='+50%'>b</prosody> c</prosody>" << "[rate 0.8]a[/rate] [rate 1.2]b[/rate] [rate 0.8]c[/rate]";
        QTest::newRow("percent of pitch") << "<prosody pitch='+12.2462%'>a</prosody>" << "[pitch +2st]a[/pitch]";
        QTest::newRow("sub") << "Use <sub alias=\"sequel\">SQL</sub>, now." << "Use [say \"SQL\" as \"sequel\"], now.";
        QTest::newRow("phoneme") << "A <phoneme alphabet=\"ipa\" ph=\"t&#x259;&#x2C8;me&#x26A;to&#x28A;\">tomato</phoneme>." << "A [ipa \"tomato\" as \"təˈmeɪtoʊ\"].";
        QTest::newRow("characters") << "The <say-as interpret-as=\"characters\">abc</say-as>." << "The [say \"abc\" as \"A-B-C\"].";
        QTest::newRow("digits") << "At <say-as interpret-as=\"digits\">1230</say-as>." << "At [say \"1230\" as \"1 2 3 0\"].";
        QTest::newRow("sub in prosody") << "<prosody rate='slow'>a <sub alias='b'>c</sub> d</prosody>" << "[rate 0.8]a[/rate] [rate 0.8][say \"c\" as \"b\"][/rate] [rate 0.8]d[/rate]";
        QTest::newRow("sub with a dot") << "Ask <sub alias='doctor no. Who'>Dr. No. Who</sub> x." << "Ask [say \"Dr. No. Who\" as \"doctor no. Who\"] x.";
        QTest::newRow("characters of XML") << "R&amp;D &lt; 5 <![CDATA[<b>]]> &quot;x&quot;" << "R&D < 5 <b> \"x\"";
        QTest::newRow("brackets") << "a [smile] b" << "a (smile) b";
        QTest::newRow("mark") << "a<mark name='x'/> b" << "a b";
        QTest::newRow("desc") << "a <audio src='x'><desc>no</desc>b</audio>" << "a b";
        QTest::newRow("unknown") << "a <blink>b</blink>" << "a b";
        QTest::newRow("prefix") << "a <ssml:emphasis xmlns:ssml='x'>b</ssml:emphasis>" << "a [emphasis]b[/emphasis]";
    }
    void becomesAScript()
    {
        QFETCH(QString, inside);
        QFETCH(QString, script);
        const std::string ssml = "<?xml version=\"1.0\"?>\n<speak version=\"1.1\" xmlns=\"http://www.w3.org/2001/10/synthesis\" xml:lang=\"en-US\">" +
                                 inside.toStdString() + "</speak>\n";
        QVERIFY(looksLikeSsml(ssml));
        const auto made = scriptFromSsml(ssml);
        QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
        QCOMPARE(QString::fromStdString(made->text), script);
        QCOMPARE(made->language, std::string("en-us"));
        const auto read = parseScript(made->text, made->language);
        QVERIFY(read.has_value());
        QVERIFY2(read->issues.empty(), read->issues.empty() ? "" : read->issues[0].message.c_str());
        const QStringList told{"brackets", "mark", "desc", "unknown"};
        QCOMPARE(made->issues.empty(), !told.contains(QString(QTest::currentDataTag())));
    }

    void whatIsLeftOutIsTold_data()
    {
        QTest::addColumn<QString>("element");
        QTest::addColumn<QString>("message");
        QTest::newRow("mark") << "<mark name='a'/>b" << "<mark> is ignored";
        QTest::newRow("lang") << "<lang xml:lang='fr'>b</lang>" << "<lang> is ignored";
        QTest::newRow("hertz") << "<prosody pitch='150Hz'>b</prosody>" << "'150Hz' cannot be followed";
        QTest::newRow("rate") << "<prosody rate='quick'>b</prosody>" << "'quick' cannot be followed";
        QTest::newRow("too fast") << "<prosody rate='500%'>b</prosody>" << "the nearest is used";
        QTest::newRow("break") << "<break time='soon'/>b" << "no length that can be read";
        QTest::newRow("long break") << "<break time='90s'/>b" << "60 s are used";
        QTest::newRow("alphabet") << "<phoneme alphabet='x-sampa' ph='t@'>b</phoneme>" << "only ipa";
        QTest::newRow("sounds") << "<phoneme ph='7'>b</phoneme>" << "holds '7'";
        QTest::newRow("empty alias") << "<sub alias=''>b</sub>" << "is spoken as written";
        QTest::newRow("say-as") << "<say-as interpret-as='date'>b</say-as>" << "read as usual text";
        QTest::newRow("contour") << "<prosody contour='(0%,+20Hz)'>b</prosody>" << "contour";
    }
    void whatIsLeftOutIsTold()
    {
        QFETCH(QString, element);
        QFETCH(QString, message);
        const auto made = scriptFromSsml("<speak>\na\n  " + element.toStdString() + " c</speak>");
        QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
        QCOMPARE(made->issues.size(), std::size_t(1));
        QCOMPARE(made->issues[0].line, 3);
        QVERIFY(made->issues[0].column >= 3);
        QVERIFY2(made->issues[0].message.find(message.toStdString()) != std::string::npos, made->issues[0].message.c_str());
        const auto read = parseScript(made->text, "en-us");
        QVERIFY(read.has_value());
        QVERIFY(QString::fromStdString(read->lines[0].spoken).contains("b"));
    }

    void brokenOnesAreRefused_data()
    {
        QTest::addColumn<std::string>("ssml");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* name, const std::string& ssml, ErrorCode code, const char* message) {
            QTest::newRow(name) << ssml << static_cast<int>(code) << QString(message);
        };
        add("not closed", "<speak>\nHello <s>there</speak>", ErrorCode::Corrupt, "Line 2, column 17");
        add("cut off", "<speak>Hello", ErrorCode::Corrupt, "Line 1");
        add("not SSML", "<html>Hello</html>", ErrorCode::Corrupt, "not <html>");
        add("empty", "", ErrorCode::Corrupt, "Line 1");
        add("no words", "<speak><break/> ... </speak>", ErrorCode::EmptyInput, "no words");
        add("unknown entity", "<speak>\n&bomb;</speak>", ErrorCode::Corrupt, "Line 2, column 1");
        add("not UTF-8", "<speak>\xF1</speak>", ErrorCode::Corrupt, "Line 1");
        add("outside entity", "<!DOCTYPE speak SYSTEM \"file:///etc/passwd\"><speak>a</speak>", ErrorCode::Unsupported, "DOCTYPE");
        std::string bomb = "<?xml version=\"1.0\"?><!DOCTYPE speak [<!ENTITY a \"aaaaaaaaaaaaaaaaaaaa\">";
        for (char c = 'b'; c < 'j'; ++c) {
            bomb += std::string("<!ENTITY ") + c + " \"";
            for (int i = 0; i < 10; ++i)
                bomb += std::string("&") + static_cast<char>(c - 1) + ";";
            bomb += "\">";
        }
        add("entity bomb", bomb + "]><speak>&i;</speak>", ErrorCode::Unsupported, "DOCTYPE");
        std::string deep = "<speak>";
        for (int i = 0; i < 100000; ++i)
            deep += "<s>";
        add("nested too deep", deep, ErrorCode::Corrupt, "200 deep");
        add("50 MB", "<speak>" + std::string(50U << 20, 'a') + "</speak>", ErrorCode::InvalidArgument, "8 MiB");
    }
    void brokenOnesAreRefused()
    {
        QFETCH(std::string, ssml);
        QFETCH(int, code);
        QFETCH(QString, message);
        QElapsedTimer timer;
        timer.start();
        const auto made = scriptFromSsml(ssml);
        QVERIFY(!made);
        QCOMPARE(static_cast<int>(made.error().code()), code);
        QVERIFY2(QString::fromStdString(made.error().text()).contains(message), made.error().text().c_str());
        QVERIFY(static_cast<double>(timer.elapsed()) < 1000 * test::slowdown());
    }

    void manyElementsAreFast()
    {
        std::string ssml = "<speak>";
        for (int i = 0; i < 20000; ++i)
            ssml += "<s>It <emphasis>is</emphasis> <sub alias='b'>c</sub><break/> so.</s>";
        QElapsedTimer timer;
        timer.start();
        const auto made = scriptFromSsml(ssml + "</speak>");
        QVERIFY(made.has_value());
        QVERIFY2(static_cast<double>(timer.elapsed()) < 5000 * test::slowdown(), qPrintable(QString::number(timer.elapsed())));
        QVERIFY(made->text.starts_with("It [emphasis]is[/emphasis] [say \"c\" as \"b\"][pause 0.4s] so.\nIt"));
    }

    void whatIsNotSsml()
    {
        for (const char* text : {"", "Hello", "<speaker>x</speaker>", "I <speak> now", "<!-- x", "<?xml version='1.0'?><html/>"})
            QVERIFY2(!looksLikeSsml(text), text);
        for (const char* text : {"<speak>x</speak>", "\xEF\xBB\xBF <!-- a --><speak version='1.1'>", "<speak/>"})
            QVERIFY2(looksLikeSsml(text), text);
    }

    void filesOfBothKindsAreRead()
    {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& bytes) {
            QFile file(folder.filePath(name));
            if (file.open(QIODevice::WriteOnly))
                file.write(bytes);
            return std::filesystem::path(file.fileName().toStdString());
        };
        const auto ssml = importScriptFile(write("a.ssml", "<speak xml:lang='es'>Hola <mark name='x'/>amigo.</speak>"));
        QVERIFY(ssml.has_value());
        QCOMPARE(ssml->text, std::string("Hola amigo."));
        QCOMPARE(ssml->language, std::string("es"));
        QCOMPARE(ssml->issues.size(), std::size_t(1));
        const auto text = importScriptFile(write("b.txt", "Hello [smile] there."));
        QVERIFY(text.has_value());
        QCOMPARE(text->text, std::string("Hello [smile] there."));
        QVERIFY(text->language.empty() && text->issues.empty());
        const auto broken = importScriptFile(write("c.ssml", "<speak>Hola"));
        QVERIFY(!broken);
        QVERIFY2(broken.error().text().find("c.ssml") != std::string::npos, broken.error().text().c_str());
        QCOMPARE(*readScriptFile(folder.filePath("a.ssml").toStdString()), std::string("Hola amigo."));
    }
};

LOQUOR_TEST(tst_ssml)
#include "tst_ssml.moc"
