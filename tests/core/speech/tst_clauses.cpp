#include "core/speech/clauses.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>

using namespace loquor;
using namespace loquor::speech;

namespace {

std::vector<std::string> partsOf(const std::string& text, const std::string& language = "en-us")
{
    std::vector<std::string> out;
    for (const MarkedPart& p : splitAtMarks(text, language))
        out.push_back(QString::fromStdString(text.substr(static_cast<std::size_t>(p.begin), static_cast<std::size_t>(p.end - p.begin)))
                          .trimmed()
                          .toStdString() +
                      '|' + (p.mark ? std::string(1, p.mark) : std::string("-")));
    return out;
}

using Strings = std::vector<std::string>;

} // namespace

class tst_clauses : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void marksSplit()
    {
        QVERIFY((partsOf("Yes, it is: go!") == Strings{"Yes|,", "it is|:", "go|!"}));
        QVERIFY((partsOf("At 10:30 he paid 3.50, e.g. to Dr. Lee.") == Strings{"At 10:30 he paid 3.50|,", "e.g. to Dr. Lee|."}));
        QVERIFY((partsOf("\"Stop!\" he said…") == Strings{"\"Stop|!", "\" he said|."}));
        QVERIFY((partsOf("今天，很好。", "zh") == Strings{"今天|,", "很好|."}));
        QVERIFY((partsOf("What?! No") == Strings{"What?|!", "No|-"}));
        QVERIFY((partsOf("one (two) — three") == Strings{"one|,", "two|,", "three|-"}));
        QVERIFY(partsOf("... !").empty());
    }

    void firstClauseIsShortAndNothingIsLost()
    {
        const auto script = parseScript(
            "It was the best of times, it was the worst of times, it was the age of wisdom and it was the age of "
            "foolishness, it was the epoch of belief which nobody who lived through all of it would ever forget.",
            "en-us");
        QVERIFY(script.has_value());
        const ScriptLine& line = script->lines[0];
        const auto clauses = planClauses(line, "en-us");
        QVERIFY(clauses.size() >= 3);
        std::int32_t at = 0;
        for (const Clause& c : clauses) {
            QCOMPARE(c.begin, at);
            at = c.end;
            QVERIFY(estimateSeconds(std::string_view(line.spoken).substr(static_cast<std::size_t>(c.begin), static_cast<std::size_t>(c.end - c.begin))) <= 7.6);
        }
        QCOMPARE(at, static_cast<std::int32_t>(line.spoken.size()));
        QCOMPARE(QString::fromStdString(line.spoken.substr(0, static_cast<std::size_t>(clauses[0].end))).trimmed(),
                 QString("It was the best of times,"));
        QVERIFY(clauses.back().endsSentence);
        QVERIFY(!clauses.front().endsSentence);
    }

    void aFirstClauseWithoutMarksStaysUnderThreeSeconds()
    {
        const auto script = parseScript("The quick brown fox jumps over the lazy dog while seven wizards quietly mix "
                                        "strong potions behind closed doors all night long.",
                                        "en-us");
        const auto clauses = planClauses(script->lines[0], "en-us");
        QVERIFY(clauses.size() >= 2);
        QVERIFY(estimateSeconds(script->lines[0].spoken.substr(0, static_cast<std::size_t>(clauses[0].end))) <= 3.0);
    }

    // The first clause is as long in time, however fast it is said.
    void tagsOfPaceCount_data()
    {
        QTest::addColumn<QString>("tag");
        QTest::addColumn<double>("rate");
        QTest::newRow("plain") << "" << 1.0;
        QTest::newRow("rate") << "[rate 0.5]" << 0.5;
        QTest::newRow("slow") << "[slow]" << 0.8;
        QTest::newRow("fast") << "[fast]" << 1.25;
        QTest::newRow("twice as fast") << "[rate 2]" << 2.0;
    }
    void tagsOfPaceCount()
    {
        QFETCH(QString, tag);
        QFETCH(double, rate);
        // A clause may end behind every second word.
        std::string text = tag.toStdString();
        for (int i = 0; i < 20; ++i)
            text += std::string(i ? ", " : "") + "seven ducks";
        const auto script = parseScript(text + ".", "en-us");
        QVERIFY(script && script->lines.size() == 1);
        const ScriptLine& line = script->lines[0];
        const auto clauses = planClauses(line, "en-us");
        const double step = estimateSeconds(" seven ducks,") / rate;
        for (const Clause& clause : clauses) {
            const bool first = &clause == &clauses.front();
            std::string words = line.spoken.substr(static_cast<std::size_t>(clause.begin), static_cast<std::size_t>(clause.end - clause.begin));
            words.erase(0, words.find_first_not_of(' '));
            const double seconds = estimateSeconds(words) / rate, wish = first ? 2.0 : 5.0;
            QVERIFY2(seconds <= wish * (clause.endsSentence ? 1.2 : 1) + 0.1, qPrintable(QString::number(seconds)));
            QVERIFY2(clause.endsSentence || seconds > wish - step - 0.1, qPrintable(QString::number(seconds)));
        }
    }

    void pausesCut()
    {
        const auto script = parseScript("[pause 1s] One [pause 0.25s][pause 0.25s] two. [pause 2s]", "en-us");
        QVERIFY(script.has_value());
        QCOMPARE(script->lines.size(), std::size_t(1));
        const auto clauses = planClauses(script->lines[0], "en-us");
        QCOMPARE(clauses.size(), std::size_t(2));
        QCOMPARE(clauses[0].pauseBefore, 1.0);
        QCOMPARE(clauses[0].pauseAfter, 0.5);
        QCOMPARE(clauses[1].pauseAfter, 2.0);
    }

    void endlessWordsAndManyClausesAreLinear()
    {
        ScriptLine line;
        for (int i = 0; i < 30000; ++i)
            line.spoken += "abc, ";
        line.spoken += std::string(200000, 'x');
        QElapsedTimer timer;
        timer.start();
        const auto clauses = planClauses(line, "en-us");
        QVERIFY2(static_cast<double>(timer.elapsed()) < 2000 * test::slowdown(), qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(clauses.back().end, static_cast<std::int32_t>(line.spoken.size()));
    }
};

LOQUOR_TEST(tst_clauses)
#include "tst_clauses.moc"
