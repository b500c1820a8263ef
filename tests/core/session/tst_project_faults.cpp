// What can go wrong while a project is made: stages, disks, indexes, clocks, other programs.
#include <algorithm>
#include <csignal>
#include <fstream>

#include <QElapsedTimer>

#include "core/base/log.h"
#include "core/platform/signals.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/slowdown.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

namespace {

const std::vector<std::string> kTexts{"The first line says a little.", "A second line follows it at once.",
                                      "Then comes the third one."};

QString textOf(const Error& error)
{
    return QString::fromStdString(error.text());
}

// How long an engine process may be silent: short where one hangs, long where a busy machine must not look so.
std::chrono::milliseconds patience(const QString& faults)
{
    return std::chrono::milliseconds(faults.contains("hang") ? static_cast<int>(1500 * slowdown()) : 20'000);
}

QString wordsOf(const ProjectFixture::Outcome& outcome)
{
    QString out = outcome.error ? textOf(*outcome.error) : QString();
    for (const Event& event : outcome.events)
        out += "\n" + QString::fromStdString(event.text);
    return out;
}

bool allFresh(const ProjectState& state)
{
    return std::all_of(state.lines.begin(), state.lines.end(), [](const LineState& line) {
        return line.kind == LineState::Kind::Fresh && line.joined;
    });
}

} // namespace

class tst_project_faults : public QObject
{
    Q_OBJECT
    std::vector<std::string> m_expected; // what an undisturbed run shows

private Q_SLOTS:
    void initTestCase()
    {
        platform::ignorePipeAndSizeSignals();
        setLogLevel(LogLevel::Error);
        ProjectFixture fixture;
        const auto document = fixture.document(kTexts);
        QVERIFY(fixture.render(document).report);
        m_expected = fixture.shown(document);
        QVERIFY(m_expected.size() >= 8);
    }

    void case_080_119_a_bad_stage_costs_one_retry_data()
    {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("words");
        QTest::newRow("throws") << "throw:2:1:1" << "bad luck";
        QTest::newRow("not a number") << "nan:2:0:1" << "not numbers";
        QTest::newRow("black") << "black:2:1:1" << "black frames";
        QTest::newRow("no memory") << "memory:3:0:1" << "choose a smaller picture size";
        QTest::newRow("hangs") << "hang:2:1:1" << "no sign of life";
        QTest::newRow("dies") << "die:1:0:1" << "the memory ran out";
    }
    void case_080_119_a_bad_stage_costs_one_retry()
    {
        QFETCH(QString, fault);
        QFETCH(QString, words);
        ProjectFixture fixture;
        const auto document = fixture.document(kTexts);
        fixture.orderFaults(fault.toStdString());
        fixture.open(patience(fault));
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, qPrintable(wordsOf(outcome)));
        QVERIFY(outcome.report->failedLines.empty());
        QVERIFY2(wordsOf(outcome).contains(words), qPrintable(wordsOf(outcome)));
        QCOMPARE(wordsOf(outcome).count("is tried again"), 1);
        QCOMPARE(fixture.shown(document), m_expected);
    }

