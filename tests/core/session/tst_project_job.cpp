#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include <QElapsedTimer>

#include "core/base/random.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

namespace {

// The entries of `log` about one line's N chunks.
int chunksOf(const std::vector<std::string>& log, int line)
{
    const std::string start = "N " + std::to_string(line) + ' ';
    return static_cast<int>(
        std::count_if(log.begin(), log.end(), [&](const std::string& entry) { return entry.starts_with(start); }));
}

} // namespace

// Whole projects on an engine that makes small files instead of pictures.
class tst_project_job : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void a_project_is_made_once_and_found_again()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        const auto first = fixture.render(document);
        QVERIFY2(first.report, first.error ? first.error->text().c_str() : "");
        const auto log = fixture.takeLog();
        QVERIFY(chunksIn(log) >= 8);
        QCOMPARE(joinsIn(log), 3);
        QCOMPARE(static_cast<int>(first.report->chunks.size()), static_cast<int>(log.size()));
        QVERIFY(first.report->frames > 100);
        for (const ChunkReport& chunk : first.report->chunks)
            QVERIFY(!chunk.cached);

        fixture.open(); // another session: everything comes from the disk
        const auto second = fixture.render(document);
        QVERIFY(second.report);
        QVERIFY(fixture.takeLog().empty());
        QCOMPARE(second.report->frames, first.report->frames);
        for (const ChunkReport& chunk : second.report->chunks)
            QVERIFY(chunk.cached);
        for (const LineState& line : fixture.inspect(document).lines) {
            QCOMPARE(line.kind, LineState::Kind::Fresh);
            QVERIFY(line.joined);
        }
    }

    void the_first_line_is_first_and_each_join_comes_right_after_its_chunk()
    {
        ProjectFixture fixture;
        fixture.render(fixture.document(kFourLines));
        const auto log = fixture.takeLog();
        QCOMPARE(log.front(), std::string("N 1 0"));
        const auto place = [&](const std::string& entry) {
            return std::find(log.begin(), log.end(), entry) - log.begin();
        };
        QVERIFY(place("I 2") > place("N 2 0"));
        QVERIFY(place("I 3") > place("N 3 0"));
    }

    void an_edit_makes_its_line_and_two_joins_again()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        fixture.takeLog();
        const auto before = fixture.shown(document);
        linesOf(document)[1].text = "A changed line follows it at once.";
        QCOMPARE(fixture.inspect(document).lines[1].kind, LineState::Kind::Stale);
        const auto outcome = fixture.render(document);
        QVERIFY(outcome.report);
        const auto log = fixture.takeLog();
        QVERIFY(chunksOf(log, 2) > 0);
        QCOMPARE(chunksIn(log), chunksOf(log, 2));
        QCOMPARE(joinsIn(log), 2);
        // Untouched chunks are the very same files.
        const auto after = fixture.shown(document);
        int same = 0;
        for (const std::string& segment : after)
            same += std::find(before.begin(), before.end(), segment) != before.end() ? 1 : 0;
        QCOMPARE(same, static_cast<int>(after.size()) - static_cast<int>(log.size()));
    }

    void the_edit_taken_back_costs_nothing()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        const auto before = fixture.shown(document);
        const std::string text = linesOf(document)[1].text;
        linesOf(document)[1].text = "Something else.";
        fixture.render(document);
        fixture.takeLog();
        linesOf(document)[1].text = text;
        QVERIFY(fixture.render(document).report);
        QVERIFY(fixture.takeLog().empty());
        QCOMPARE(fixture.shown(document), before);
    }

    void inserting_removing_and_moving_lines_make_what_they_touch()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        fixture.takeLog();

        project::Line line;
        line.id = 5000;
        line.text = "This one is new.";
        linesOf(document).insert(linesOf(document).begin() + 2, line);
        fixture.render(document);
        auto log = fixture.takeLog();
        QCOMPARE(chunksIn(log), chunksOf(log, 3));
        QCOMPARE(joinsIn(log), 2);

        linesOf(document).erase(linesOf(document).begin() + 2);
        fixture.render(document);
        QVERIFY(fixture.takeLog().empty()); // its old neighbours were joined before

        linesOf(document).erase(linesOf(document).begin() + 1);
        fixture.render(document);
        log = fixture.takeLog();
        QCOMPARE(chunksIn(log), 0);
        QCOMPARE(joinsIn(log), 1);

        std::swap(linesOf(document)[0], linesOf(document)[1]);
        fixture.render(document);
        log = fixture.takeLog();
        QCOMPARE(chunksIn(log), 0); // lines keep the boundary they were made with
        QCOMPARE(joinsIn(log), 2);

        line.id = 5001;
        linesOf(document).push_back(line); // at the end: the line before is not touched
        fixture.render(document);
        log = fixture.takeLog();
        QCOMPARE(chunksIn(log), chunksOf(log, 4));
        QCOMPARE(joinsIn(log), 1);
    }

    void prompt_voice_seed_and_pause_touch_their_line_only_data()
    {
        QTest::addColumn<int>("what");
        for (int i = 0; i < 4; ++i)
            QTest::newRow(std::array{"prompt", "voice", "seed", "pause"}[static_cast<std::size_t>(i)]) << i;
    }
    void prompt_voice_seed_and_pause_touch_their_line_only()
    {
        QFETCH(int, what);
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        fixture.takeLog();
        project::Line& line = linesOf(document)[2];
        if (what == 0)
            line.prompt = "calm";
        else if (what == 1)
            line.voice = "espeak-en-gb";
        else if (what == 2)
            line.takeSeed = 1;
        else
            line.pauseAfter = 1.0;
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->warnings, std::vector<std::string>{});
        const auto log = fixture.takeLog();
        QVERIFY(chunksOf(log, 3) > 0);
        QCOMPARE(chunksIn(log), chunksOf(log, 3));
        QCOMPARE(joinsIn(log), 2);
    }

    void everything_again_equals_a_fresh_render()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        linesOf(document)[1].text = "A changed line follows it at once.";
        fixture.render(document);
        const auto spliced = fixture.shown(document);
        QVERIFY(fixture.render(document, true).report);
        const auto again = fixture.shown(document);
        QVERIFY(again != spliced); // lines 3 and 4 now continue the changed line
        fixture.close();
        fixture.useStore("another");
        fixture.open();
        fixture.render(document);
        QCOMPARE(fixture.shown(document), again);
        fixture.takeLog();
        fixture.render(document, true);
        QVERIFY(fixture.takeLog().empty()); // it is continuous already
    }

    // A chosen take is shown again whatever was made: it stays, and the others continue it.
    void everything_again_continues_a_chosen_take()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        const std::uint64_t first = fixture.inspect(document).lines[1].take;
        linesOf(document)[1].takeSeed = 9;
        fixture.render(document);
        linesOf(document)[1].chosenTake = first;
        linesOf(document)[0].text = "Another line begins it now.";
        fixture.takeLog();
        QVERIFY(fixture.render(document, true).report);
        const auto log = fixture.takeLog();
        QVERIFY(chunksOf(log, 1) > 0);
        QCOMPARE(chunksOf(log, 2), 0);
        const auto state = fixture.inspect(document);
        QCOMPARE(state.lines[1].take, first);
        for (const LineState& line : state.lines)
            QVERIFY2(line.kind == LineState::Kind::Fresh && line.joined, toString(line.kind));
        fixture.render(document, true);
        QVERIFY(fixture.takeLog().empty()); // it is continuous already
    }

    void everything_again_shows_what_was_made_before()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        const auto first = fixture.shown(document);
        linesOf(document)[0].text = "Another line begins it now.";
        QVERIFY(fixture.render(document, true).report);
        linesOf(document)[0].text = kFourLines[0];
        fixture.takeLog();
        QVERIFY(fixture.render(document, true).report);
        QVERIFY(fixture.takeLog().empty());
        for (const LineState& line : fixture.inspect(document).lines)
            QVERIFY2(line.kind == LineState::Kind::Fresh && line.joined, toString(line.kind));
        QCOMPARE(fixture.shown(document), first);
    }

    void a_touched_line_equals_a_fresh_one_behind_the_same_boundary()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.render(document);
        linesOf(document)[3].text = "Quite another end.";
        fixture.render(document);
        const auto spliced = fixture.shown(document);
        fixture.close();
        fixture.useStore("another");
        fixture.open();
        fixture.render(document);
        QCOMPARE(fixture.shown(document), spliced); // nothing behind the edit: both are continuous
    }

    void faults_cost_one_retry_data()
    {
        QTest::addColumn<QString>("faults");
        // Ten points: first, middle and last chunks, of the first, a middle and the last line, and twice.
        for (const char* faults : {"die:1:0:1", "die:1:1:1", "die:2:0:1", "die:2:1:2", "die:3:0:2", "die:4:0:1",
                                   "die:4:1:1", "fail:1:0:1", "fail:2:1:2", "die:1:1:1 fail:2:0:1 die:3:1:1"})
            QTest::newRow(faults) << QString(faults);
    }
    void faults_cost_one_retry()
    {
        QFETCH(QString, faults);
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        fixture.render(document);
        const auto expected = fixture.shown(document);
        fixture.close();
        fixture.useStore("another");
        fixture.takeLog();
        fixture.orderFaults(faults.toStdString());
        fixture.open();
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QVERIFY(outcome.report->failedLines.empty());
        QVERIFY(!outcome.report->warnings.empty()); // said, not hidden
        QCOMPARE(fixture.shown(document), expected);
        const auto log = fixture.takeLog();
        std::vector<std::string> unique = log;
        std::sort(unique.begin(), unique.end());
        unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
        QCOMPARE(static_cast<int>(unique.size()), static_cast<int>(expected.size()));
    }

    void the_third_failure_of_a_chunk_ends_its_line_only_data()
    {
        QTest::addColumn<QString>("faults");
        QTest::newRow("die") << QString("die:2:1:9");
        QTest::newRow("fail") << QString("fail:2:1:9");
    }
    void the_third_failure_of_a_chunk_ends_its_line_only()
    {
        QFETCH(QString, faults);
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        fixture.orderFaults(faults.toStdString());
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->failedLines.size(), std::size_t(1));
        QCOMPARE(outcome.report->failedLines[0].line, 2);
        QVERIFY2(QString::fromStdString(outcome.report->failedLines[0].reason).contains("chunk 2 of line 2"),
                 outcome.report->failedLines[0].reason.c_str());
        const auto state = fixture.inspect(document);
        QCOMPARE(state.lines[0].kind, LineState::Kind::Fresh);
        QCOMPARE(state.lines[1].kind, LineState::Kind::Partial);
        QCOMPARE(state.lines[1].chunksMade, 1);
        QCOMPARE(state.lines[2].kind, LineState::Kind::Fresh);
        // Once the cause is gone the line continues behind its finished chunk.
        fixture.takeLog();
        fixture.orderFaults("");
        fixture.open();
        QVERIFY(fixture.render(document).report);
        const auto log = fixture.takeLog();
        QVERIFY(std::find(log.begin(), log.end(), "N 2 0") == log.end());
        QVERIFY(std::find(log.begin(), log.end(), "N 2 1") != log.end());
        QCOMPARE(fixture.inspect(document).lines[1].kind, LineState::Kind::Fresh);
    }

    void a_rank_that_hangs_is_ended_and_its_chunk_made_again()
    {
        ProjectFixture fixture;
        const auto document = fixture.document({kFourLines[0], kFourLines[1]});
        fixture.orderFaults("hang:1:1:1");
        fixture.open(std::chrono::milliseconds(static_cast<int>(600 * slowdown())));
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.count(Event::Kind::EngineRestarted), 1);
        QCOMPARE(fixture.inspect(document).lines[0].kind, LineState::Kind::Fresh);
    }

    void what_cannot_be_cured_fails_at_once()
    {
        ProjectFixture fixture;
        fixture.orderFaults("refuse:1:0:9");
        const auto outcome = fixture.render(fixture.document(kFourLines));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code(), ErrorCode::NoFace);
        fixture.orderFaults("");
        auto document = fixture.document(kFourLines);
        document.scenes.front().reference.file = fixture.folder() / "nothing.png";
        const auto missing = fixture.render(document);
        QVERIFY(missing.error);
        QCOMPARE(missing.error->code(), ErrorCode::NotFound);
        const auto empty = fixture.render(fixture.document({}));
        QVERIFY(empty.error);
        QCOMPARE(empty.error->code(), ErrorCode::EmptyInput);
        auto recording = fixture.document({});
        recording.scenes.front().speech.mode = project::SpeechMode::Recording;
        const auto refused = fixture.render(recording);
        QVERIFY(refused.error);
        QCOMPARE(refused.error->code(), ErrorCode::Unsupported);
    }

    void a_line_that_cannot_be_spoken_is_left_out_with_its_reason()
    {
        ProjectFixture fixture;
        auto document = fixture.document({kFourLines[0], "[smile]", kFourLines[2]});
        linesOf(document)[2].voice = "no-such-voice";
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->failedLines.size(), std::size_t(2));
        QCOMPARE(outcome.report->failedLines[0].line, 2);
        QCOMPARE(outcome.report->failedLines[1].line, 3);
        QCOMPARE(fixture.inspect(document).lines[0].kind, LineState::Kind::Fresh);
    }

    void cancel_is_quick_from_any_state_and_the_next_run_works_data()
    {
        QTest::addColumn<int>("afterMs");
        QTest::addColumn<QString>("faults");
        QTest::newRow("at once") << 0 << QString();
        QTest::newRow("while speaking") << 15 << QString();
        QTest::newRow("while rendering") << 400 << QString("slow:1:0:9 slow:1:1:9 slow:2:0:9");
        QTest::newRow("while the rank hangs") << 500 << QString("hang:1:0:9");
    }
    void cancel_is_quick_from_any_state_and_the_next_run_works()
    {
        QFETCH(int, afterMs);
        QFETCH(QString, faults);
        ProjectFixture fixture;
        fixture.orderFaults(faults.toStdString());
        const auto document = fixture.document(kFourLines);
        fixture.open();
        ProjectRequest request;
        request.document = document;
        const CommandId job = fixture.session().renderProject(request);
        QTest::qWait(afterMs);
        QElapsedTimer timer;
        timer.start();
        fixture.session().cancel(job);
        const auto outcome = fixture.wait(job);
        QVERIFY(outcome.cancelled);
        QVERIFY2(static_cast<double>(timer.elapsed()) < 1000 * slowdown(), std::to_string(timer.elapsed()).c_str());
        fixture.close();
        fixture.orderFaults("");
        QVERIFY(fixture.render(document).report);
    }

    void pause_keeps_what_is_finished_and_resume_goes_on()
    {
        ProjectFixture fixture;
        fixture.orderFaults("slow:1:1:9 slow:2:0:9 slow:2:1:9 slow:3:0:9");
        const auto document = fixture.document(kFourLines);
        fixture.open();
        ProjectRequest request;
        request.document = document;
        const CommandId job = fixture.session().renderProject(request);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.session().snapshot().framesDone > 0, 20'000);
        fixture.session().pause(job);
        QTRY_VERIFY(fixture.session().snapshot().paused);
        QTest::qWait(1200);
        const auto frozen = fixture.session().snapshot().framesDone;
        QTest::qWait(300);
        QCOMPARE(fixture.session().snapshot().framesDone, frozen);
        fixture.session().resume(job);
        const auto outcome = fixture.wait(job);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QVERIFY(outcome.report->failedLines.empty());
        QVERIFY(!fixture.session().snapshot().paused);
    }

    void waiting_projects_can_be_reordered_and_skipped()
    {
        ProjectFixture fixture;
        fixture.orderFaults("slow:1:0:9");
        fixture.open();
        std::vector<CommandId> jobs;
        for (int i = 0; i < 4; ++i) {
            ProjectRequest request;
            request.document = fixture.document({kFourLines[0], "Number " + std::to_string(i) + " here."});
            request.document.id = 100 + static_cast<std::uint64_t>(i);
            jobs.push_back(fixture.session().renderProject(request));
        }
        fixture.session().moveJob(jobs[3], 0);
        fixture.session().cancel(jobs[1]);
        QTRY_VERIFY_WITH_TIMEOUT((fixture.session().snapshot().waiting == std::vector<CommandId>{jobs[3], jobs[2]}) ||
                                     fixture.session().snapshot().job == jobs[3],
                                 20'000);
        QVERIFY(fixture.wait(jobs[1]).cancelled);
        QVERIFY(fixture.wait(jobs[3]).report);
        QVERIFY(fixture.wait(jobs[2]).report);
    }

    void takes_can_be_listed_chosen_pinned_and_removed()
    {
        ProjectFixture fixture;
        auto document = fixture.document({kFourLines[0], kFourLines[1]});
        fixture.render(document);
        const auto first = fixture.shown(document);
        linesOf(document)[1].takeSeed = 9;
        fixture.render(document);
        QVERIFY(fixture.shown(document) != first);
        auto takes = fixture.inspect(document).takes;
        QCOMPARE(takes.size(), std::size_t(3));
        const auto old = std::find_if(takes.begin(), takes.end(), [&](const TakeInfo& take) {
            return take.line == linesOf(document)[1].id && !take.matches;
        });
        QVERIFY(old != takes.end());
        QVERIFY(old->available && old->complete);
        const std::uint64_t oldId = old->id;

        linesOf(document)[1].chosenTake = oldId; // the words are the same: it may be shown
        fixture.takeLog();
        fixture.render(document);
        QVERIFY(fixture.takeLog().empty());
        QCOMPARE(fixture.shown(document), first);

        fixture.session().pinTake(oldId, true);
        takes = fixture.inspect(document).takes;
        QVERIFY(std::any_of(takes.begin(), takes.end(),
                            [&](const TakeInfo& take) { return take.id == oldId && take.pinned; }));
        fixture.session().removeTake(oldId);
        takes = fixture.inspect(document).takes;
        QCOMPARE(takes.size(), std::size_t(2));
        fixture.render(document); // the chosen one is gone: the newest is shown, nothing is made
        QCOMPARE(fixture.inspect(document).lines[1].kind, LineState::Kind::Fresh);
    }

    void a_small_store_keeps_what_an_open_project_shows()
    {
        ProjectFixture fixture;
        fixture.limitStore(1); // everything is too much
        const auto document = fixture.document(kFourLines);
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QVERIFY(outcome.report->failedLines.empty());
        for (const LineState& line : fixture.inspect(document).lines) {
            QCOMPARE(line.kind, LineState::Kind::Fresh);
            QVERIFY(line.joined);
        }
    }

    void damaged_files_are_made_again_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<int>("atMost");
        QTest::newRow("two boundaries") << QString("boundary.bin") << 2;
        QTest::newRow("every picture, joins too") << QString("video.mp4") << 1000;
        QTest::newRow("every sound") << QString("sound.wav") << 1000;
    }
    void damaged_files_are_made_again()
    {
        QFETCH(QString, part);
        QFETCH(int, atMost);
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        fixture.render(document);
        const auto expected = fixture.shown(document);
        fixture.close();
        fixture.takeLog();
        int damaged = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(fixture.storeFolder())) {
            if (entry.path().filename() == part.toStdString() && damaged < atMost) {
                ++damaged;
                std::ofstream(entry.path()) << "not what was written";
            }
        }
        QVERIFY(damaged >= 2);
        fixture.open();
        const auto outcome = fixture.render(document);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(fixture.shown(document), expected);
    }

    // Everything a user can do to a run, at moments that differ from round to round and are the same every time.
    void create_run_cancel_destroy_200_times()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        Random random(20261130);
        const auto happens = [&random](double probability) { return random.uniform() < probability; };
        const auto waits = [&random] {
            std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(random.uniform(0, 20'000))));
        };
        for (int round = 0; round < 200; ++round) {
            fixture.orderFaults(happens(.1) ? "die:1:1:1" : happens(.03) ? "hang:2:0:1"
                                                        : happens(.1)    ? "fail:1:0:1"
                                                                         : "");
            fixture.open();
            Session& session = fixture.session();
            if (happens(.3))
                session.warmUp("espeak-en-us");
            ProjectRequest request;
            request.document = document;
            request.everything = happens(.5);
            const CommandId job = session.renderProject(request);
            if (happens(.7))
                waits();
            if (happens(.2))
                session.inspectProject(document);
            if (happens(.2))
                session.renderProject(request); // waits behind the first
            if (happens(.2))
                session.pause(job);
            if (happens(.2))
                session.check(fixture.folder() / "photo.png");
            if (happens(.5))
                waits();
            if (happens(.3))
                session.resume(job);
            if (happens(.5))
                session.cancel(job);
            if (happens(.2))
                waits();
            fixture.close();
        }
        fixture.orderFaults("");
        const auto outcome = fixture.render(document, true);
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->failedLines.size(), std::size_t(0));
    }
};

LOQUOR_TEST(tst_project_job)
#include "tst_project_job.moc"
