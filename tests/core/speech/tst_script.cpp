#include "core/speech/script.h"
#include "core/speech/sentences.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::speech;

namespace {

QStringList linesOf(const std::string& text, const std::string& language = "en-us")
{
    QStringList out;
    const auto script = parseScript(text, language);
    if (!script)
        return {"ERROR " + QString::fromStdString(script.error().text())};
    for (const auto& line : script->lines)
        out << QString::fromStdString(line.spoken).simplified();
    return out;
}

} // namespace

class tst_script : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void splitsSentences_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("lines");
        QTest::newRow("titles") << "en-us" << "Dr. Smith met Mr. Lee. They talked."
                                << QStringList{"Dr. Smith met Mr. Lee.", "They talked."};
        QTest::newRow("p.m.") << "en-us" << "We meet at 5 p.m. on Friday. Really?! Yes."
                              << QStringList{"We meet at 5 p.m. on Friday.", "Really?!", "Yes."};
        QTest::newRow("initial") << "en-us" << "J. Smith paid $3.50. I did not."
                                 << QStringList{"J. Smith paid $3.50.", "I did not."};
        QTest::newRow("no") << "en-us" << "I said no. See No. 5 there."
                            << QStringList{"I said no.", "See No. 5 there."};
        QTest::newRow("quotes") << "en-us" << "\"Stop.\" He stopped..." << QStringList{"\"Stop.\"", "He stopped..."};
        QTest::newRow("vi") << "vi" << "TP. Hồ Chí Minh rất đẹp. Xin chào!"
                            << QStringList{"TP. Hồ Chí Minh rất đẹp.", "Xin chào!"};
        QTest::newRow("zh") << "zh" << "你好。今天天气很好！你呢？" << QStringList{"你好。", "今天天气很好！", "你呢？"};
        QTest::newRow("es") << "es" << "¿Qué tal? El Sr. Pérez vive aquí. ¡Hola!"
                            << QStringList{"¿Qué tal?", "El Sr. Pérez vive aquí.", "¡Hola!"};
        QTest::newRow("fil") << "fil" << "Si Gng. Cruz ay narito. Salamat po."
                             << QStringList{"Si Gng. Cruz ay narito.", "Salamat po."};
        QTest::newRow("line breaks") << "en-us" << "First line\nSecond line\r\nwraps here.\n\nNew paragraph."
                                     << QStringList{"First line", "Second line wraps here.", "New paragraph."};
    }
    void splitsSentences()
    {
        QFETCH(QString, language);
        QFETCH(QString, text);
        QFETCH(QStringList, lines);
        QCOMPARE(linesOf(text.toStdString(), language.toStdString()), lines);
    }

    void spansStayThoseOfTheSource()
    {
        const std::string text = "\xEF\xBB\xBFHi 😀 there. [smile] Chào bạn!\x07 [pause 1s]End.";
        const auto script = parseScript(text, "en-us");
        QVERIFY(script.has_value());
        QCOMPARE(script->source, text.substr(3));
        for (const auto& line : script->lines) {
            QCOMPARE(line.text.size(), line.spoken.size());
            QCOMPARE(script->source.substr(static_cast<std::size_t>(line.sourceBegin), line.text.size()), line.text);
            for (std::size_t i = 0; i < line.text.size(); ++i)
                QVERIFY(line.spoken[i] == ' ' || line.spoken[i] == line.text[i]);
        }
        QCOMPARE(linesOf(text), (QStringList{"Hi there.", "Chào bạn!", "End."}));
    }

    void directionsAreReadAndNeverSpoken()
    {
        const auto script = parseScript("[Smile] Hello there [look_left 0.5] my friend. [nod] Next [pause 500ms] one [pause].");
        QVERIFY(script.has_value());
        QVERIFY(script->issues.empty());
        QCOMPARE(script->lines.size(), std::size_t(2));
        const auto& first = script->lines[0];
        QCOMPARE(first.tags.size(), std::size_t(2));
        QCOMPARE(first.tags[0].name, std::string("smile"));
        QCOMPARE(first.tags[1].name, std::string("look left"));
        QCOMPARE(first.tags[1].value, 0.5);
        QCOMPARE(first.text.substr(static_cast<std::size_t>(first.tags[1].textBegin), 15), std::string("[look_left 0.5]"));
        const auto& second = script->lines[1];
        QCOMPARE(second.tags.size(), std::size_t(3)); // a direction between sentences belongs to the next
        QCOMPARE(second.tags[0].name, std::string("nod"));
        QCOMPARE(second.tags[1].value, 0.5);
        QCOMPARE(second.tags[2].value, 0.5);
        QCOMPARE(QString::fromStdString(second.spoken).simplified(), QString("Next one ."));
    }

    void unknownDirectionsAreReportedWithTheirPlace()
    {
        const auto script = parseScript("One.\nTwo é [wiggle] three [pause soon] [pause 100s] [open", "en-us");
        QVERIFY(script.has_value());
        QCOMPARE(script->issues.size(), std::size_t(4));
        QCOMPARE(script->issues[0].line, 2);
        QCOMPARE(script->issues[0].column, 7);
        QVERIFY(script->issues[0].message.find("[wiggle]") != std::string::npos);
        QVERIFY(script->issues[1].message.find("no length") != std::string::npos);
        QVERIFY(script->issues[2].message.find("longer than 60 s") != std::string::npos);
        QVERIFY(script->issues[3].message.find("not closed") != std::string::npos);
        const QString all = linesOf("Two [wiggle] three", "en-us").join('|');
        QCOMPARE(all, QString("Two three"));
    }

    void emojiAndControlCharactersAreNotSpoken()
    {
        const std::string text = "A\x01"
                                 "B 👩‍👩‍👧 C 🇻🇳 D 1️⃣ E ❤️ F \xE2\x80\x8B G \xEE\x80\x80 © 2026";
        QCOMPARE(linesOf(text), (QStringList{"A B C D E F G © 2026"}));
    }

    void pausesFollowTheText()
    {
        const auto script = parseScript("One. Two.\n\nThree.", "en-us");
        QVERIFY(script.has_value());
        QCOMPARE(script->lines.size(), std::size_t(3));
        QCOMPARE(script->lines[0].pauseAfter, kSentencePauseSeconds);
        QCOMPARE(script->lines[1].pauseAfter, kParagraphPauseSeconds);
        QCOMPARE(script->lines[2].pauseAfter, 0.0);
        QCOMPARE(script->lines[2].number, 3);
    }

    void badTextIsRefused()
    {
        for (const char* empty : {"", "  \n\t ", "[smile]", "😀 ... !", "\xEF\xBB\xBF"}) {
            const auto script = parseScript(empty);
            QVERIFY(!script);
            QCOMPARE(script.error().code(), ErrorCode::EmptyInput);
        }
        const auto latin1 = parseScript("Good\nmorning, se\xF1or");
        QVERIFY(!latin1);
        QCOMPARE(latin1.error().code(), ErrorCode::Corrupt);
        QVERIFY2(latin1.error().text().find("line 2, column 12") != std::string::npos, latin1.error().text().c_str());
        QCOMPARE(parseScript(std::string("a\0b", 3)).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(parseScript(std::string(kMaxScriptBytes + 1, 'a')).error().code(), ErrorCode::InvalidArgument);
    }

    void fiftyThousandWordsAreFast_data()
    {
        QTest::addColumn<std::string>("unit");
        QTest::newRow("sentences") << std::string("the quick brown fox jumps over it. ");
        QTest::newRow("one sentence") << std::string("the quick brown fox jumps over it ");
        QTest::newRow("unknown directions") << std::string("the quick [foo] brown fox\njumps over it. ");
        QTest::newRow("open brackets") << std::string("the [quick brown fox [ jumps over it. ");
        QTest::newRow("directions") << std::string("the quick [smile] brown. [nod] fox jumps over it. ");
        QTest::newRow("no spaces") << std::string("thequickbrownfoxjumpsoverthelazydog");
        QTest::newRow("blank lines") << std::string("it\n\n\n\n\n\n\n");
    }
    void fiftyThousandWordsAreFast()
    {
        QFETCH(std::string, unit);
        std::string text;
        for (int i = 0; i < 50000 / 7; ++i)
            text += unit;
        QElapsedTimer timer;
        timer.start();
        const auto script = parseScript(text);
        QVERIFY(script.has_value());
        QVERIFY2(static_cast<double>(timer.elapsed()) < 2000 * test::slowdown(), qPrintable(QString::number(timer.elapsed()) + " ms"));
        for (const auto& line : script->lines)
            QVERIFY(line.text.size() <= 1300);
    }

    void filesOfAllKinds()
    {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& bytes) {
            QFile file(folder.filePath(name));
            if (file.open(QIODevice::WriteOnly))
                file.write(bytes);
            return std::filesystem::path(file.fileName().toStdString());
        };
        QCOMPARE(*readScriptFile(write("a.txt", "\xEF\xBB\xBFHallo\r\n")), std::string("Hallo\r\n"));
        QCOMPARE(*readScriptFile(write("b.txt", QByteArray("\xFF\xFEh\0\xE9\0", 6))), std::string("hé"));
        QCOMPARE(*readScriptFile(write("c.txt", QByteArray("\xFE\xFF\0h\0\xE9", 6))), std::string("hé"));
        QCOMPARE(*readScriptFile(write("d.txt", "")), std::string());
        const auto missing = readScriptFile(folder.filePath("no.txt").toStdString());
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(missing.error().text().find("no.txt") != std::string::npos);
        QVERIFY(!readScriptFile(folder.path().toStdString()));
    }

    void directionsGetTheTimeOfTheNextWord()
    {
        const auto script = parseScript("One [smile] two [nod]", "en-us");
        QVERIFY(script.has_value());
        Timing timing;
        timing.words = {{"One", 0.1, 0.4, 0, 3, 1}, {"two", 0.5, 0.9, 12, 15, 1}};
        const auto cues = timedTags(script->lines[0], timing);
        QCOMPARE(cues.size(), std::size_t(2));
        QCOMPARE(cues[0].seconds, 0.5);
        QCOMPARE(cues[1].seconds, 0.9);
    }
};

LOQUOR_TEST(tst_script)
#include "tst_script.moc"
