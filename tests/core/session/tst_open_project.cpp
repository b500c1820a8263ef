#include <algorithm>

#include "core/cache/chunk_store.h"
#include "tests/core/session/project_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

// What an open project shows and protects, and what is left of it when it is closed.
class tst_open_project : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void frames_are_shown_as_they_are_made()
    {
        ProjectFixture fixture;
        fixture.showFrames();
        auto document = fixture.document({kFourLines[0], kFourLines[1]});
        fixture.open();
        ProjectRequest request;
        request.document = document;
        QVERIFY(fixture.wait(fixture.session().renderProject(request)).report);
        Session& session = fixture.session();
        const FramePtr newest = session.latestFrame(-1);
        QVERIFY(newest != nullptr);
        const auto place = session.livePlace(newest->index);
        QVERIFY(place.has_value());
        const auto state = fixture.inspect(document);
        QCOMPARE(place->line, linesOf(document)[1].id);
        QCOMPARE(place->frame, state.lines[1].frames - 1); // its last frame
        QVERIFY(!session.latestFrame(newest->index));
        // The times of what is stored.
        QCOMPARE(session.projectFrames(), state.lines[0].frames + state.lines[1].frames);
        QCOMPARE(*session.placeOf(state.lines[0].frames), (ProjectPlace{linesOf(document)[1].id, 0}));
        QVERIFY(!session.projectFrame({linesOf(document)[0].id, 0})); // files of the fake: nothing to decode
        session.forgetFrameRequests();
        session.closeProject(document);
        QVERIFY(QTest::qWaitFor([&] { return session.projectFrames() == 0; }, 10'000));
    }

    void a_closed_project_protects_nothing_and_forgets_abandoned_tries()
    {
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        fixture.orderFaults("fail:2:1:3");
        QCOMPARE(fixture.render(document).report->failedLines.size(), std::size_t(1));
        const auto takesOf = [&](std::uint64_t line) {
            const auto takes = fixture.inspect(document).takes;
            return std::count_if(takes.begin(), takes.end(), [&](const TakeInfo& take) { return take.line == line; });
        };
        QCOMPARE(takesOf(linesOf(document)[1].id), 1); // its reason can be read
        fixture.orderFaults("");
        fixture.open();
        QVERIFY(fixture.render(document).report);
        for (const TakeInfo& take : fixture.inspect(document).takes)
            QVERIFY(take.complete); // the try that was given up is forgotten, its chunk was used
        const auto before = fixture.shown(document);

        cache::StoreOptions options;
        options.folder = fixture.storeFolder();
        options.maxBytes = 1;
        auto other = cache::ChunkStore::open(options);
        QVERIFY(other);
        QVERIFY((*other)->trim());
        QCOMPARE(fixture.shown(document), before); // open: nothing that is shown may go
        fixture.session().closeProject(document);
        fixture.inspect(document); // behind it in the queue
        const auto trimmed = (*other)->trim();
        QVERIFY(trimmed);
        QVERIFY(trimmed->removedEntries >= before.size());
        QCOMPARE(trimmed->overBytes, std::uint64_t(0));
    }

    void a_fault_in_an_edited_line_costs_one_retry_data()
    {
        QTest::addColumn<QString>("faults");
        for (const char* faults : {"die:2:0:1", "fail:2:1:1", "fail:2:1:9"})
            QTest::newRow(faults) << QString(faults);
    }
    void a_fault_in_an_edited_line_costs_one_retry()
    {
        QFETCH(QString, faults);
        ProjectFixture fixture;
        auto document = fixture.document(kFourLines);
        QVERIFY(fixture.render(document).report);
        linesOf(document)[1].text = "A changed line follows it at once.";
        fixture.orderFaults(faults.toStdString());
        fixture.open();
        const auto outcome = fixture.render(document); // the lines behind it have their takes already
        QVERIFY2(outcome.report, outcome.error ? outcome.error->text().c_str() : "");
        QCOMPARE(outcome.report->failedLines.size(), std::size_t(faults.endsWith("9") ? 1 : 0));
    }

    void a_project_is_closed_behind_its_jobs()
    {
        ProjectFixture fixture;
        const auto document = fixture.document(kFourLines);
        fixture.open();
        ProjectRequest request;
        request.document = document;
        const CommandId job = fixture.session().renderProject(request);
        fixture.session().closeProject(document);
        QVERIFY(fixture.wait(job).report);
        fixture.inspect(document);
        cache::StoreOptions options;
        options.folder = fixture.storeFolder();
        options.maxBytes = 1;
        auto other = cache::ChunkStore::open(options);
        QVERIFY(other && (*other)->trim()->overBytes == 0);
    }
};

LOQUOR_TEST(tst_open_project)
#include "tst_open_project.moc"
