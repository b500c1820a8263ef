#include "core/audio/playback.h"

#include <atomic>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tests/core/audio/fake_backend.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::audio;
using loquor::test::FakeBackend;
using loquor::test::FakeDevice;

namespace {

// A ramp: sample n is n / 1e6, so that every sample says where it comes from.
SampleSource ramp(std::atomic<std::int64_t>& available)
{
    return [&available](std::int64_t from, float* out, std::size_t count) {
        const auto there = std::max<std::int64_t>(0, available - from);
        count = std::min(count, static_cast<std::size_t>(there));
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<float>(from + static_cast<std::int64_t>(i)) / 1e6f;
        return count;
    };
}

float rampAt(std::int64_t sample)
{
    return static_cast<float>(sample) / 1e6f;
}

} // namespace

class tst_playback : public QObject
{
    Q_OBJECT

    std::atomic<double> m_now{0};
    void waitUntilHeard() { m_now = m_now + 1000; }

private Q_SLOTS:
    void playsFromTheAskedSampleOnAllChannels()
    {
        FakeDevice device;
        device.channels = 2;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{100000};
        Playback playback(backend, *clock, [this] { return m_now.load(); });
        playback.play(ramp(available), 24000, 500);
        QTRY_VERIFY(device.running);
        const auto block = device.pull(100);
        QCOMPARE(block[0], rampAt(500));
        QCOMPARE(block[1], rampAt(500));
        QCOMPARE(block[199], rampAt(599));
        waitUntilHeard();
        QCOMPARE(playback.position(), std::int64_t(600));
        QVERIFY(!playback.isSilent());
        QVERIFY(!playback.isStarved());
    }

    void latencyIsTakenOffThePosition()
    {
        FakeDevice device;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{100000};
        std::atomic<double> now{10};
        Playback playback(backend, *clock, [&] { return now.load(); });
        playback.play(ramp(available), 1000, 0);
        QTRY_VERIFY(device.running);
        device.pull(100, 0.5); // the first of 100 ms is heard in half a second
        QCOMPARE(playback.position(), std::int64_t(0));
        now = 10.55;
        QVERIFY(std::abs(playback.position() - 50) <= 1);
        now = 20;
        QCOMPARE(playback.position(), std::int64_t(100)); // never past what was handed over
        now = 10.51;
        QCOMPARE(playback.position(), std::int64_t(100)); // and never back
    }

    void case_001_a_dry_source_holds_the_position()
    {
        FakeDevice device;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{50};
        Playback playback(backend, *clock, [this] { return m_now.load(); });
        playback.play(ramp(available), 1000, 0);
        QTRY_VERIFY(device.running);
        const auto block = device.pull(80);
        QCOMPARE(block[49], rampAt(49));
        QCOMPARE(block[50], 0.0f);
        QVERIFY(playback.isStarved());
        waitUntilHeard();
        QCOMPARE(playback.position(), std::int64_t(50));
        device.pull(80);
        QCOMPARE(playback.position(), std::int64_t(50));
        available = 1000;
        float next = 0;
        QVERIFY(QTest::qWaitFor([&] { return (next = device.pull(1).at(0)) != 0; }));
        QCOMPARE(next, rampAt(50)); // goes on where it stood
    }

    void stopHoldsAndPlaySeeks()
    {
        FakeDevice device;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{100000};
        Playback playback(backend, *clock, [this] { return m_now.load(); });
        playback.play(ramp(available), 1000, 0);
        QTRY_VERIFY(device.running);
        device.pull(40);
        waitUntilHeard();
        playback.stop();
        QCOMPARE(playback.position(), std::int64_t(40));
        QTRY_VERIFY(!device.running);
        playback.play(ramp(available), 1000, 7000);
        QCOMPARE(playback.position(), std::int64_t(7000)); // at once, before the device is ready
        QTRY_VERIFY(device.running);
        QCOMPARE(device.pull(1).at(0), rampAt(7000));
        QCOMPARE(device.opened.load(), 1); // the device was kept open
    }

    void case_088_a_device_with_another_rate_is_resampled()
    {
        FakeDevice device;
        device.sampleRate = 48000;
        device.acceptsAnyRate = false;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        const double step = 2 * std::numbers::pi * 440 / 22050;
        Playback playback(backend, *clock, [this] { return m_now.load(); });
        playback.play(
            [step](std::int64_t from, float* out, std::size_t count) {
                for (std::size_t i = 0; i < count; ++i)
                    out[i] = static_cast<float>(
                        std::sin(step * static_cast<double>(from + static_cast<std::int64_t>(i))));
                return count;
            },
            22050, 0);
        QTRY_VERIFY(device.running);
        const auto block = device.pull(4800);
        double worst = 0;
        for (std::size_t i = 480; i < 4800; ++i)
            worst = std::max(worst, std::abs(block[i] - std::sin(2 * std::numbers::pi * 440 *
                                                                 static_cast<double>(i) / 48000)));
        QVERIFY2(worst < 2e-3, qPrintable(QString::number(worst)));
        waitUntilHeard();
        QCOMPARE(playback.position(), std::int64_t(2205)); // in samples of the source
    }

    void withoutADeviceTimeStillRuns()
    {
        FakeDevice none;
        none.exists = false;
        FakeBackend backend(none);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{1000000};
        Playback playback(backend, *clock);
        playback.play(ramp(available), 16000, 0);
        QTRY_VERIFY(playback.position() > 1600);
        QVERIFY(playback.isSilent());
        QCOMPARE(playback.silenceReason(), std::string("There is no such device"));
    }

    void case_100_a_lost_device_hands_over_to_the_clock()
    {
        FakeDevice device;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{10000000};
        Playback playback(backend, *clock);
        playback.play(ramp(available), 16000, 0);
        QTRY_VERIFY(device.running);
        device.pull(3200);
        device.alive = false;
        QTRY_VERIFY(playback.isSilent());
        const auto before = playback.position();
        QVERIFY(before >= 0 && before <= 3200 + 16000);
        QTRY_VERIFY(playback.position() > before + 1600);
        QVERIFY(!playback.silenceReason().empty());
    }

    void aSourceThatThrowsEndsItsSoundOnly()
    {
        FakeDevice device;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{100000};
        Playback playback(backend, *clock);
        playback.play([](std::int64_t, float*, std::size_t) -> std::size_t { throw std::runtime_error("no disk"); }, 8000,
                      0);
        QTRY_VERIFY(playback.silenceReason().find("no disk") != std::string::npos);
        playback.play(ramp(available), 8000, 300);
        QTRY_VERIFY(device.running);
        QCOMPARE(device.pull(1)[0], rampAt(300));
        QCOMPARE(playback.silenceReason(), std::string());
    }

    void manyStartsAndStops()
    {
        FakeDevice device;
        FakeBackend backend(device);
        auto clock = createClockBackend();
        std::atomic<std::int64_t> available{100000};
        for (int round = 0; round < 20; ++round) {
            Playback playback(backend, *clock);
            playback.play(ramp(available), 8000, round);
            if (round % 3 == 0)
                playback.stop();
            playback.play(ramp(available), 16000, round);
            device.pull(64);
        }
        QVERIFY(!device.running);
    }
};

LOQUOR_TEST(tst_playback)
#include "tst_playback.moc"
