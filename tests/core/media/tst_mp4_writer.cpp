#include "core/base/trace.h"
#include "core/media/audio_reader.h"
#include "core/media/image_loader.h"
#include "core/media/mp4_writer.h"
#include "core/media/probe.h"
#include "core/media/video_reader.h"
#include "core/platform/atomic_file.h"
#include "core/platform/child_process.h"
#include "core/platform/signals.h"
#include "tests/core/media/interleaving.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;
using platform::IfExists;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(error.text());
}

Mp4Options smallVideo(Rational fps = {25, 1}, int audioRate = 48000)
{
    Mp4Options options;
    options.width = 160;
    options.height = 96;
    options.fps = fps;
    options.audioRate = audioRate;
    options.threads = 1;
    return options;
}

// The picture and sound of `seconds` of speech: ceil(samples * fps / rate) frames.
Result<Mp4Summary> writeVideo(const fs::path& file, const Mp4Options& options, double seconds,
                              IfExists ifExists = IfExists::Refuse)
{
    LQ_TRY(Mp4Writer writer, Mp4Writer::create(file, options, ifExists));
    const int rate = options.audioRate > 0 ? options.audioRate : 48000;
    const AudioBlock sound = test::sine(rate, options.audioChannels, seconds);
    const FrameIndex frames = framesCovering(sound.frames(), rate, options.fps);
    for (FrameIndex i = 0; i < frames; ++i) {
        LQ_CHECKED(writer.addFrame(
            test::movingPicture(options.width, options.height, static_cast<int>(i))));
        if (options.audioRate == 0)
            continue;
        const SampleIndex from = firstSampleOf(i, rate, options.fps);
        const SampleIndex to = std::min(firstSampleOf(i + 1, rate, options.fps), sound.frames());
        LQ_CHECKED(writer.addAudio(sound.samples.data() + from * options.audioChannels, to - from));
    }
    return writer.finish();
}

} // namespace

class tst_mp4_writer : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_root;

