#include "ui/bridge/session_bridge.h"

#include <thread>

#include <QSignalSpy>

#include "tests/support/test_main.h"
#include "tests/ui/support/fake_session.h"

using namespace loquor;
using loquor::test::FakeSession;
using loquor::ui::SessionBridge;

class tst_session_bridge : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void manyWakeupsAreOneCall()
    {
        FakeSession session;
        SessionBridge bridge(session);
        QSignalSpy woken(&bridge, &SessionBridge::woken);
        QStringList texts;
        connect(&bridge, &SessionBridge::warning, this,
                [&texts](auto, const QString& text) { texts += text; });
        for (int i = 0; i < 50; ++i)
            session.warn(std::to_string(i));
        QCOMPARE(woken.count(), 0); // nothing happens inside the wakeup
        QCoreApplication::processEvents();
        QCOMPARE(woken.count(), 1);
        QCOMPARE(texts.size(), 50); // no fact is lost, order is kept
        QCOMPARE(texts.front(), QStringLiteral("0"));
        QCOMPARE(texts.back(), QStringLiteral("49"));
        session.warn("again");
        QCoreApplication::processEvents();
        QCOMPARE(woken.count(), 2);
    }

    void wakeupsMayComeFromAnyThreadAndTooLate()
    {
        FakeSession session;
        std::thread other;
        {
            SessionBridge bridge(session);
            QSignalSpy warned(&bridge, &SessionBridge::warning);
            other = std::thread([&session] {
                for (int i = 0; i < 1000; ++i)
                    session.warn("x");
            });
            QTRY_COMPARE(warned.count(), 1000);
        }
        other.join();
        session.warn("nobody listens any more"); // must not touch the dead bridge
        QCoreApplication::processEvents();
        QCOMPARE(session.takeEvents().size(), std::size_t(1));
    }

    void everyEventBecomesItsSignal()
    {
        FakeSession session;
        SessionBridge bridge(session);
        QStringList log;
        connect(&bridge, &SessionBridge::jobStarted, this,
                [&] { log += QStringLiteral("started"); });
        connect(&bridge, &SessionBridge::chunkFinished, this,
                [&](auto, const session::ChunkReport& chunk) {
                    log += QStringLiteral("chunk %1").arg(chunk.frames);
                });
        connect(&bridge, &SessionBridge::lineTimed, this, [&](auto, const speech::Timing& timing) {
            log += QString::fromStdString(timing.words.front().text);
        });
        connect(&bridge, &SessionBridge::jobFinished, this,
                [&](auto, const session::RenderReport& report) {
                    log += QStringLiteral("done %1").arg(report.frames);
                });
        connect(&bridge, &SessionBridge::jobFailed, this,
                [&](auto, const Error& error) { log += QString::fromStdString(error.message()); });
        connect(&bridge, &SessionBridge::jobCancelled, this,
                [&] { log += QStringLiteral("cancelled"); });
        connect(&bridge, &SessionBridge::engineRestarted, this,
                [&](const QString& text) { log += text; });
        session.render({});
        session.begin(10);
        session.addWord("hello", 0, 1);
        session.makeFrames(10);
        session.finish();
        session.fail(Error(ErrorCode::Internal, "broken"));
        session.acknowledgeCancel();
        session.restartEngine("restarted");
        QCoreApplication::processEvents();
        QCOMPARE(log, (QStringList{"started", "hello", "chunk 10", "done 10", "broken", "cancelled",
                                   "restarted"}));
        QCOMPARE(bridge.snapshot().framesReady, std::int64_t(10));
    }
};

LOQUOR_TEST(tst_session_bridge)
#include "tst_session_bridge.moc"
