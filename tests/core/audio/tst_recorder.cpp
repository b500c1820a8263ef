#include "core/audio/recorder.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <QTemporaryDir>

#include "tests/core/audio/fake_backend.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::audio;
using loquor::test::FakeBackend;
using loquor::test::FakeDevice;
using Phase = RecorderState::Phase;
namespace fs = std::filesystem;

namespace {

struct Wav
{
    int sampleRate = 0, channels = 0, bits = 0;
    std::vector<float> samples;
};

Wav readWav(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    Wav wav;
    if (bytes.size() < 58 || std::memcmp(bytes.data(), "RIFF", 4) != 0 ||
        std::memcmp(bytes.data() + 50, "data", 4) != 0)
        return wav;
    const auto number = [&](std::size_t at, std::size_t size) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, size);
        return static_cast<int>(value);
    };
    wav.channels = number(22, 2);
    wav.sampleRate = number(24, 4);
    wav.bits = number(34, 2);
    wav.samples.resize(static_cast<std::size_t>(number(54, 4)) / 4);
    if (58 + wav.samples.size() * 4 == bytes.size() &&
        number(4, 4) + 8 == static_cast<int>(bytes.size()))
        std::memcpy(wav.samples.data(), bytes.data() + 58, wav.samples.size() * 4);
    else
        wav.samples.clear();
    return wav;
}

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
        Recorder recorder(backend);
        recorder.arm("");
        QTRY_COMPARE(recorder.state().phase, Phase::Armed);
        QVERIFY(device.push(std::vector<float>(882, 0.9f))); // before the take: not in the file
        recorder.record(file("takes/a.wav"), "");
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        std::vector<float> block(44100, 0.25f); // half a second of stereo
        block[1] = block[40000] = -0.5f; // the second is in the last full window of the meter
        QVERIFY(device.push(block));
        QTRY_COMPARE(recorder.state().seconds, 0.5);
        QTRY_COMPARE(recorder.state().peak, 0.5f);
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        const Wav wav = readWav(file("takes/a.wav"));
        QCOMPARE(wav.sampleRate, 44100);
        QCOMPARE(wav.channels, 2);
        QCOMPARE(wav.bits, 32);
        QCOMPARE(wav.samples.size(), std::size_t(44100));
        QCOMPARE(wav.samples[0], 0.25f);
        QCOMPARE(wav.samples[1], -0.5f);
        QVERIFY(!fs::exists(file("takes/a.wav.part")));
        QVERIFY(!device.running);
    }

    void case_101_lost_blocks_are_counted()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend);
        recorder.record(file("b.wav"), "");
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(480, 0.1f), true);
        QTRY_COMPARE(recorder.state().lostBlocks, std::uint64_t(1));
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        QCOMPARE(recorder.state().lostBlocks, std::uint64_t(1));
    }

    void case_100_a_lost_microphone_keeps_the_take()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend);
        recorder.record(file("c.wav"), "");
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(4800, 0.1f));
        QTRY_COMPARE(recorder.state().seconds, 0.1);
        device.alive = false;
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QCOMPARE(recorder.state().error->code(), ErrorCode::ConnectionLost);
        QCOMPARE(recorder.state().file, file("c.wav"));
        QCOMPARE(readWav(file("c.wav")).samples.size(), std::size_t(4800));
    }

    void a_device_that_throws_is_a_failure_and_the_next_take_works()
    {
        FakeDevice device;
        device.throws = true;
        FakeBackend backend(device);
        Recorder recorder(backend);
        recorder.record(file("thrown.wav"), "");
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QVERIFY(recorder.state().error->message().find("odd") != std::string::npos);
        device.throws = false;
        recorder.record(file("thrown.wav"), "");
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(4800, 0.1f));
        recorder.stop();
        QTRY_COMPARE(recorder.state().phase, Phase::Finished);
        QCOMPARE(readWav(file("thrown.wav")).samples.size(), std::size_t(4800));
    }

    void case_100_silence_is_noticed()
    {
        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend);
        recorder.record(file("d.wav"), "");
        QTRY_COMPARE(recorder.state().phase, Phase::Recording);
        device.push(std::vector<float>(48000, 0.0f));
        QTRY_COMPARE(recorder.state().silentSeconds, 1.0);
        device.push(std::vector<float>(480, 0.01f));
        QTRY_COMPARE(recorder.state().silentSeconds, 0.0);
    }

    void noMicrophoneAndNoFolderAreWords()
    {
        FakeDevice none;
        none.exists = false;
        FakeBackend noBackend(none);
        Recorder without(noBackend);
        without.record(file("e.wav"), "");
        QTRY_COMPARE(without.state().phase, Phase::Failed);
        QCOMPARE(without.state().error->code(), ErrorCode::NotFound);
        QVERIFY(without.state().file.empty());

        FakeDevice device;
        FakeBackend backend(device);
        Recorder recorder(backend);
        recorder.record("/proc/loquor/f.wav", "");
        QTRY_COMPARE(recorder.state().phase, Phase::Failed);
        QVERIFY(!recorder.state().error->message().empty());
        recorder.arm(""); // and it can be used again
        QTRY_COMPARE(recorder.state().phase, Phase::Armed);
    }

    void destroyingFinishesTheTake()
    {
        FakeDevice device;
        FakeBackend backend(device);
        {
            Recorder recorder(backend);
            recorder.record(file("g.wav"), "");
            QTRY_COMPARE(recorder.state().phase, Phase::Recording);
            device.push(std::vector<float>(100, 0.5f));
        }
        QCOMPARE(readWav(file("g.wav")).samples.size(), std::size_t(100));
    }
};

LOQUOR_TEST(tst_recorder)
#include "tst_recorder.moc"