    // The line that cannot be made says why; the others are made; the next run, in the same session, makes it.
    void case_109_a_line_that_never_works_stops_alone_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("words");
        QTest::newRow("throws") << "throw" << "bad luck";
        QTest::newRow("not a number") << "nan" << "look at the setting 'precision'";
        QTest::newRow("black") << "black" << "look at the setting 'precision'";
        QTest::newRow("no memory") << "memory" << "Close other programs or choose a smaller picture size";
        QTest::newRow("hangs") << "hang" << "no sign of life";
        QTest::newRow("killed") << "die" << "the memory ran out";
    }
    void case_109_a_line_that_never_works_stops_alone()
    {
        QFETCH(QString, kind);
        QFETCH(QString, words);
        ProjectFixture fixture;
        const auto document = fixture.document(kTexts);
        fixture.orderFaults(kind.toStdString() + ":2:1:99");
        fixture.open(patience(kind));
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, qPrintable(wordsOf(outcome)));
        QCOMPARE(outcome.report->failedLines.size(), std::size_t(1));
        QCOMPARE(outcome.report->failedLines[0].line, 2);
        const QString reason = QString::fromStdString(outcome.report->failedLines[0].reason);
        QVERIFY2(reason.contains("chunk 2 of line 2") && reason.contains(words), qPrintable(reason));
        const auto state = fixture.inspect(document);
        QCOMPARE(state.lines[0].kind, LineState::Kind::Fresh);
        QCOMPARE(state.lines[2].kind, LineState::Kind::Fresh);
        fixture.orderFaults("");
        const auto next = fixture.render(document);
        QVERIFY2(next.report && next.report->failedLines.empty(), qPrintable(wordsOf(next)));
        QVERIFY(allFresh(fixture.inspect(document)));
    }

    // The engine has just made the last of it as it is told to stop.
    void case_115_cancel_that_meets_the_end_on_the_way()
    {
        ProjectFixture fixture;
        fixture.orderFaults("late:0:0:1");
        const auto document = fixture.document(kFourLines);
        fixture.open();
        ProjectRequest request;
        request.document = document;
        const CommandId job = fixture.session().renderProject(request);
        bool isLate = false;
        const auto look = [&] {
            const auto log = fixture.takeLog(); // each line once
            return isLate = isLate || std::find(log.begin(), log.end(), "late") != log.end();
        };
        QTRY_VERIFY_WITH_TIMEOUT(look(), 20'000);
        fixture.session().cancel(job);
        QVERIFY(fixture.wait(job).cancelled);
        const auto again = fixture.render(document);
        QVERIFY(again.report);
        for (const ChunkReport& chunk : again.report->chunks)
            QVERIFY(chunk.cached);
    }

    void case_115_cancel_is_quick_whatever_is_wrong_data()
    {
        QTest::addColumn<QString>("faults");
        QTest::newRow("stages throw") << "throw:1:1:99 throw:2:0:99";
        QTest::newRow("the engine dies again and again") << "die:1:0:99";
        QTest::newRow("the engine hangs for the second time") << "hang:1:0:2";
    }
    void case_115_cancel_is_quick_whatever_is_wrong()
    {
        QFETCH(QString, faults);
        ProjectFixture fixture;
        const auto document = fixture.document(kTexts);
        fixture.open(patience(faults));
        // A busy machine may take its time once or twice.
        qint64 quickest = 60'000;
        for (int i = 0; i < 3 && static_cast<double>(quickest) >= 1000 * slowdown(); ++i) {
            fixture.orderFaults(faults.toStdString());
            const CommandId job = fixture.session().renderProject({document, true, {}});
            // From the moment on at which the first fault is told of.
            QTRY_VERIFY_WITH_TIMEOUT(fixture.events(job) > 1, 20'000);
            QElapsedTimer timer;
            timer.start();
            fixture.session().cancel(job);
            const auto outcome = fixture.wait(job);
            QVERIFY(outcome.cancelled || outcome.report); // it may have been done with its tries
            quickest = std::min(quickest, timer.elapsed());
        }
        QVERIFY2(static_cast<double>(quickest) < 1000 * slowdown(), qPrintable(QString::number(quickest)));
        fixture.orderFaults("");
        const auto next = fixture.render(document);
        QVERIFY2(next.report && next.report->failedLines.empty(), qPrintable(wordsOf(next)));
        QVERIFY(allFresh(fixture.inspect(document)));
    }

    // 160, 167, 169: the disk fills while the project is made, at ten points from the first sound on.
    void case_160_the_disk_fills_at_ten_points_data()
    {
        QTest::addColumn<bool>("spoken");
        QTest::addColumn<int>("pages");
        for (const int pages : {2, 60, 140})
            QTest::addRow("sounds, %d pages", pages) << false << pages;
        for (const int pages : {0, 2, 4, 6, 9, 12, 16})
            QTest::addRow("pictures, %d pages", pages) << true << pages;
    }
    void case_160_the_disk_fills_at_ten_points()
    {
        QFETCH(bool, spoken);
        QFETCH(int, pages);
        ProjectFixture fixture;
        SmallDisk disk(fixture.folder() / "disk");
        fixture.useStore("disk/store");
        auto document = fixture.document(kTexts);
        fixture.open();
        if (spoken) { // with other pictures
            document.scenes.front().lines[0].takeSeed = document.scenes.front().lines[1].takeSeed =
                document.scenes.front().lines[2].takeSeed = 1;
            QVERIFY(fixture.render(document).report);
            document = fixture.document(kTexts);
        } else {
            fixture.inspect(document); // the store is there
        }
        disk.fill(pages);
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.error, qPrintable(wordsOf(outcome)));
        QCOMPARE(outcome.error->code(), ErrorCode::DiskFull);
        QVERIFY2(textOf(*outcome.error).contains("ree some space"), qPrintable(textOf(*outcome.error)));
        if (disk.isMounted() && spoken && pages > 0) // else it is about another disk, or nothing was begun
            QVERIFY2(wordsOf(outcome).contains("left on the disk of"), qPrintable(wordsOf(outcome)));
        disk.release();
        int kept = 0, all = 0;
        for (const LineState& line : fixture.inspect(document).lines)
            kept += line.chunksMade;
        fixture.takeLog();
        // With room again the same session goes on; nothing that was finished is made again.
        const auto next = fixture.render(document);
        QVERIFY2(next.report && next.report->failedLines.empty(), qPrintable(wordsOf(next)));
        QCOMPARE(fixture.shown(document), m_expected);
        for (const LineState& line : fixture.inspect(document).lines)
            all += line.chunks;
        QCOMPARE(chunksIn(fixture.takeLog()), all - kept);
        fixture.close();
    }

    void a_store_that_cannot_be_written_is_read()
    {
        ProjectFixture fixture;
        SmallDisk disk(fixture.folder() / "disk");
        fixture.useStore("disk/store");
        auto document = fixture.document(kTexts);
        QVERIFY(fixture.render(document).report);
        fixture.close();
        disk.setReadOnly(true);
        fixture.open();
        const auto shown = fixture.shown(document);
        const auto state = fixture.inspect(document);
        document.scenes.front().lines[1].text = "This cannot be kept.";
        const auto outcome = fixture.render(document);
        disk.setReadOnly(false);
        QCOMPARE(shown, m_expected);
        QVERIFY(allFresh(state));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code(), ErrorCode::PermissionDenied);
        QVERIFY2(textOf(*outcome.error).contains(QString::fromStdString(fixture.storeFolder().string())),
                 qPrintable(textOf(*outcome.error)));
        fixture.open();
        const auto next = fixture.render(document);
        QVERIFY2(next.report, qPrintable(wordsOf(next)));
        fixture.close();
    }

    void case_172_a_damaged_index_costs_nothing_data()
    {
        QTest::addColumn<QString>("damage");
        for (const char* damage : {"gone", "cut", "foreign"})
            QTest::newRow(damage) << damage;
    }
    void case_172_a_damaged_index_costs_nothing()
    {
        QFETCH(QString, damage);
        ProjectFixture fixture;
        const auto document = fixture.document(kTexts);
        QVERIFY(fixture.render(document).report);
        fixture.close();
        fixture.takeLog();
        const auto index = fixture.storeFolder() / "index.db";
        QVERIFY(std::filesystem::exists(index));
        if (damage == "gone")
            std::filesystem::remove(index);
        else if (damage == "cut")
            std::filesystem::resize_file(index, std::filesystem::file_size(index) / 2);
        else
            std::ofstream(index) << "<html><body>This is no database at all.";
        fixture.open();
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, qPrintable(wordsOf(outcome)));
        QVERIFY(fixture.takeLog().empty());
        QCOMPARE(fixture.shown(document), m_expected);
        if (damage != "gone")
            QVERIFY2(wordsOf(outcome).contains("index"), qPrintable(wordsOf(outcome)));
    }

    // Two programs with the same project and the same store: both finish, and agree.
    void two_instances_make_one_project()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kTexts);
        fixture.orderFaults("slow:1:1:2 slow:2:0:2");
        fixture.open();
        auto other = fixture.another();
        const CommandId first = fixture.session().renderProject({document, false, {}});
        const CommandId second = other->renderProject({document, false, {}});
        const auto one = fixture.wait(first);
        const auto two = ProjectFixture::wait(*other, second);
        QVERIFY2(one.report && one.report->failedLines.empty(), qPrintable(wordsOf(one)));
        QVERIFY2(two.report && two.report->failedLines.empty(), qPrintable(wordsOf(two)));
        QCOMPARE(fixture.shown(document), m_expected);
        other.reset();
        fixture.takeLog();
        fixture.open();
        QVERIFY(fixture.render(document).report);
        QVERIFY(fixture.takeLog().empty());
    }

    void case_113_pause_outlives_the_engine_process_data()
    {
        QTest::addColumn<bool>("killed");
        QTest::newRow("resumed at once") << false;
        QTest::newRow("the engine dies meanwhile") << true;
    }
    void case_113_pause_outlives_the_engine_process()
    {
        QFETCH(bool, killed);
        ProjectFixture fixture;
        fixture.orderFaults("slow:1:1:1 slow:2:0:1 slow:2:1:1");
        const auto document = fixture.document(kTexts);
        fixture.open();
        const CommandId job = fixture.session().renderProject({document, false, {}});
        QTRY_VERIFY_WITH_TIMEOUT(fixture.session().snapshot().framesDone > 0, 20'000);
        fixture.session().pause(job);
        if (killed) {
            QTRY_VERIFY(fixture.session().snapshot().paused);
            QVERIFY(fixture.enginePid() > 0);
            ::kill(fixture.enginePid(), SIGKILL);
            QTest::qWait(100);
        }
        fixture.session().resume(job);
        const auto outcome = fixture.wait(job);
        QVERIFY2(outcome.report && outcome.report->failedLines.empty(), qPrintable(wordsOf(outcome)));
        QCOMPARE(wordsOf(outcome).count("is tried again"), 0); // nobody failed
        QCOMPARE(fixture.shown(document), m_expected);
    }

    // 115, 124: a project that hangs to the end of its tries, or fails, neither holds up nor loses those behind it.
    void case_115_124_a_stuck_or_failing_project_loses_nobody_behind_it()
    {
        ProjectFixture fixture;
        fixture.orderFaults("hang:1:0:3");
        fixture.open(patience("hang"));
        auto stuck = fixture.document({kTexts[0], kTexts[1]}), broken = stuck, good = fixture.document(kTexts);
        broken.id = 78;
        broken.scenes.front().reference.file = fixture.folder() / "nothing.png";
        good.id = 79;
        const CommandId first = fixture.session().renderProject({stuck, false, {}});
        const CommandId second = fixture.session().renderProject({broken, false, {}});
        const CommandId third = fixture.session().renderProject({good, false, {}});
        QTRY_COMPARE(fixture.session().snapshot().waiting, (std::vector<CommandId>{second, third}));
        const auto last = fixture.wait(third);
        QVERIFY2(last.report && last.report->failedLines.empty(), qPrintable(wordsOf(last)));
        const auto one = fixture.wait(first);
        QVERIFY(one.report);
        QCOMPARE(one.report->failedLines.size(), std::size_t(1));
        QVERIFY(fixture.wait(second).error);
    }

    // 116, 124: the program ends while one project is made and two wait: the next one goes on with all three.
    void case_116_124_the_queue_survives_a_restart()
    {
        ProjectFixture fixture;
        fixture.orderFaults("slow:1:0:1 slow:1:1:1 slow:2:0:1");
        auto first = fixture.document(kTexts), second = fixture.document({kTexts[2]}), third = fixture.document({kTexts[1]});
        second.id = 78;
        third.id = 79;
        fixture.open();
        const CommandId running = fixture.session().renderProject({first, false, {}});
        const CommandId moved = fixture.session().renderProject({second, false, {}});
        const CommandId ahead = fixture.session().renderProject({third, false, {}});
        const CommandId skipped = fixture.session().renderProject({fixture.document({"Nobody wants this."}), false, {}});
        fixture.session().moveJob(ahead, 0);
        fixture.session().cancel(skipped);
        QTRY_COMPARE(fixture.session().snapshot().waiting, (std::vector<CommandId>{ahead, moved}));
        QTRY_VERIFY(fixture.session().snapshot().job == running);
        fixture.close();
        fixture.open();
        const auto resumed = fixture.session().resumeQueue();
        QCOMPARE(resumed.size(), std::size_t(3));
        std::vector<std::int64_t> frames;
        for (const auto& left : resumed) {
            const auto outcome = fixture.wait(left.job);
            QVERIFY2(outcome.report && outcome.report->failedLines.empty(), qPrintable(wordsOf(outcome)));
            frames.push_back(outcome.report->frames);
        }
        for (const auto& document : {first, second, third})
            QVERIFY(allFresh(fixture.inspect(document)));
        QVERIFY(frames[0] > frames[1]);
        QCOMPARE(frames[1], fixture.inspect(third).lines.at(0).frames); // the order they had
        QCOMPARE(fixture.shown(first), m_expected);
        fixture.open();
        QVERIFY(fixture.session().resumeQueue().empty());
    }
};

LOQUOR_TEST(tst_project_faults)
#include "tst_project_faults.moc"
