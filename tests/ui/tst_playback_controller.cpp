#include "ui/preview/playback_controller.h"

#include <QSignalSpy>

#include "core/audio/playback.h"
#include "tests/core/audio/fake_backend.h"
#include "tests/support/test_main.h"
#include "tests/ui/support/fake_session.h"

using namespace loquor;
using namespace loquor::ui;
using loquor::test::FakeBackend;
using loquor::test::FakeDevice;
using loquor::test::FakeSession;

namespace {

constexpr int kRate = 24000; // of the fake session
constexpr int kPerFrame = kRate / 25;

// A player whose sound device is pulled by hand; sound is heard at once.
struct Player
{
    FakeSession session;
    FakeDevice device;
    FakeBackend backend{device};
    std::unique_ptr<audio::AudioBackend> silence = audio::createClockBackend();
    std::atomic<double> now{0};
    audio::Playback sound{backend, *silence, [this] { return now.load(); }};
    PlaybackController controller{sound};
    std::shared_ptr<RunSource> source = std::make_shared<RunSource>(session);

    void run(std::int64_t frames, std::int64_t total)
    {
        session.render({});
        session.begin(total);
        session.makeFrames(frames);
        controller.setSource(source, {25, 1});
        controller.setRunning(true);
        controller.play();
        source->setProgress(frames, total);
        controller.refresh();
    }
    void more(std::int64_t frames, std::int64_t total)
    {
        session.makeFrames(frames);
        source->setProgress(session.snapshot().framesReady, total);
        controller.refresh();
    }
    // Plays until so many samples of the source were heard, or nothing comes any more.
    void hear(int samples)
    {
        for (int dry = 0; samples > 0 && dry < 20;) {
            int got = 0;
            for (const float sample : device.pull(static_cast<std::size_t>(std::min(samples, 480))))
                got += sample != 0;
            samples -= got;
            dry = got == 0 ? dry + 1 : 0;
            QTest::qWait(got == 0 ? 10 : 1);
        }
        now = now + 1000;
    }
};

} // namespace

class tst_playback_controller : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void playsAlongWithTheSound()
    {
        Player p;
        p.run(100, 100);
        p.controller.setRunning(false);
        QTRY_VERIFY(p.device.running);
        QCOMPARE(p.controller.position(), FrameIndex(0));
        p.hear(10 * kPerFrame);
        QTRY_COMPARE(p.controller.position(), FrameIndex(10));
        p.hear(kPerFrame / 2);
        QTest::qWait(40);
        QCOMPARE(p.controller.position(), FrameIndex(10)); // half a frame is not the next one
    }

    void waitsForALeadBeforeItStarts()
    {
        Player p;
        p.run(5, 200);
        QTest::qWait(60);
        QVERIFY(p.controller.isPlaying());
        QVERIFY(p.controller.isWaiting());
        QVERIFY(!p.device.running);
        p.more(20, 200);
        QTRY_VERIFY(p.device.running);
        QVERIFY(!p.controller.isWaiting());
    }

    void case_001_sound_never_runs_past_the_pictures()
    {
        Player p;
        p.run(25, 200);
        QTRY_VERIFY(p.device.running);
        p.hear(100 * kPerFrame); // the device asks for four seconds, one is there
        QTRY_VERIFY(p.controller.isWaiting());
        QVERIFY(p.controller.position() <= 24);
        const FrameIndex held = p.controller.position();
        QTRY_VERIFY(!p.device.running);
        p.more(25, 200);
        QTRY_VERIFY(p.device.running);
        QCOMPARE(p.controller.position(), held); // goes on where it stood: nothing skipped
        p.hear(5 * kPerFrame);
        QTRY_VERIFY(p.controller.position() > held);
    }

    void stopsAtTheEndAndStartsAgain()
    {
        Player p;
        p.run(30, 30);
        p.controller.setRunning(false);
        QTRY_VERIFY(p.device.running);
        QTRY_VERIFY((p.hear(40 * kPerFrame), !p.controller.isPlaying()));
        QCOMPARE(p.controller.position(), FrameIndex(29));
        p.controller.play();
        QCOMPARE(p.controller.position(), FrameIndex(0));
        QVERIFY(p.controller.isPlaying());
    }

    void scrubbingClampsToWhatIsReady()
    {
        Player p;
        p.run(50, 500);
        p.controller.pause();
        p.controller.seek(400);
        QCOMPARE(p.controller.position(), FrameIndex(49));
        p.controller.seek(-3);
        QCOMPARE(p.controller.position(), FrameIndex(0));
        p.controller.seek(20);
        p.controller.step(1);
        QCOMPARE(p.controller.position(), FrameIndex(21));
        p.controller.step(-2);
        QCOMPARE(p.controller.position(), FrameIndex(19));
    }

    void seekingWhilePlayingGoesOnFromThere()
    {
        Player p;
        p.run(200, 200);
        p.controller.setRunning(false);
        QTRY_VERIFY(p.device.running);
        p.controller.seek(100);
        QTRY_VERIFY(p.device.running && p.sound.position() == 100 * kPerFrame);
        QTest::qWait(30);
        p.hear(3 * kPerFrame);
        QTRY_COMPARE(p.controller.position(), FrameIndex(103));
    }

    void shuttle()
    {
        Player p;
        p.run(2000, 2000);
        p.controller.setRunning(false);
        p.controller.seek(1000);
        p.controller.shuttleForward();
        QCOMPARE(p.controller.speed(), 2); // it was playing
        p.controller.shuttleForward();
        p.controller.shuttleForward();
        p.controller.shuttleForward();
        QCOMPARE(p.controller.speed(), 8);
        QTRY_VERIFY(p.controller.position() > 1005);
        p.controller.shuttleBackward();
        QCOMPARE(p.controller.speed(), -1);
        const FrameIndex from = p.controller.position();
        QTRY_VERIFY(p.controller.position() < from);
        p.controller.pause();
        QCOMPARE(p.controller.speed(), 0);
    }

    void withoutASoundDeviceTimeRuns()
    {
        Player p;
        p.device.exists = false;
        audio::Playback real(p.backend, *p.silence);
        PlaybackController controller(real);
        const auto source = std::make_shared<RunSource>(p.session);
        p.session.render({});
        p.session.begin(500);
        p.session.makeFrames(500);
        source->setProgress(500, 500);
        controller.setSource(source, {25, 1});
        controller.setRunning(true);
        controller.play();
        QTRY_VERIFY(controller.position() > 5);
        QVERIFY(real.isSilent());
    }

    void nothingToPlayIsNoCrash()
    {
        Player p;
        p.controller.play();
        p.controller.toggle();
        p.controller.shuttleForward();
        p.controller.shuttleBackward();
        p.controller.seek(5);
        p.controller.step(-1);
        QVERIFY(!p.controller.isPlaying());
        p.controller.setSource(p.source, {30000, 1001});
        p.controller.setRunning(true);
        p.controller.play();
        p.controller.setRunning(false); // failed before the first picture
        QVERIFY(!p.controller.isPlaying());
    }
};

LOQUOR_TEST(tst_playback_controller)
#include "tst_playback_controller.moc"
