// Lines that are made while they are still being said. Whether chunks in pieces are those of whole lines is the matter of
// the stages' tests; here it is about what is asked of the engine, and that nothing is lost or made of two sounds.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

namespace {

const std::vector<std::string> kLongFirst{
    "This is the first part of a long line, and it goes on with a second part that is just as long, before it comes to "
    "an end with a third one that nobody had expected.",
    "A short one follows."};

std::ptrdiff_t piecesIn(const std::vector<std::string>& log)
{
    return std::count(log.begin(), log.end(), std::string("P 1"));
}

// Forgets all pictures, keeps the sound.
void removeChunks(const std::filesystem::path& store)
{
    std::vector<std::filesystem::path> chunks;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store)) {
        if (entry.path().filename() == "video.mp4")
            chunks.push_back(entry.path().parent_path());
    }
    for (const auto& chunk : chunks)
        std::filesystem::remove_all(chunk);
}

} // namespace

class tst_project_open_line : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void a_long_line_is_sent_while_it_is_said_and_is_the_same()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kLongFirst);
        const auto first = fixture.render(document);
        QVERIFY2(first.report, first.error ? first.error->text().c_str() : "");
        QVERIFY(piecesIn(fixture.takeLog()) >= 2);
        const auto shown = fixture.shown(document);
        QCOMPARE(std::count_if(first.report->chunks.begin(), first.report->chunks.end(),
                               [](const ChunkReport& chunk) { return chunk.kind == "N"; }),
                 static_cast<std::ptrdiff_t>(shown.size()) - 1); // one join
        fixture.close();
        removeChunks(fixture.storeFolder());
        fixture.open();
        const auto second = fixture.render(document); // its sound is known now
        QVERIFY2(second.report, second.error ? second.error->text().c_str() : "");
        const auto log = fixture.takeLog();
        QVERIFY(chunksIn(log) > 0 && piecesIn(log) == 0);
        QCOMPARE(fixture.shown(document), shown);
        QCOMPARE(second.report->frames, first.report->frames);
    }

    // A line in front of it takes its time: the long one is whole before its turn comes.
    void a_line_behind_others_is_sent_whole()
    {
        ProjectFixture fixture;
        fixture.orderFaults("slow:1:0:9 slow:1:1:9 slow:1:2:9");
        const auto outcome = fixture.render(fixture.document({kLongFirst[1], kLongFirst[0]}));
        QVERIFY(outcome.report);
        const auto log = fixture.takeLog();
        QCOMPARE(std::count(log.begin(), log.end(), std::string("P 2")), std::ptrdiff_t(0));
    }

    void faults_cost_one_retry_data()
    {
        QTest::addColumn<QString>("faults");
        for (const char* faults : {"die:1:0:1", "fail:1:1:1", "die:1:0:2", "throw:1:2:1", "die:1:1:1 fail:2:0:1"})
            QTest::newRow(faults) << faults;
    }
    void faults_cost_one_retry()
    {
        QFETCH(QString, faults);
        ProjectFixture fixture;
        const auto document = fixture.document(kLongFirst);
        fixture.render(document);
        const auto expected = fixture.shown(document);
        fixture.close();
        fixture.useStore("another");
        fixture.orderFaults(faults.toStdString());
        fixture.open();
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QVERIFY(outcome.report->failedLines.empty());
        QVERIFY(!outcome.report->warnings.empty());
        QCOMPARE(fixture.shown(document), expected);
    }

    void a_line_that_never_works_stops_alone()
    {
        ProjectFixture fixture;
        fixture.orderFaults("fail:1:0:9");
        const auto outcome = fixture.render(fixture.document(kLongFirst));
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->failedLines.size(), std::size_t(1));
        QCOMPARE(outcome.report->failedLines[0].line, 1);
        QVERIFY(outcome.report->frames > 0);
    }

    // Pauses and cancels at moments that differ from round to round: while it is said, and after.
    void pause_and_cancel_lose_nothing()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kLongFirst);
        fixture.render(document);
        const auto expected = fixture.shown(document);
        for (int round = 0; round < 12; ++round) {
            fixture.close();
            fixture.useStore("round" + std::to_string(round));
            fixture.open();
            ProjectRequest request;
            request.document = document;
            CommandId job = fixture.session().renderProject(request);
            QTest::qWait(15 * round);
            if (round % 2 == 0) {
                fixture.session().pause(job);
                QTest::qWait(10 * (round % 5));
                fixture.session().resume(job);
            } else {
                fixture.session().cancel(job);
                fixture.wait(job);
                job = fixture.session().renderProject(request);
            }
            const auto outcome = fixture.wait(job);
            QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
            QCOMPARE(fixture.shown(document), expected);
        }
    }
};

LOQUOR_TEST(tst_project_open_line)
#include "tst_project_open_line.moc"
