#include "core/media/audio_convert.h"
#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/media/image_writer.h"
#include "core/platform/memory.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <cmath>
#include <fstream>
#include <thread>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(error.text());
}

// Frequency by counting rises through zero in the middle of the block.
double measuredHertz(const AudioBlock& block)
{
    const std::int64_t from = block.frames() / 10, to = block.frames() * 9 / 10;
    double first = -1, last = -1;
    int rises = 0;
    for (std::int64_t i = from + 1; i < to; ++i) {
        const float a = block.samples[static_cast<std::size_t>((i - 1) * block.channels)];
        const float b = block.samples[static_cast<std::size_t>(i * block.channels)];
        if (a < 0 && b >= 0) {
            last = static_cast<double>(i - 1) + a / (a - b);
            if (first < 0)
                first = last;
            else
                ++rises;
        }
    }
    return rises * block.sampleRate / (last - first);
}

} // namespace

class tst_audio_reader : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const std::string& name) const
    {
        return fs::path(m_dir.path().toStdString()) / name;
    }

private Q_SLOTS:
    void wavRoundTrip()
    {
        const AudioBlock block = test::sine(44100, 2, 0.5);
        QVERIFY(writeWav(path("f.wav"), block, WavFormat::Float32));
        AudioReadOptions options;
        options.channels = 0;
        auto loaded = readAudio(path("f.wav"), options);
        QVERIFY(loaded);
        QCOMPARE(loaded->sampleRate, 44100);
        QCOMPARE(loaded->channels, 2);
        QVERIFY(loaded->samples == block.samples);
        QVERIFY(writeWav(path("i.wav"), block, WavFormat::Int16));
        loaded = readAudio(path("i.wav"), options);
        QVERIFY(loaded);
        for (std::size_t i = 0; i < block.samples.size(); ++i)
            QVERIFY(std::abs(loaded->samples[i] - block.samples[i]) <= 0.51f / 32768);
    }

    void case_026_case_088_anyRateKeepsLengthAndPitch_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        for (const int from : {8000, 11025, 16000, 22050, 32000, 44100, 48000, 96000, 192000})
            for (const int to : {16000, 24000, 48000})
                QTest::addRow("%d to %d", from, to) << from << to;
    }
    void case_026_case_088_anyRateKeepsLengthAndPitch()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        const AudioBlock block = test::sine(from, 1, 1.2345);
        QVERIFY(writeWav(path("a.wav"), block, WavFormat::Float32));
        AudioReadOptions options;
        options.sampleRate = to;
        const auto loaded = readAudio(path("a.wav"), options);
        QVERIFY(loaded);
        QCOMPARE(loaded->frames(), mulDivCeil(block.frames(), to, from));
        QVERIFY(std::abs(measuredHertz(*loaded) - 440) < 0.05);
        QVERIFY(std::abs(test::rms(*loaded, to / 4, to) - 0.5 / std::sqrt(2)) < 0.002);
        // No delay: the phase is that of the original at the same time.
        for (int i = to / 2; i < to / 2 + 100; ++i) {
            const double want = 0.5 * std::sin(2 * M_PI * 440 * i / to);
            QVERIFY(std::abs(loaded->samples[static_cast<std::size_t>(i)] - want) < 0.003);
        }
    }

    void case_089_stereoCountsFramesNotSamples()
    {
        AudioBlock block = test::sine(48000, 2, 2.0);
        QVERIFY(writeWav(path("s.wav"), block));
        const auto mono = readAudio(path("s.wav"));
        QVERIFY(mono);
        QCOMPARE(mono->frames(), SampleIndex(96000));
        QCOMPARE(mono->channels, 1);
        // Equal channels stay as loud as they were.
        QVERIFY(std::abs(test::rms(*mono, 0, 96000) - 0.5 / std::sqrt(2)) < 0.001);
        // Sound on one side only is halved, not lost.
        for (std::size_t i = 1; i < block.samples.size(); i += 2)
            block.samples[i] = 0;
        QVERIFY(writeWav(path("s.wav"), block));
        QVERIFY(std::abs(test::rms(*readAudio(path("s.wav")), 0, 96000) - 0.25 / std::sqrt(2)) <
                0.001);
    }

    void case_091_unusualSampleFormats_data()
    {
        QTest::addColumn<QString>("codec");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("8 bit") << "pcm_u8" << 0.01;
        QTest::newRow("24 bit") << "pcm_s24le" << 1e-6;
        QTest::newRow("32 bit") << "pcm_s32le" << 1e-6;
        QTest::newRow("double") << "pcm_f64le" << 1e-6;
        QTest::newRow("a-law") << "pcm_alaw" << 0.03;
        QTest::newRow("mu-law") << "pcm_mulaw" << 0.03;
        QTest::newRow("adpcm") << "adpcm_ms" << 0.05;
    }
    void case_091_unusualSampleFormats()
    {
        QFETCH(QString, codec);
        QFETCH(double, tolerance);
        const AudioBlock block = test::sine(16000, 1, 0.5);
        QVERIFY(writeWav(path("a.wav"), block, WavFormat::Float32));
        QCOMPARE(test::runTool("ffmpeg",
                               {"-i", path("a.wav"), "-c:a", codec.toStdString(), path("b.wav")}),
                 std::string());
        const auto loaded = readAudio(path("b.wav"));
        QVERIFY(loaded);
        QVERIFY(loaded->frames() >= block.frames());
        // ADPCM needs a while to find the level.
        for (std::size_t i = 2000; i < block.samples.size(); ++i)
            QVERIFY(std::abs(loaded->samples[i] - block.samples[i]) < tolerance);
    }

    void channelsOfAllKinds()
    {
        for (const int channels : {3, 6, 8, 11, 16}) {
            QVERIFY(writeWav(path("c.wav"), test::sine(16000, channels, 0.25), WavFormat::Float32));
            const auto mono = readAudio(path("c.wav"));
            QVERIFY2(mono, mono ? "" : mono.error().text().c_str());
            QCOMPARE(mono->frames(), SampleIndex(4000));
            float peak = 0;
            for (const float v : mono->samples)
                peak = std::max(peak, std::abs(v));
            QVERIFY(peak <= 0.5001f && peak > 0.4f);
        }
    }

    void case_095_lengthIsCountedNotBelieved()
    {
        // A WAV header that claims three times the data, and an MP3 of variable bit rate.
        const AudioBlock block = test::sine(16000, 1, 1.0);
        QVERIFY(writeWav(path("lie.wav"), block));
        {
            std::fstream file(path("lie.wav"), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(40);
            const std::uint32_t lie = 96000;
            file.write(static_cast<const char*>(static_cast<const void*>(&lie)), 4);
        }
        const auto counted = measureLength(path("lie.wav"));
        QVERIFY(counted);
        QCOMPARE(counted->frames, SampleIndex(16000));
        const AudioBlock longer = test::sine(44100, 1, 30.0);
        QVERIFY(writeWav(path("l.wav"), longer));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("l.wav"), "-c:a", "libmp3lame", "-q:a", "9",
                                          "-write_xing", "0", path("v.mp3")}),
                 std::string());
        const auto mp3 = measureLength(path("v.mp3"));
        QVERIFY(mp3);
        QVERIFY(std::abs(mp3->seconds() - 30.0) < 0.1);
    }

    void case_094_nothingToHear()
    {
        std::ofstream(path("zero.wav")).flush();
        auto result = AudioReader::open(path("zero.wav"));
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::EmptyInput);
        AudioBlock none;
        none.sampleRate = 16000;
        none.channels = 1;
        QVERIFY(writeWav(path("none.wav"), none));
        result = AudioReader::open(path("none.wav"));
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::EmptyInput);
        QVERIFY2(text(result.error()).contains("0 samples"), qPrintable(text(result.error())));
    }

    void case_097_case_152_theRealCauseIsNamed()
    {
        auto result = AudioReader::open(path("no such file.wav"));
        QCOMPARE(result.error().code(), ErrorCode::NotFound);
        QVERIFY(text(result.error()).contains("no such file.wav"));
        std::ofstream(path("text.wav"))
            << "This is not a sound file at all. " << std::string(5000, '.');
        result = AudioReader::open(path("text.wav"));
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Unreadable);
        QVERIFY(text(result.error()).contains("text.wav"));
        QVERIFY(writePng(path("picture.wav"), test::noise(16, 16, 1)));
        result = AudioReader::open(path("picture.wav"));
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Unsupported);
        QVERIFY2(text(result.error()).contains("no sound"), qPrintable(text(result.error())));
        result = AudioReader::open(m_dir.path().toStdString());
        QCOMPARE(result.error().code(), ErrorCode::Unreadable);
    }

    void namesThatLookLikeAddresses()
    {
        for (const char* name :
             {"http:__x.wav", "pipe:0", "concat:a|b.wav", "-", "a\nb%d.wav", "🎤.wav"}) {
            QVERIFY(writeWav(path(name), test::sine(16000, 1, 0.1)));
            const auto loaded = readAudio(path(name));
            QVERIFY2(loaded, name);
            QCOMPARE(loaded->frames(), SampleIndex(1600));
        }
    }

    void playlistsOpenNothing()
    {
        QVERIFY(writeWav(path("secret.wav"), test::sine(16000, 1, 0.1)));
        std::ofstream(path("list.m3u8")) << "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n"
                                         << path("secret.wav").string() << "\n#EXT-X-ENDLIST\n";
        QVERIFY(!AudioReader::open(path("list.m3u8")));
        std::ofstream(path("list.ffconcat")) << "ffconcat version 1.0\nfile secret.wav\n";
        QVERIFY(!AudioReader::open(path("list.ffconcat")));
    }

    void compressedKindsKeepTheirLength_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"a.flac", "a.mp3", "a.ogg", "a.opus", "a.m4a", "a.mka"})
            QTest::newRow(name) << name;
    }
    void compressedKindsKeepTheirLength()
    {
        QFETCH(QString, name);
        QVERIFY(writeWav(path("a.wav"), test::sine(48000, 1, 1.7)));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("a.wav"), path(name.toStdString())}),
                 std::string());
        const auto loaded = readAudio(path(name.toStdString()));
        QVERIFY(loaded);
        // AAC pads its last block; nothing else may add or lose.
        const SampleIndex extra = loaded->frames() - SampleIndex(81600);
        QVERIFY2(extra >= 0 && extra < 1100, qPrintable(QString::number(extra)));
        QVERIFY(std::abs(measuredHertz(*loaded) - 440) < 0.1);
        for (int i = 20000; i < 20100; ++i)
            QVERIFY(std::abs(loaded->samples[static_cast<std::size_t>(i)] -
                             0.5 * std::sin(2 * M_PI * 440 * i / 48000.0)) < 0.06);
    }

    void choosesAStream()
    {
        QVERIFY(writeWav(path("a.wav"), test::sine(48000, 1, 1.0, 440)));
        QVERIFY(writeWav(path("b.wav"), test::sine(48000, 1, 1.0, 1000)));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("a.wav"), "-i", path("b.wav"), "-map", "0",
                                          "-map", "1", "-c", "flac", path("two.mka")}),
                 std::string());
        QVERIFY(std::abs(measuredHertz(*readAudio(path("two.mka"))) - 440) < 1);
        AudioReadOptions options;
        options.stream = 2;
        QVERIFY(std::abs(measuredHertz(*readAudio(path("two.mka"), options)) - 1000) < 1);
        options.stream = 7;
        QCOMPARE(readAudio(path("two.mka"), options).error().code(), ErrorCode::InvalidArgument);
    }

    void case_028_gapsBecomeSilence()
    {
        // Half a second of sound, a hole of one second, half a second of sound.
        QVERIFY(writeWav(path("a.wav"), test::sine(48000, 1, 1.0)));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("a.wav"), "-af",
                                          "asetpts=if(lt(T\\,0.5)\\,PTS\\,PTS+1/TB)", "-c:a",
                                          "pcm_s16le", path("gap.mka")}),
                 std::string());
        const auto loaded = readAudio(path("gap.mka"));
        QVERIFY(loaded);
        QVERIFY2(std::abs(loaded->seconds() - 2.0) < 0.03,
                 qPrintable(QString::number(loaded->seconds())));
        QVERIFY(test::rms(*loaded, 4800, 19200) > 0.3);
        QVERIFY(test::rms(*loaded, 33600, 62400) < 1e-4);
        QVERIFY(test::rms(*loaded, 76800, 91200) > 0.3);
    }

    void damagedMiddleGoesOn()
    {
        QVERIFY(writeWav(path("a.wav"), test::sine(44100, 1, 5.0)));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("a.wav"), "-b:a", "128k", path("d.mp3")}),
                 std::string());
        {
            std::fstream file(path("d.mp3"), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(40000);
            file.write(std::string(4000, '\xFF').data(), 4000);
        }
        auto reader = AudioReader::open(path("d.mp3"));
        QVERIFY(reader);
        SampleIndex total = 0;
        for (;;) {
            const auto block = reader->read(10000);
            QVERIFY(block);
            if (block->samples.empty())
                break;
            total += block->frames();
        }
        QCOMPARE(total, reader->position());
        QVERIFY(total > 4 * 44100);
        QVERIFY(!reader->warnings().empty());
    }

    void threeHoursInConstantMemory()
    {
        // 3 h of 8 kHz sound, written and read in pieces.
        {
            auto writer = WavWriter::create(path("long.wav"), 8000, 1, WavFormat::Int16,
                                            platform::IfExists::Replace);
            QVERIFY(writer);
            const AudioBlock minute = test::sine(8000, 1, 60);
            for (int i = 0; i < 180; ++i)
                QVERIFY(writer->write(minute.samples.data(), minute.frames()));
            QVERIFY(writer->finish());
        }
        AudioReadOptions options;
        options.sampleRate = 16000;
        auto reader = AudioReader::open(path("long.wav"), options);
        QVERIFY(reader);
        QVERIFY(reader->read(16000));
        const auto before = platform::memoryUse().rssBytes;
        std::uint64_t most = 0;
        for (int i = 0;; ++i) {
            const auto block = reader->read(1 << 16);
            QVERIFY(block);
            if (block->samples.empty())
                break;
            if (i % 200 == 0)
                most = std::max(most, platform::memoryUse().rssBytes);
        }
        QCOMPARE(reader->position(), SampleIndex(3) * 3600 * 16000);
        QVERIFY2(most < before + (16u << 20), qPrintable(QString::number((most - before) >> 20)));
        fs::remove(path("long.wav"));
    }

    void piecesEqualTheWhole()
    {
        const AudioBlock block = test::sine(22050, 2, 0.7);
        const auto whole = converted(block, 48000, 1);
        QVERIFY(whole);
        auto converter = AudioConverter::create(22050, 2, 48000, 1);
        QVERIFY(converter);
        std::vector<float> joined;
        for (SampleIndex at = 0; at < block.frames(); at += 317)
            QVERIFY(converter->push(block.samples.data() + 2 * at,
                                    std::min<SampleIndex>(317, block.frames() - at), joined));
        QVERIFY(converter->finish(joined));
        QCOMPARE(joined.size(), whole->samples.size());
        for (std::size_t i = 0; i < joined.size(); ++i)
            QVERIFY(std::abs(joined[i] - whole->samples[i]) < 1e-6f);
        QCOMPARE(whole->frames(), mulDivCeil(block.frames(), 48000, 22050));
    }

    void manyReadersAtOnce()
    {
        QVERIFY(writeWav(path("a.wav"), test::sine(44100, 2, 2.0)));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("a.wav"), path("m.ogg")}), std::string());
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] {
                const auto loaded = readAudio(path("m.ogg"));
                if (loaded && loaded->frames() == 88200)
                    ++good;
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 3);
    }
};

LOQUOR_TEST(tst_audio_reader)
#include "tst_audio_reader.moc"