private Q_SLOTS:
    void init()
    {
        m_root = fs::path(m_dir.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directories(m_root);
    }

    void case_010_case_019_lengthsAreExact_data()
    {
        QTest::addColumn<int>("num");
        QTest::addColumn<int>("den");
        QTest::addColumn<int>("rate");
        QTest::addColumn<double>("seconds");
        QTest::newRow("25 fps 48k") << 25 << 1 << 48000 << 2.0;
        QTest::newRow("25 fps 22050 odd") << 25 << 1 << 22050 << 1.93137;
        QTest::newRow("25 fps 16k") << 25 << 1 << 16000 << 3.001;
        QTest::newRow("29.97 44100") << 30000 << 1001 << 44100 << 2.5;
        QTest::newRow("60 24k") << 60 << 1 << 24000 << 1.017;
        QTest::newRow("23.976 8k") << 24000 << 1001 << 8000 << 2.2;
        QTest::newRow("12.5 48k") << 25 << 2 << 48000 << 1.99;
        QTest::newRow("one frame") << 25 << 1 << 48000 << 0.01;
        // Sound that ends just behind a picture gives the next one: by one sample and more, up to a thousandth of a second.
        QTest::newRow("one sample over") << 25 << 1 << 48000 << 96001 / 48000.0;
        QTest::newRow("half a millisecond over") << 25 << 1 << 22050 << 65280 / 22050.0;
        QTest::newRow("0.4 ms over, 50") << 50 << 1 << 48000 << 96020 / 48000.0;
        QTest::newRow("0.5 ms over, 16k") << 25 << 1 << 16000 << 32008 / 16000.0;
        QTest::newRow("one sample over, 44.1k") << 25 << 1 << 44100 << 88201 / 44100.0;
        QTest::newRow("one sample over, 29.97") << 30000 << 1001 << 48000 << 96097 / 48000.0;
    }
    void case_010_case_019_lengthsAreExact()
    {
        QFETCH(int, num);
        QFETCH(int, den);
        QFETCH(int, rate);
        QFETCH(double, seconds);
        const Rational fps = Rational::make(num, den);
        const fs::path file = m_root / "a.mp4";
        const auto summary = writeVideo(file, smallVideo(fps, rate), seconds, IfExists::Replace);
        QVERIFY2(summary, summary ? "" : summary.error().text().c_str());
        const auto samples = static_cast<SampleIndex>(std::llround(seconds * rate));
        const FrameIndex frames = framesCovering(samples, rate, fps);
        QCOMPARE(summary->frames, frames);
        QCOMPARE(summary->audioFrames, samples);
        const auto facts = probeMedia(file, ProbeDepth::Decode);
        QVERIFY(facts && facts->video && facts->audio);
        QCOMPARE(facts->damagedParts, 0);
        QCOMPARE(facts->video->packets, frames);
        QCOMPARE(facts->video->decodedFrames, frames);
        QVERIFY(facts->video->frameRate == fps);
        QVERIFY(!facts->video->isVariableRate);
        QVERIFY(std::abs(facts->video->durationSeconds - secondsOf(frames, fps)) < 0.0015);
        QVERIFY(std::abs(facts->audio->durationSeconds - seconds) < 1.0 / rate);
        QVERIFY(std::abs(facts->video->durationSeconds - facts->audio->durationSeconds) <
                1.0 / fps.toDouble());
        QCOMPARE(facts->video->startSeconds, 0.0);
        QCOMPARE(facts->audio->startSeconds, 0.0);
        // FFmpeg's own program agrees.
        QCOMPARE(test::ffprobe(file, "stream=nb_read_frames", "v:0", true), std::to_string(frames));
        QVERIFY(std::abs(std::stod(test::ffprobe(file, "stream=start_time", "a:0"))) < 1e-6);
        const double videoEnd = std::stod(test::ffprobe(file, "stream=duration", "v:0"));
        const double audioEnd = std::stod(test::ffprobe(file, "stream=duration", "a:0"));
        QVERIFY(std::abs(videoEnd - audioEnd) < 1.0 / fps.toDouble());
        QCOMPARE(test::filesIn(m_root), 1);
    }

    // 25: a player that reads the file from the front finds sound beside the pictures it belongs to.
    void case_025_picturesAndSoundAreInterleaved()
    {
        const fs::path even = m_root / "even.mp4";
        QVERIFY(writeVideo(even, smallVideo(), 24));
        QVERIFY2(test::worstInterleaving(even) <= 1, qPrintable(QString::number(test::worstInterleaving(even))));
        // Pictures arrive four seconds ahead of their sound, as an engine gives them chunk by chunk.
        const fs::path late = m_root / "late.mp4";
        auto writer = Mp4Writer::create(late, smallVideo(), IfExists::Refuse);
        QVERIFY(writer);
        const AudioBlock sound = test::sine(48000, 1, 24);
        for (int second = 0; second < 24; second += 4) {
            for (int i = 25 * second; i < 25 * (second + 4); ++i)
                QVERIFY(writer->addFrame(test::movingPicture(160, 96, i)));
            QVERIFY(writer->addAudio(sound.samples.data() + 48000 * second, 4 * 48000));
        }
        QVERIFY(writer->finish());
        QVERIFY2(test::worstInterleaving(late) <= 1, qPrintable(QString::number(test::worstInterleaving(late))));
    }

    void soundIsWhereItWas()
    {
        // Silence, then a tone that starts at exactly 1 s.
        const fs::path file = m_root / "a.mp4";
        auto writer = Mp4Writer::create(file, smallVideo(), IfExists::Refuse);
        QVERIFY(writer);
        AudioBlock sound = test::sine(48000, 1, 2.0, 1000);
        std::fill_n(sound.samples.begin(), 48000, 0.0f);
        for (int i = 0; i < 50; ++i)
            QVERIFY(writer->addFrame(test::movingPicture(160, 96, i)));
        QVERIFY(writer->addAudio(sound.samples.data(), sound.frames()));
        QVERIFY(writer->finish());
        const auto loaded = readAudio(file);
        QVERIFY(loaded);
        SampleIndex onset = 0;
        while (onset < loaded->frames() &&
               std::abs(loaded->samples[static_cast<std::size_t>(onset)]) < 0.1f)
            ++onset;
        QVERIFY2(std::abs(static_cast<double>(onset) - 48000) < 480,
                 qPrintable(QString::number(onset)));
    }

    void case_004_case_008_blipAndFlashStayTogether_data()
    {
        QTest::addColumn<int>("num");
        QTest::addColumn<int>("den");
        QTest::addColumn<int>("rate");
        QTest::newRow("25 fps, 22050 Hz") << 25 << 1 << 22050;
        QTest::newRow("29.97 fps, 44100 Hz") << 30000 << 1001 << 44100;
        QTest::newRow("60 fps, 16000 Hz") << 60 << 1 << 16000;
    }
    void case_004_case_008_blipAndFlashStayTogether()
    {
        QFETCH(int, num);
        QFETCH(int, den);
        QFETCH(int, rate);
        // White frames, each with a click at its very beginning, on black and silence.
        const Rational fps = Rational::make(num, den);
        const std::vector<FrameIndex> flashes{7, 31, 58, 77};
        const FrameIndex frames = 90;
        AudioBlock sound = test::sine(rate, 1, 0.1);
        sound.samples.assign(static_cast<std::size_t>(firstSampleOf(frames, rate, fps)), 0.0f);
        for (const FrameIndex flash : flashes)
            for (int i = 0; i < rate / 100; ++i)
                sound.samples[static_cast<std::size_t>(firstSampleOf(flash, rate, fps) + i)] =
                    0.8f * static_cast<float>(std::cos(2 * M_PI * 2000 * i / rate));
        auto writer = Mp4Writer::create(m_root / "a.mp4", smallVideo(fps, rate), IfExists::Replace);
        QVERIFY(writer);
        for (FrameIndex i = 0; i < frames; ++i) {
            Image image(160, 96, 3);
            if (std::find(flashes.begin(), flashes.end(), i) != flashes.end())
                std::fill(image.data.begin(), image.data.end(), std::uint8_t(255));
            QVERIFY(writer->addFrame(image));
        }
        QVERIFY(writer->addAudio(sound.samples.data(), sound.frames()));
        QVERIFY(writer->finish());

        std::vector<double> seen, heard;
        auto reader = VideoReader::open(m_root / "a.mp4");
        QVERIFY(reader);
        for (;;) {
            const auto frame = reader->next();
            QVERIFY(frame);
            if (!*frame)
                break;
            if ((*frame)->image.row(48)[240] > 128)
                seen.push_back((*frame)->seconds());
        }
        const auto back = readAudio(m_root / "a.mp4");
        QVERIFY(back);
        double last = -1;
        for (SampleIndex i = 0; i < back->frames(); ++i) {
            const double now = static_cast<double>(i) / back->sampleRate;
            if (std::abs(back->samples[static_cast<std::size_t>(i)]) > 0.4f) {
                if (now - last > 0.1)
                    heard.push_back(now);
                last = now;
            }
        }
        QCOMPARE(seen.size(), flashes.size());
        QCOMPARE(heard.size(), flashes.size());
        for (std::size_t i = 0; i < seen.size(); ++i)
            QVERIFY2(std::abs(seen[i] - heard[i]) < 0.003,
                     qPrintable(QString("%1 s, %2 s").arg(seen[i]).arg(heard[i])));
    }

    void coloursAreTaggedAndRight()
    {
        // Flat colours survive the trip through BT.709 and back.
        const fs::path file = m_root / "a.mp4";
        Mp4Options options = smallVideo({25, 1}, 0);
        options.quality = 8;
        auto writer = Mp4Writer::create(file, options, IfExists::Refuse);
        QVERIFY(writer);
        Image image(160, 96, 3);
        const std::uint8_t colours[4][3] = {
            {200, 30, 40}, {40, 180, 60}, {30, 60, 200}, {224, 172, 140}};
        for (int y = 0; y < 96; ++y)
            for (int x = 0; x < 160; ++x)
                std::copy_n(colours[x / 40], 3, image.row(y) + 3 * x);
        for (int i = 0; i < 10; ++i)
            QVERIFY(writer->addFrame(image));
        QVERIFY(writer->finish());
        const auto facts = probeMedia(file, ProbeDepth::Headers);
        QVERIFY(facts && facts->video);
        QCOMPARE(facts->video->codec, std::string("h264"));
        QCOMPARE(facts->video->pixelFormat, std::string("yuv420p"));
        for (const std::string& tag :
             {facts->video->primaries, facts->video->transfer, facts->video->matrix})
            QCOMPARE(tag, std::string("bt709"));
        QCOMPARE(facts->video->range, std::string("tv"));
        QVERIFY(!facts->audio);
        const fs::path png = m_root / "f.png";
        QCOMPARE(
            test::runTool("ffmpeg",
                          {"-i", file, "-frames:v", "1", "-vf",
                           "scale=in_color_matrix=bt709:flags=accurate_rnd+full_chroma_int", png}),
            std::string());
        const auto seen = loadImage(png);
        QVERIFY(seen);
        for (int i = 0; i < 4; ++i)
            for (int c = 0; c < 3; ++c) {
                const int got = seen->image.row(48)[3 * (40 * i + 20) + c];
                QVERIFY2(std::abs(got - colours[i][c]) <= 3,
                         qPrintable(QString("%1.%2: %3").arg(i).arg(c).arg(got)));
            }
    }

    void tagsAndFastStart()
    {
        const fs::path file = m_root / "a.mp4";
        Mp4Options options = smallVideo();
        options.tags = {{"title", "Grüße 🎬"},
                        {"comment", "source sha256 0123"},
                        {"encoding_tool", "Loquor 0.1.0"}};
        QVERIFY(writeVideo(file, options, 1.0));
        const auto facts = probeMedia(file, ProbeDepth::Headers);
        QVERIFY(facts);
        QCOMPARE(facts->tags.at("title"), std::string("Grüße 🎬"));
        QCOMPARE(facts->tags.at("comment"), std::string("source sha256 0123"));
        QCOMPARE(facts->tags.at("encoder"), std::string("Loquor 0.1.0"));
        const auto bytes = platform::readFile(file);
        QVERIFY(bytes);
        const std::string data(bytes->begin(), bytes->end());
        QVERIFY(data.find("moov") < data.find("mdat"));
        options.tags["colour"] = "blue";
        QCOMPARE(writeVideo(m_root / "b.mp4", options, 0.1).error().code(),
                 ErrorCode::InvalidArgument);
    }

    void keyFramesAreWhereTheyShouldBe()
    {
        Mp4Options options = smallVideo({25, 1}, 0);
        options.keyFrameSeconds = 1;
        QVERIFY(writeVideo(m_root / "a.mp4", options, 4.0));
        const auto facts = probeMedia(m_root / "a.mp4", ProbeDepth::Packets);
        QVERIFY(facts->video->keyFrames >= 4);
    }

    void case_047_oddSizesAreRefused_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("height") << 1058 << 793;
        QTest::newRow("width") << 161 << 96;
        QTest::newRow("one") << 1 << 1;
        QTest::newRow("zero") << 0 << 0;
        QTest::newRow("small") << 8 << 8;
        QTest::newRow("huge") << 10000 << 96;
    }
    void case_047_oddSizesAreRefused()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        Mp4Options options = smallVideo();
        options.width = width;
        options.height = height;
        const auto writer = Mp4Writer::create(m_root / "a.mp4", options, IfExists::Replace);
        QVERIFY(!writer);
        QCOMPARE(writer.error().code(), ErrorCode::InvalidArgument);
        QVERIFY2(text(writer.error()).contains(QString("%1x%2").arg(width).arg(height)),
                 qPrintable(text(writer.error())));
        QCOMPARE(test::filesIn(m_root), 0);
    }

    void case_053_sizeIsWhatWasAsked()
    {
        Mp4Options options = smallVideo({25, 1}, 0);
        options.width = 312;
        options.height = 468; // half of 624x936, no multiple of 16
        QVERIFY(writeVideo(m_root / "a.mp4", options, 0.2));
        const auto facts = probeMedia(m_root / "a.mp4", ProbeDepth::Headers);
        QCOMPARE(facts->video->width, 312);
        QCOMPARE(facts->video->height, 468);
        // Not sheared: every row is where it was.
        QCOMPARE(
            test::runTool("ffmpeg", {"-i", m_root / "a.mp4", "-frames:v", "1", m_root / "f.png"}),
            std::string());
        const auto seen = loadImage(m_root / "f.png");
        QVERIFY(seen);
        QVERIFY(test::psnr(seen->image, test::movingPicture(312, 468, 0)) > 30);
    }

    void otherBadNumbers()
    {
        Mp4Options options = smallVideo({0, 1});
        QVERIFY(!Mp4Writer::create(m_root / "a.mp4", options, IfExists::Replace));
        options = smallVideo();
        options.audioRate = -1;
        QVERIFY(!Mp4Writer::create(m_root / "a.mp4", options, IfExists::Replace));
        options = smallVideo();
        options.quality = 99;
        QVERIFY(!Mp4Writer::create(m_root / "a.mp4", options, IfExists::Replace));
        auto writer = Mp4Writer::create(m_root / "a.mp4", smallVideo(), IfExists::Replace);
        QVERIFY(writer);
        QCOMPARE(writer->addFrame(Image(160, 94, 3)).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(writer->addFrame(Image(160, 96, 4)).error().code(), ErrorCode::InvalidArgument);
    }

    void case_014_unequalLengthsFailLoudly()
    {
        auto writer = Mp4Writer::create(m_root / "a.mp4", smallVideo(), IfExists::Refuse);
        QVERIFY(writer);
        const AudioBlock sound = test::sine(48000, 1, 1.0);
        for (int i = 0; i < 27; ++i)
            QVERIFY(writer->addFrame(test::movingPicture(160, 96, i)));
        QVERIFY(writer->addAudio(sound.samples.data(), sound.frames()));
        const auto summary = writer->finish();
        QVERIFY(!summary);
        QCOMPARE(summary.error().code(), ErrorCode::Corrupt);
        QVERIFY(text(summary.error()).contains("differ in length"));
        QCOMPARE(test::filesIn(m_root), 0);
        auto empty = Mp4Writer::create(m_root / "a.mp4", smallVideo(), IfExists::Refuse);
        QVERIFY(empty);
        QCOMPARE(empty->finish().error().code(), ErrorCode::EmptyInput);
        QCOMPARE(test::filesIn(m_root), 0);
    }

    void case_170_givingUpLeavesNothing()
    {
        {
            auto writer = Mp4Writer::create(m_root / "a.mp4", smallVideo(), IfExists::Refuse);
            QVERIFY(writer);
            for (int i = 0; i < 30; ++i)
                QVERIFY(writer->addFrame(test::movingPicture(160, 96, i)));
            QVERIFY(!fs::exists(m_root / "a.mp4"));
        }
        QCOMPARE(test::filesIn(m_root), 0);
    }

    void case_163_theOldFileStaysUntilTheNewOneIsVerified()
    {
        QVERIFY(platform::writeFile(m_root / "a.mp4", std::string("the old one")));
        {
            auto writer = Mp4Writer::create(m_root / "a.mp4", smallVideo(), IfExists::Replace);
            QVERIFY(writer);
            QVERIFY(writer->addFrame(test::movingPicture(160, 96, 0)));
            QVERIFY(!writer->finish()); // no sound was given: lengths differ
        }
        QCOMPARE(*platform::readTextFile(m_root / "a.mp4"), std::string("the old one"));
        QVERIFY(writeVideo(m_root / "a.mp4", smallVideo(), 0.5, IfExists::Replace));
        QVERIFY(probeMedia(m_root / "a.mp4", ProbeDepth::Packets));
        QCOMPARE(test::filesIn(m_root), 1);
    }

    void diskFullIsSaidAndCleanedUp_data()
    {
        QTest::addColumn<int>("limit");
        QTest::newRow("at once") << 10;
        QTest::newRow("under way") << 400'000;
    }
    void diskFullIsSaidAndCleanedUp()
    {
        QFETCH(int, limit);
        platform::ignorePipeAndSizeSignals();
        Mp4Options options = smallVideo({25, 1}, 0);
        options.quality = 1;
        Result<> result;
        {
            const test::FileSizeLimit full(static_cast<rlim_t>(limit));
            auto writer = Mp4Writer::create(m_root / "a.mp4", options, IfExists::Refuse);
            if (writer) {
                for (int i = 0; i < 200 && result; ++i)
                    result = writer->addFrame(test::noise(160, 96, static_cast<unsigned>(i)));
                if (result)
                    if (auto summary = writer->finish(); !summary)
                        result = fail(std::move(summary).error());
            } else {
                result = fail(writer.error());
            }
        }
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::DiskFull);
        QVERIFY2(text(result.error()).contains("a.mp4"), qPrintable(text(result.error())));
        QCOMPARE(test::filesIn(m_root), 0);
    }

    void case_161_killedWriterLeavesNoFinalFile()
    {
        platform::ChildOptions child;
        child.program = std::string(LOQUOR_BIN_DIR) + "/media_child";
        child.arguments = {(m_root / "a.mp4").string()};
        child.standardOutput = platform::Stream::Pipe;
        auto process = platform::ChildProcess::start(child);
        QVERIFY(process);
        char line[8];
        const platform::FileDescriptor out = process->takeOutput();
        QVERIFY(::read(out.get(), line, sizeof line) > 0); // some frames are written
        process->kill();
        QCOMPARE(process->wait().signal, SIGKILL);
        QVERIFY(!fs::exists(m_root / "a.mp4"));
        QCOMPARE(test::filesIn(m_root), 1);
        // The next one for the same name tidies up.
        QVERIFY(writeVideo(m_root / "a.mp4", smallVideo(), 0.2));
        QCOMPARE(test::filesIn(m_root), 1);
        QVERIFY(probeMedia(m_root / "a.mp4", ProbeDepth::Packets));
    }

    void case_166_successOnlyAfterProbing()
    {
        // Somebody cuts the part file while it is being written: the file must not get its name.
        auto writer = Mp4Writer::create(m_root / "a.mp4", smallVideo({25, 1}, 0), IfExists::Refuse);
        QVERIFY(writer);
        for (int i = 0; i < 60; ++i)
            QVERIFY(writer->addFrame(test::noise(160, 96, static_cast<unsigned>(i))));
        for (const auto& entry : fs::directory_iterator(m_root))
            fs::resize_file(entry.path(), 10);
        const auto summary = writer->finish();
        QVERIFY(!summary);
        QVERIFY(!fs::exists(m_root / "a.mp4"));
        QCOMPARE(test::filesIn(m_root), 0);
    }

    void case_146_case_148_names_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("emoji") << "🎬👩🏽‍🚀.mp4";
        QTest::newRow("newline") << "two\nlines.mp4";
        QTest::newRow("percent") << "100%d:x|y.mp4";
        QTest::newRow("255 bytes") << QString("語").repeated(83) + "ab.mp4";
        QTest::newRow("no ending") << "video";
    }
    void case_146_case_148_names()
    {
        QFETCH(QString, name);
        const fs::path file = m_root / name.toStdString();
        const auto summary = writeVideo(file, smallVideo({25, 1}, 0), 0.2);
        QVERIFY2(summary, summary ? "" : summary.error().text().c_str());
        QCOMPARE(fs::file_size(file), summary->bytes);
        fs::remove(file);
        QCOMPARE(test::filesIn(m_root), 0);
    }

    void encoderTimeIsItsOwn()
    {
        // Two writers at once: each reports the time of its own encoder, and both files are right.
        Mp4Options options = smallVideo();
        options.width = 640;
        options.height = 368;
        options.threads = 2;
        const double before = processCpuSeconds();
        Result<Mp4Summary> first = fail(ErrorCode::None, ""), second = fail(ErrorCode::None, "");
        std::thread other([&] { first = writeVideo(m_root / "a.mp4", options, 2.0); });
        second = writeVideo(m_root / "b.mp4", options, 1.0);
        other.join();
        const double spent = processCpuSeconds() - before;
        QVERIFY(first && second);
        QVERIFY(first->encoderCpuSeconds > 0.01 && second->encoderCpuSeconds > 0.01);
        QVERIFY(first->encoderCpuSeconds > second->encoderCpuSeconds);
        QVERIFY(first->encoderCpuSeconds + second->encoderCpuSeconds < spent);
        QVERIFY(first->conversionCpuSeconds > 0);
        QCOMPARE(probeMedia(m_root / "a.mp4", ProbeDepth::Decode)->video->decodedFrames,
                 std::int64_t(50));
        QCOMPARE(probeMedia(m_root / "b.mp4", ProbeDepth::Decode)->video->decodedFrames,
                 std::int64_t(25));
    }

    void encoderTimeIsComplete()
    {
        // Alone in the process, encoder and conversion are nearly all there is.
        Mp4Options options = smallVideo({25, 1}, 0);
        options.width = 960;
        options.height = 544;
        options.threads = 2;
        std::vector<Image> pictures;
        for (int i = 0; i < 60; ++i)
            pictures.push_back(test::movingPicture(960, 544, i));
        const double before = processCpuSeconds();
        auto writer = Mp4Writer::create(m_root / "a.mp4", options, IfExists::Refuse);
        QVERIFY(writer);
        for (const Image& picture : pictures)
            QVERIFY(writer->addFrame(picture));
        const auto summary = writer->finish();
        const double spent = processCpuSeconds() - before;
        QVERIFY(summary);
        const double explained = summary->encoderCpuSeconds + summary->conversionCpuSeconds;
        QVERIFY2(explained > 0.75 * spent && explained <= spent,
                 qPrintable(QString("%1 of %2").arg(explained).arg(spent)));
    }

    void sameInputSameFile()
    {
        QVERIFY(writeVideo(m_root / "a.mp4", smallVideo(), 1.0));
        QVERIFY(writeVideo(m_root / "b.mp4", smallVideo(), 1.0));
        QVERIFY(*platform::readFile(m_root / "a.mp4") == *platform::readFile(m_root / "b.mp4"));
    }
};

LOQUOR_TEST(tst_mp4_writer)
#include "tst_mp4_writer.moc"
