#include "core/session/speech_feeder.h"
#include "tests/support/test_main.h"

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace loquor;
using namespace loquor::session;

namespace {

// Endless lines, or a fault at the second.
class FakeSource : public SpeechSource
{
public:
    enum class Fault {
        None = 1,
        Fail,
        Throw,
        Hang,
    };
    FakeSource(Fault fault, std::atomic<int>& made) : m_fault(fault), m_made(made) {}
    Result<SpeechFacts> open(const CancelToken&) override
    {
        SpeechFacts facts;
        facts.sampleRate = 16000;
        facts.channels = 1;
        return facts;
    }
    Result<std::optional<SpokenLine>> next(const CancelToken& cancel) override
    {
        if (m_made > 0 && m_fault == Fault::Fail)
            return fail(ErrorCode::Unreadable, "The recording is damaged.");
        if (m_made > 0 && m_fault == Fault::Throw)
            throw std::runtime_error("odd");
        if (m_made > 0 && m_fault == Fault::Hang) {
            while (!cancel.waitFor(10'000)) {
            }
            return cancelled();
        }
        SpokenLine line;
        line.number = ++m_made;
        line.audio = {16000, 1, std::vector<float>(100)};
        return line;
    }

private:
    Fault m_fault;
    std::atomic<int>& m_made;
};

} // namespace

class tst_speechfeeder : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void makes_a_few_lines_ahead_and_no_more()
    {
        std::atomic<int> made{0};
        SpeechFeeder feeder(std::make_unique<FakeSource>(FakeSource::Fault::None, made), [] {});
        QTRY_VERIFY(made >= 4);
        QTest::qWait(50);
        QCOMPARE(made.load(), 4); // three ready, one in the hand
        QVERIFY(feeder.takeFacts());
        QVERIFY(!feeder.takeFacts());
        QCOMPARE(feeder.takeLine()->number, 1);
        QTRY_COMPARE(made.load(), 5);
    }

    void faults_arrive_behind_the_lines_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("says");
        QTest::newRow("failure") << static_cast<int>(FakeSource::Fault::Fail) << "damaged";
        QTest::newRow("exception") << static_cast<int>(FakeSource::Fault::Throw) << "odd";
    }
    void faults_arrive_behind_the_lines()
    {
        QFETCH(int, fault);
        QFETCH(QString, says);
        std::atomic<int> made{0}, woken{0};
        SpeechFeeder feeder(std::make_unique<FakeSource>(static_cast<FakeSource::Fault>(fault), made), [&] { ++woken; });
        std::optional<Error> error;
        const auto arrived = [&] { // takes it once, however often it is asked
            if (!error)
                error = feeder.takeError();
            return error.has_value();
        };
        QTRY_VERIFY(arrived());
        QVERIFY(QString::fromStdString(error->message()).contains(says));
        QVERIFY(feeder.takeLine());
        QVERIFY(woken >= 3);
    }

    void ending_it_cancels_what_it_waits_for()
    {
        for (int i = 0; i < 20; ++i) {
            std::atomic<int> made{0};
            SpeechFeeder feeder(std::make_unique<FakeSource>(i % 2 ? FakeSource::Fault::Hang : FakeSource::Fault::None, made),
                                [] {});
            if (i % 3 == 0)
                QTRY_VERIFY(made > 0);
        }
    }
};

LOQUOR_TEST(tst_speechfeeder)
#include "tst_speechfeeder.moc"
