#include "core/comm/rank_process.h"
#include "core/platform/signals.h"
#include "tests/support/test_main.h"

#include <condition_variable>
#include <mutex>

using namespace loquor;
using namespace loquor::comm;

namespace {

// Collects what a rank says.
class Listener
{
public:
    RankProcess::Handlers handlers()
    {
        return {[this](FromRank message) {
                    std::lock_guard lock(m_mutex);
                    if (std::holds_alternative<Ready>(message))
                        m_ready = true;
                    if (std::holds_alternative<Heartbeat>(message))
                        ++m_beats;
                    if (auto* checked = std::get_if<FileChecked>(&message))
                        m_checked = checked->id;
                    if (auto* done = std::get_if<RenderDone>(&message))
                        m_done = done->job;
                    m_changed.notify_all();
                },
                [this](RankDeath death) {
                    std::lock_guard lock(m_mutex);
                    m_death = death.reason;
                    ++m_deaths;
                    m_changed.notify_all();
                }};
    }
    template<class Condition>
    bool wait(Condition condition)
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(20), condition);
    }
    bool m_ready = false;
    JobId m_checked = 0, m_done = 0;
    std::string m_death;
    int m_deaths = 0, m_beats = 0;

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
};

RankOptions options(const char* mode)
{
    RankOptions out;
    out.program = FAKE_RANK;
    out.arguments = {mode};
    out.silenceLimit = std::chrono::milliseconds(700);
    out.stallLimit = std::chrono::milliseconds(500);
    return out;
}

} // namespace

class tst_rankprocess : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { platform::ignorePipeAndSizeSignals(); }

    void talks_and_shares_frames()
    {
        Listener listener;
        auto quiet = options("obey");
        quiet.silenceLimit = quiet.stallLimit = std::chrono::milliseconds(20000);
        auto ring = FrameRing::create();
        QVERIFY(ring);
        quiet.ringDescriptor = ring->fd();
        auto rank = RankProcess::start(quiet, listener.handlers());
        QVERIFY(rank);
        QVERIFY((*rank)->send(CheckFile{12, "x.png"}));
        QVERIFY(listener.wait([&] { return listener.m_ready && listener.m_checked == 12; }));
        StartRender job;
        job.id = 13;
        QVERIFY((*rank)->send(job));
        QVERIFY(listener.wait([&] { return listener.m_done == 13; }));
        const FramePtr frame = ring->latest(-1);
        QVERIFY(frame);
        QCOMPARE(frame->index, std::int64_t(4));
        QCOMPARE(frame->image.data[100], std::uint8_t(4));
        rank->reset();
        QCOMPARE(listener.m_deaths, 0); // an end that was asked for is no death
    }

    void a_crash_is_reported_once_in_words()
    {
        Listener listener;
        auto rank = RankProcess::start(options("die"), listener.handlers());
        QVERIFY(rank);
        QVERIFY(listener.wait([&] { return listener.m_deaths > 0; }));
        QVERIFY2(listener.m_death.find("SIGSEGV") != std::string::npos, listener.m_death.c_str());
        QVERIFY(!(*rank)->send(CheckFile{1, "x"}));
        rank->reset();
        QCOMPARE(listener.m_deaths, 1);
    }

    // 113: heartbeat and timeout instead of waiting for ever.
    void case_113_silence_and_stalls_end_a_rank_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QString>("reason");
        QTest::newRow("hang") << "hang" << "sign of life";
        QTest::newRow("stall") << "stall" << "no progress";
        QTest::newRow("babble") << "babble" << "protocol";
    }
    void case_113_silence_and_stalls_end_a_rank()
    {
        QFETCH(QString, mode);
        QFETCH(QString, reason);
        Listener listener;
        auto rank = RankProcess::start(options(qPrintable(mode)), listener.handlers());
        QVERIFY(rank);
        QVERIFY(listener.wait([&] { return listener.m_deaths > 0; }));
        QVERIFY2(QString::fromStdString(listener.m_death).contains(reason), listener.m_death.c_str());
    }

    // 113: who works in silence because others have the processor is not taken for dead.
    void case_113_a_starved_rank_is_left_alone()
    {
        Listener listener;
        const auto started = std::chrono::steady_clock::now();
        auto rank = RankProcess::start(options("starve"), listener.handlers());
        QVERIFY(rank);
        QVERIFY(listener.wait([&] { return listener.m_beats > 0 || listener.m_deaths > 0; }));
        QCOMPARE(listener.m_deaths, 0);
        QVERIFY(std::chrono::steady_clock::now() - started > std::chrono::milliseconds(900)); // beyond the limit
    }

    void killed_from_outside()
    {
        Listener listener;
        auto rank = RankProcess::start(options("obey"), listener.handlers());
        QVERIFY(rank);
        QVERIFY(listener.wait([&] { return listener.m_ready; }));
        (*rank)->kill();
        QVERIFY(listener.wait([&] { return listener.m_deaths > 0; }));
        QVERIFY2(listener.m_death.find("killed") != std::string::npos, listener.m_death.c_str());
    }

    void a_missing_program_is_an_error_at_once()
    {
        auto wrong = options("obey");
        wrong.program = "/nowhere/loquor-rank";
        auto rank = RankProcess::start(wrong, {});
        QVERIFY(!rank);
        QVERIFY(rank.error().text().find("/nowhere/loquor-rank") != std::string::npos);
    }
};

LOQUOR_TEST(tst_rankprocess)
#include "tst_rankprocess.moc"
