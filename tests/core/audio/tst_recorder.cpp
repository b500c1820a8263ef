#include "core/audio/recorder.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <QTemporaryDir>

#include "core/media/audio_reader.h"
#include "tests/core/audio/fake_backend.h"
#include "tests/core/audio/take_reading.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::audio;
using loquor::test::FakeBackend;
using loquor::test::FakeDevice;
using loquor::test::TwoDevices;
using Phase = RecorderState::Phase;
namespace fs = std::filesystem;

namespace {

TakeRequest requestFor(const fs::path& file)
{
    TakeRequest request;
    request.file = file;
    return request;
}

std::vector<float> ramp(std::size_t count, float level)
{
    std::vector<float> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = level * std::sin(static_cast<float>(i) * .05f);
    return out;
}

// A machine that tests share may be busy for a while: only the tests about it let a device stall.
constexpr RecorderTimes kPatient{60, .05, 5};

} // namespace

class tst_recorder : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path file(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }

private Q_SLOTS:
    void recordsAtTheRateOfTheDevice()
    {
        FakeDevice device;
        device.sampleRate = 44100;
        device.channels = 2;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.arm("");
        QTRY_COMPARE(recorder.state().phase, Phase::Armed);
        QVERIFY(device.push(std::vector<float>(882, 0.9f))); // before the take: not in the file
        QTRY_COMPARE(recorder.state().phase, Phase::Armed);
        recorder.record(requestFor(file("takes/a.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        std::vector<float> block(44100, 0.25f); // half a second of stereo
        block[1] = block[40000] = -0.5f; // the second is in the last full window of the meter
        block[2] = 1.f / 8388608;        // one step of 24 bits
        QVERIFY(device.push(block));
        QTRY_COMPARE(recorder.state().seconds, 0.5);
        QTRY_COMPARE(recorder.state().peak, 0.5f);
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const AudioBlock take = readTake(file("takes/a.flac"));
        QCOMPARE(take.sampleRate, 44100);
        QCOMPARE(take.channels, 2);
        QVERIFY(take.samples == block); // to the bit
        QVERIFY(!fs::exists(file("takes/a.flac.part")));
        QVERIFY(!device.running);
        const auto facts = readTakeFacts(file("takes/a.flac"));
        QVERIFY(facts);
        QCOMPARE(facts->frames, SampleIndex(22050));
        QVERIFY(facts->gaps.empty());
    }

    void aTakeIsNeverWrittenOver()
    {
        std::ofstream(file("there.flac")) << "something";
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("there.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QCOMPARE(recorder.state().error->code(), ErrorCode::AlreadyExists);
        QCOMPARE(fs::file_size(file("there.flac")), std::uintmax_t(9));
    }

    void case_101_lost_blocks_are_counted()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("b.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(480, 0.1f), true);
        QTRY_COMPARE(recorder.state().xruns, std::uint64_t(1));
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        QCOMPARE(recorder.state().xruns, std::uint64_t(1));
        QCOMPARE(readTakeFacts(file("b.flac"))->xruns, std::uint64_t(1));
    }

    void case_100_a_lost_microphone_keeps_the_take_and_goes_on()
    {
        std::atomic<double> now{100};
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, {60, .5, 5}, [&now] { return now.load(); });
        recorder.record(requestFor(file("c.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(4800, 0.1f));
        QTRY_COMPARE(recorder.state().seconds, 0.1);
        device.exists = false;
        device.alive = false;
        QTRY_VERIFY(recorder.state().deviceLost);
        QCOMPARE(recorder.state().phase, Phase::Recording);
        QVERIFY(!device.running);
        now = 102; // still away
        QTest::qWait(60);
        QVERIFY(recorder.state().deviceLost);
        device.alive = true;
        device.exists = true;
        now = 102.6;
        QTRY_VERIFY(!recorder.state().deviceLost);
        QVERIFY(device.push(std::vector<float>(4800, 0.2f)));
        QTRY_VERIFY(std::abs(recorder.state().seconds - 2.8) < 1e-9);
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const AudioBlock take = readTake(file("c.flac"));
        QCOMPARE(take.frames(), SampleIndex(4800 + 124800 + 4800));
        QVERIFY(std::abs(take.samples[4799] - .1f) < 1e-6f);
        QCOMPARE(take.samples[4800], 0.f);
        QCOMPARE(take.samples[129599], 0.f);
        QVERIFY(std::abs(take.samples[129600] - .2f) < 1e-6f);
        const auto facts = readTakeFacts(file("c.flac"));
        QVERIFY(facts);
        QCOMPARE(facts->gaps.size(), std::size_t(1));
        QCOMPARE(facts->gaps[0].at, SampleIndex(4800));
        QCOMPARE(facts->gaps[0].silence, SampleIndex(124800));
        QVERIFY(std::abs(facts->gaps[0].lostSeconds - 2.6) < 1e-9);
    }

    // The headset went away and the microphone of the screen takes over: the file goes on as it began.
    void case_100_another_device_goes_on_in_the_same_file()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, {60, .02, 0}); // no silence for the gap
        recorder.record(requestFor(file("other.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        QVERIFY(device.push(std::vector<float>(48000, 0.1f)));
        QTRY_COMPARE(recorder.state().seconds, 1.0);
        device.exists = false;
        device.alive = false;
        QTRY_VERIFY(recorder.state().deviceLost);
        {
            std::lock_guard lock(device.mutex);
            device.sampleRate = 16000;
            device.channels = 2;
        }
        device.alive = true;
        device.exists = true;
        QTRY_VERIFY(!recorder.state().deviceLost);
        QVERIFY(device.push(std::vector<float>(32000, 0.2f))); // a second of stereo
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const AudioBlock take = readTake(file("other.flac"));
        QCOMPARE(take.sampleRate, 48000);
        QCOMPARE(take.channels, 1);
        QVERIFY2(std::abs(take.frames() - 96000) <= 48, qPrintable(QString::number(take.frames())));
        QVERIFY(std::abs(take.samples[72000] - .2f) < 1e-3f);
        QCOMPARE(readTakeFacts(file("other.flac"))->gaps.size(), std::size_t(1));
    }

    void case_100_a_device_without_callbacks_is_lost()
    {
        std::atomic<double> now{0};
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, {3, .5, 5}, [&now] { return now.load(); });
        recorder.record(requestFor(file("stalled.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        QVERIFY(device.push(std::vector<float>(4800, 0.1f)));
        QTRY_COMPARE(recorder.state().seconds, .1);
        device.exists = false; // so that it stays lost
        now = 3.5;
        QTRY_VERIFY(recorder.state().deviceLost);
        recorder.stop(); // the user does not want to wait
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        QCOMPARE(readTake(file("stalled.flac")).frames(), SampleIndex(4800));
    }

    void aDeviceThatGoesAwayBeforeTheTakeIsAFailure()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.arm("");
        QTRY_COMPARE(recorder.state().phase, Phase::Armed);
        device.alive = false;
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QCOMPARE(recorder.state().error->code(), ErrorCode::ConnectionLost);
    }

    void a_device_that_throws_is_a_failure_and_the_next_take_works()
    {
        FakeDevice device;
        device.throws = true;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("thrown.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QVERIFY(recorder.state().error->message().find("odd") != std::string::npos);
        device.throws = false;
        recorder.record(requestFor(file("thrown.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(4800, 0.1f));
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        QCOMPARE(readTake(file("thrown.flac")).frames(), SampleIndex(4800));
    }

    void case_100_silence_is_noticed()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("d.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(48000, 0.0f));
        QTRY_COMPARE(recorder.state().silentSeconds, 1.0);
        device.push(std::vector<float>(480, 0.01f));
        QTRY_COMPARE(recorder.state().silentSeconds, 0.0);
    }

    void clippingAndNoiseAreMeasured()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("loud.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        std::vector<float> sound(48000);
        for (std::size_t i = 0; i < sound.size(); ++i) // noise of -60 dBFS
            sound[i] = i % 2 == 0 ? .001f : -.001f;
        for (std::size_t i = 24000; i < 24008; ++i)
            sound[i] = 1;
        for (std::size_t i = 36000; i < 36005; ++i)
            sound[i] = -1;
        device.push(sound);
        QTRY_COMPARE(recorder.state().clippedRuns, std::int64_t(2));
        QVERIFY(std::abs(recorder.state().noiseFloorDb + 60) < 1);
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const auto facts = readTakeFacts(file("loud.flac"));
        QVERIFY(facts);
        QCOMPARE(facts->clippedRuns, std::int64_t(2));
        QVERIFY((facts->clipped == std::vector<media::SoundSpan>{{24000, 8}, {36000, 5}}));
    }

    void countsInAndBeginsWithTheRightSample()
    {
        FakeDevice microphone, output;
        output.sampleRate = 44100;
        TwoDevices backend(microphone, output);
        Recorder recorder(backend, kPatient);
        TakeRequest request = requestFor(file("counted.flac"));
        request.countIn = {3, .5, true};
        recorder.record(request);
        QTRY_COMPARE(recorder.state().phase, Phase::CountIn);
        QCOMPARE(recorder.state().countLeft, 3);
        QTRY_VERIFY(output.running.load());
        const std::vector<float> clicks = output.pull(44100);
        float loudest = 0;
        for (std::size_t i = 22050; i < 22050 + 1000; ++i) // the second beat
            loudest = std::max(loudest, std::abs(clicks[i]));
        QVERIFY(loudest > .1f);
        QCOMPARE(clicks[15000], 0.f);
        QVERIFY(microphone.push(std::vector<float>(24000, .5f)));
        QTRY_COMPARE(recorder.state().countLeft, 2);
        QVERIFY(microphone.push(std::vector<float>(24000, .5f)));
        QTRY_COMPARE(recorder.state().countLeft, 1);
        std::vector<float> last(24100, .5f);
        std::fill(last.begin() + 24000, last.end(), .25f);
        QVERIFY(microphone.push(last));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        QCOMPARE(recorder.state().countLeft, 0);
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const AudioBlock take = readTake(file("counted.flac"));
        QCOMPARE(take.frames(), SampleIndex(100));
        QCOMPARE(take.samples[0], .25f);
        QVERIFY(!output.running.load());
    }

    void stoppedInTheCountInNothingIsLeft()
    {
        FakeDevice microphone, output;
        output.exists = false; // no clicks then, but it counts
        TwoDevices backend(microphone, output);
        Recorder recorder(backend, kPatient);
        TakeRequest request = requestFor(file("never/begun.flac"));
        request.countIn = {3, 1, true};
        recorder.record(request);
        QTRY_COMPARE(recorder.state().phase, Phase::CountIn);
        QVERIFY(recorder.state().outputMissing);
        QVERIFY(microphone.push(std::vector<float>(4800, .5f)));
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Idle);
        QVERIFY(recorder.state().file.empty());
        QVERIFY(fs::is_empty(file("never")));
    }

    void oneselfIsHeardOnlyWhenAskedFor()
    {
        FakeDevice microphone, output;
        TwoDevices backend(microphone, output);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("unheard.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        QCOMPARE(output.opened.load(), 0);
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Idle);
        TakeRequest request = requestFor(file("heard.flac"));
        request.monitor = true;
        recorder.record(request);
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        QTRY_VERIFY(output.running.load());
        const std::vector<float> said = ramp(480, .5f);
        QVERIFY(microphone.push(said));
        QVERIFY(output.pull(480) == said);
        QCOMPARE(output.pull(480), std::vector<float>(480, 0.f)); // nothing came in since
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
    }

    void punchInKeepsTheOldTakeAndMakesANewOne()
    {
        FakeDevice microphone, output;
        microphone.sampleRate = output.sampleRate = 16000;
        TwoDevices backend(microphone, output);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor(file("old.flac")));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        QVERIFY(microphone.push(std::vector<float>(64000, .25f))); // four seconds
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);

        TakeRequest request = requestFor(file("new.flac"));
        request.punch = PunchIn{file("old.flac"), 1.5, 2.5, 1};
        recorder.record(request);
        QTRY_COMPARE(recorder.state().phase, Phase::CountIn);
        QTRY_VERIFY(output.running.load());
        QVERIFY(std::abs(output.pull(1600)[800] - .25f) < .01f); // the old take is heard before
        // A second of pre-roll, then more than is wanted: it ends by itself.
        QVERIFY(microphone.push(std::vector<float>(16000 - 160, .9f)));
        QTRY_COMPARE(recorder.state().seconds, 0.0);
        for (int i = 0; i < 20 && microphone.push(std::vector<float>(1600, -.5f)); ++i)
            QTest::qWait(5);
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const AudioBlock take = readTake(file("new.flac"));
        QCOMPARE(take.frames(), SampleIndex(64000));
        QVERIFY(std::abs(take.samples[23000] - .25f) < 1e-6f);
        QVERIFY(std::abs(take.samples[24000] + .5f) < 1e-6f);
        QVERIFY(std::abs(take.samples[39999] + .5f) < 1e-6f);
        QVERIFY(std::abs(take.samples[40200] - .25f) < 1e-6f);
        for (std::size_t i = 1; i < take.samples.size(); ++i) // no step at the seams
            QVERIFY(std::abs(take.samples[i] - take.samples[i - 1]) < .02f);
        QCOMPARE(readTake(file("old.flac")).samples, std::vector<float>(64000, .25f));
        QVERIFY(!fs::exists(file("new.stretch.flac")));
    }

    void aPunchOverNothingIsRefused()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        TakeRequest request = requestFor(file("nopunch.flac"));
        request.punch = PunchIn{file("not there.flac"), 1, 2, 1};
        recorder.record(request);
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QCOMPARE(recorder.state().error->code(), ErrorCode::NotFound);
        QVERIFY(!fs::exists(file("nopunch.stretch.flac.part")));
    }

    void noMicrophoneAndNoFolderAreWords()
    {
        FakeDevice none;
        none.exists = false;
        FakeBackend noBackend(none);
        Recorder without(noBackend, kPatient);
        without.record(requestFor(file("e.flac")));
        QTRY_COMPARE(without.state().phase, Phase::Failed);
        QCOMPARE(without.state().error->code(), ErrorCode::NotFound);
        QVERIFY(without.state().file.empty());

        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        recorder.record(requestFor("/proc/loquor/f.flac"));
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QVERIFY(!recorder.state().error->message().empty());
        recorder.arm(""); // and it can be used again
        QTRY_COMPARE(recorder.state().phase, Phase::Armed);
    }

    void rates_data()
    {
        QTest::addColumn<int>("rate");
        QTest::addColumn<int>("channels");
        for (const int rate : {8000, 11025, 44100, 48000, 96000, 192000})
            QTest::addRow("%d", rate) << rate << 1;
        QTest::addRow("stereo") << 48000 << 2;
        QTest::addRow("5.1") << 48000 << 6;
        QTest::addRow("7.1") << 48000 << 8;
    }
    void rates()
    {
        QFETCH(int, rate);
        QFETCH(int, channels);
        FakeDevice device;
        device.sampleRate = rate;
        device.channels = channels;
        FakeBackend backend(device);
        Recorder recorder(backend, kPatient);
        const fs::path name = file("rate") / (std::to_string(rate) + "-" + std::to_string(channels) + ".flac");
        recorder.record(requestFor(name));
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        const std::vector<float> sound = ramp(static_cast<std::size_t>(rate / 10 * channels), .5f);
        QVERIFY(device.push(sound));
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const AudioBlock take = readTake(name);
        QCOMPARE(take.sampleRate, rate);
        QCOMPARE(take.channels, channels);
        QCOMPARE(take.samples.size(), sound.size());
        for (std::size_t i = 0; i < sound.size(); ++i)
            QVERIFY(std::abs(take.samples[i] - sound[i]) <= .5f / 8388608);
    }

    void destroyingFinishesTheTake()
    {
        FakeDevice device;
        FakeBackend backend(device);
        {
            Recorder recorder(backend, kPatient);
            recorder.record(requestFor(file("g.flac")));
            QTRY_COMPARE(recorder.state().phase, Phase::Recording);
            device.push(std::vector<float>(100, 0.5f));
        }
        QCOMPARE(readTake(file("g.flac")).frames(), SampleIndex(100));
    }
};

LOQUOR_TEST(tst_recorder)
#include "tst_recorder.moc"
