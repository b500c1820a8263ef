#include "core/session/session.h"
#include "tests/integration/cli_runner.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QFile>

#include <cmath>
#include <filesystem>

using namespace loquor;
using namespace loquor::session;
using namespace loquor::test;

namespace {

constexpr int kTimeout = 60'000;

double difference(const Image& a, const Image& b)
{
    if (a.data.size() != b.data.size())
        return 255;
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        sum += std::abs(int(a.data[i]) - int(b.data[i]));
    return sum / static_cast<double>(a.data.size());
}

} // namespace

// The facade with the real engine behind it, as the studio uses it.
class tst_session : public QObject
{
    Q_OBJECT
    CliRunner m_files;
    std::unique_ptr<Session> m_session;
    std::vector<Event> m_events;

    RenderRequest request(double seconds)
    {
        RenderRequest out;
        out.reference = CliRunner::media("astronaut.png").toStdString();
        out.speech.audioFile = m_files.speech(seconds).toStdString();
        out.settings.width = 192;
        out.settings.height = 108;
        return out;
    }
    // Collects events until one of this kind is there.
    const Event* waitFor(Event::Kind kind, CommandId command)
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < kTimeout) {
            for (Event& event : m_session->takeEvents())
                m_events.push_back(std::move(event));
            for (const Event& event : m_events) {
                if (event.kind == kind && event.command == command)
                    return &event;
            }
            QTest::qWait(10);
        }
        return nullptr;
    }
    FramePtr fetch(std::int64_t index)
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < kTimeout) {
            if (FramePtr frame = m_session->frameAt(index))
                return frame;
            QTest::qWait(5);
        }
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        m_events.clear();
        SessionOptions options;
        options.rankProgram = std::string(LOQUOR_BIN_DIR) + "/loquor-rank";
        options.phonemeProgram = std::string(LOQUOR_BIN_DIR) + "/loquor-phonemes";
        options.cacheFolder = m_files.path("cache").toStdString();
        auto session = createSession(options);
        QVERIFY(session);
        m_session = std::move(*session);
    }
    void cleanup() { m_session.reset(); }

    void a_preview_run_can_be_watched_heard_and_scrubbed()
    {
        const CommandId job = m_session->render(request(3));
        const Event* finished = waitFor(Event::Kind::JobFinished, job);
        QVERIFY(finished);
        const RenderReport report = *finished->report;
        QCOMPARE(report.frames, std::int64_t(75));
        QVERIFY(std::filesystem::exists(report.output)); // export copies it
        QCOMPARE(m_session->snapshot().phase, Phase::Done);
        QCOMPARE(m_session->snapshot().framesReady, std::int64_t(75));
        const FramePtr newest = m_session->latestFrame(-1);
        QVERIFY(newest);
        QCOMPARE(newest->index, std::int64_t(74));
        // Frames that left the ring long ago are drawn again, exactly.
        const FramePtr first = fetch(0);
        QVERIFY(first);
        QCOMPARE(first->image.width, 192);
        const FramePtr same = fetch(70); // still in the ring
        QVERIFY(same);
        QVERIFY(difference(first->image, same->image) < 20);
        QVERIFY(!m_session->frameAt(75));
        std::vector<float> sound(48000);
        QCOMPARE(m_session->audioRate(), 16000);
        QCOMPARE(m_session->readAudio(0, sound.data(), 48000), std::size_t(48000));
        QCOMPARE(m_session->readAudio(47'000, sound.data(), 48000), std::size_t(1000));
        QVERIFY(waitFor(Event::Kind::LineTimed, job));
    }

    void a_frame_is_the_same_in_the_ring_and_drawn_again()
    {
        const CommandId job = m_session->render(request(2));
        FramePtr seen; // while the run goes on
        QElapsedTimer timer;
        timer.start();
        while (!seen && timer.elapsed() < kTimeout)
            seen = m_session->latestFrame(4);
        QVERIFY(seen);
        QVERIFY(waitFor(Event::Kind::JobFinished, job));
        if (seen->index < 30) { // by now it has left the ring
            const FramePtr again = fetch(seen->index);
            QVERIFY(again);
            QVERIFY(again->image.data == seen->image.data);
        }
    }

    // 118, 119: after a cancel the next job runs at once.
    void case_118_cancel_and_the_next_job()
    {
        RenderRequest longOne = request(1);
        longOne.speech.audioFile = CliRunner::media("two_cities.wav").toStdString();
        const CommandId first = m_session->render(longOne);
        const CommandId waiting = m_session->render(longOne);
        const CommandId third = m_session->render(request(.4));
        QElapsedTimer timer;
        timer.start();
        while (m_session->snapshot().framesDone < 3 && timer.elapsed() < kTimeout)
            QTest::qWait(5);
        m_session->cancel(waiting); // has not begun
        timer.restart();
        m_session->cancel(first);
        QVERIFY(waitFor(Event::Kind::JobCancelled, first));
        QVERIFY2(static_cast<double>(timer.elapsed()) < 2000 * test::slowdown(), qPrintable(QString::number(timer.elapsed())));
        QVERIFY(waitFor(Event::Kind::JobCancelled, waiting));
        QVERIFY(waitFor(Event::Kind::JobFinished, third));
        m_session->cancel(third); // over: nothing happens
        m_session->cancel(999);
    }

    void a_failure_is_an_event_and_the_next_job_works()
    {
        RenderRequest wrong = request(1);
        wrong.reference = CliRunner::media("chelsea.png").toStdString();
        const CommandId job = m_session->render(wrong);
        const Event* failed = waitFor(Event::Kind::JobFailed, job);
        QVERIFY(failed);
        QCOMPARE(failed->error->code(), ErrorCode::NoFace);
        QCOMPARE(m_session->snapshot().phase, Phase::Failed);
        const CommandId next = m_session->render(request(.4));
        QVERIFY(waitFor(Event::Kind::JobFinished, next));
    }

    // 68: problems are found at import, with the picture and the face outlined.
    void case_068_check_shows_the_face()
    {
        const CommandId id = m_session->check(CliRunner::media("hopper.jpg").toStdString());
        const Event* checked = waitFor(Event::Kind::Checked, id);
        QVERIFY(checked);
        QVERIFY(checked->check->usable);
        QCOMPARE(checked->check->faces.size(), std::size_t(1));
        QCOMPARE(checked->check->faces[0].outline.size(), std::size_t(36));
        QVERIFY(checked->picture && checked->picture->width == 512);
        const CommandId sound = m_session->check(CliRunner::media("jfk.wav").toStdString());
        QVERIFY(waitFor(Event::Kind::Checked, sound));
    }

    void prepared_ahead_the_first_frame_comes_at_once()
    {
        RenderRequest warm = request(2);
        m_session->prepareReference(warm.reference, warm.settings);
        const CommandId check = m_session->check(warm.reference); // answered after the reference is ready
        QVERIFY(waitFor(Event::Kind::Checked, check));
        const CommandId job = m_session->render(warm);
        const Event* finished = waitFor(Event::Kind::JobFinished, job);
        QVERIFY(finished);
        QVERIFY2(finished->report->firstFrameSeconds < 3,
                 qPrintable(QString::number(finished->report->firstFrameSeconds)));
    }

    void sessions_come_and_go()
    {
        for (int i = 0; i < 3; ++i) {
            m_session->render(request(1));
            if (i > 0)
                QTest::qWait(100 * i);
            m_session.reset();
            init();
        }
    }
};

LOQUOR_TEST(tst_session)
#include "tst_session.moc"
