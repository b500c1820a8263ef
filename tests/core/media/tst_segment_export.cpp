#include "core/media/audio_reader.h"
#include "core/media/probe.h"
#include "core/media/segments.h"
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

#include <sys/resource.h>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;
using platform::IfExists;

namespace {

constexpr int kWidth = 160, kHeight = 96;

void writeSegment(const fs::path& file, int first, int frames, Rational fps = {25, 1}, int width = kWidth, int quality = 18)
{
    SegmentOptions options{width, kHeight, fps, {6}, quality};
    auto writer = SegmentWriter::create(file, options, IfExists::Replace);
    QVERIFY(writer);
    for (int i = 0; i < frames; ++i)
        QVERIFY(writer->addFrame(test::movingPicture(width, kHeight, first + i)));
    QVERIFY(writer->finish());
}

SoundSource from(const AudioBlock& block)
{
    return [&block, at = SampleIndex(0)](SampleIndex most) mutable -> Result<AudioBlock> {
        const SampleIndex count = std::min(most, block.frames() - at);
        const auto begin = block.samples.begin() + at * block.channels;
        at += count;
        return AudioBlock{block.sampleRate, block.channels, {begin, begin + count * block.channels}};
    };
}

ExportOptions optionsFor(const AudioBlock& sound, Rational fps = {25, 1})
{
    ExportOptions out;
    out.video.width = kWidth;
    out.video.height = kHeight;
    out.video.fps = fps;
    out.video.audioRate = sound.sampleRate;
    out.video.audioChannels = sound.channels;
    out.video.threads = 1;
    return out;
}

AudioBlock soundOf(FrameIndex frames, Rational fps = {25, 1}, int rate = 48000, SampleIndex less = 0)
{
    const SampleIndex samples = firstSampleOf(frames, rate, fps) - less;
    AudioBlock out = test::sine(rate, 1, static_cast<double>(samples) / rate + .01);
    out.samples.resize(static_cast<std::size_t>(samples));
    return out;
}

// What FFmpeg has to say about a file while it decodes all of it.
std::string complaints(const fs::path& file)
{
    platform::ChildOptions options;
    options.program = "ffmpeg";
    options.arguments = {"-hide_banner", "-nostdin", "-v", "warning", "-i", "file:" + file.string(), "-f", "null", "-"};
    const auto out = platform::runProgram(options, {}, std::chrono::seconds(60));
    return out ? out->errors + (out->status.isSuccess() ? "" : "failed") : out.error().text();
}

QString said(const Result<Mp4Summary>& result)
{
    return result ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class tst_segment_export : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_root, m_segments;

    // Three chunks of two lines and the join between them, as they are shown: N0, I0, N1 from frame 6 on, N2.
    std::vector<SegmentPart> lines(Rational fps = {25, 1})
    {
        writeSegment(m_segments / "n0.mp4", 0, 8, fps);
        writeSegment(m_segments / "i0.mp4", 500, 6, fps);
        writeSegment(m_segments / "n1.mp4", 8, 25, fps);
        writeSegment(m_segments / "n2.mp4", 33, 11, fps);
        return {{m_segments / "n0.mp4", 0, 8}, {m_segments / "i0.mp4", 0, 6}, {m_segments / "n1.mp4", 6, 19}, {m_segments / "n2.mp4", 0, 11}};
    }

private Q_SLOTS:
    void init()
    {
        m_root = fs::path(m_dir.path().toStdString()) / QTest::currentTestFunction();
        m_segments = fs::path(m_dir.path().toStdString()) / "segments";
        fs::create_directories(m_root);
        fs::create_directories(m_segments);
    }

    // 25: pictures lie beside their sound, however long their segments are, copied or encoded anew.
    void case_025_copiedPicturesAndSoundAreInterleaved()
    {
        std::vector<SegmentPart> parts;
        for (int i = 0; i < 6; ++i) {
            const fs::path file = m_segments / ("long" + std::to_string(i) + ".mp4");
            writeSegment(file, 50 * i, 50);
            parts.push_back({file, 0, 50});
        }
        const AudioBlock sound = soundOf(300);
        for (const auto make : {copySegments, encodeSegments}) {
            QVERIFY(make(m_root / "a.mp4", parts, optionsFor(sound), from(sound), IfExists::Replace, {}));
            const double worst = test::worstInterleaving(m_root / "a.mp4");
            QVERIFY2(worst <= .5, qPrintable(QString::number(worst)));
        }
    }

    // Standing test: what is copied is bit for bit what the segments show; no frame twice, none missing.
    void copiedFramesAreTheSegmentsFrames()
    {
        const auto parts = lines();
        const AudioBlock sound = soundOf(44, {25, 1}, 22050, 300);
        const auto summary = copySegments(m_root / "a.mp4", parts, optionsFor(sound), from(sound), IfExists::Refuse);
        QVERIFY2(summary, qPrintable(said(summary)));
        QCOMPARE(summary->frames, std::int64_t(44));
        QCOMPARE(summary->audioFrames, sound.frames());
        std::vector<Image> expected;
        for (const SegmentPart& part : parts) {
            auto reader = SegmentReader::open(part.file);
            for (FrameIndex i = 0; i < part.frames; ++i)
                expected.push_back(*reader->frame(part.fromFrame + i));
        }
        const auto shown = test::decoded(m_root / "a.mp4");
        QCOMPARE(shown.size(), expected.size());
        for (std::size_t i = 0; i < shown.size(); ++i)
            QVERIFY2(shown[i].data == expected[i].data, qPrintable(QString::number(i)));
        QVERIFY(test::psnr(shown[8], test::movingPicture(kWidth, kHeight, 500)) > 32);  // the join
        QVERIFY(test::psnr(shown[14], test::movingPicture(kWidth, kHeight, 14)) > 32); // and what follows it
    }

    void case_019_lengthsAreExact_data()
    {
        QTest::addColumn<QString>("fps");
        QTest::addColumn<int>("rate");
        for (const char* fps : {"23.976", "25", "29.97", "30", "50", "59.94", "60"})
            for (const int rate : {16000, 22050, 44100, 48000})
                QTest::addRow("%s at %d", fps, rate) << fps << rate;
    }
    void case_019_lengthsAreExact()
    {
        QFETCH(QString, fps);
        QFETCH(int, rate);
        const Rational exact = *Rational::parse(fps.toStdString());
        const auto parts = lines(exact);
        const AudioBlock sound = soundOf(44, exact, rate, 77);
        QCOMPARE(framesCovering(sound.frames(), rate, exact), FrameIndex(44));
        const auto summary = copySegments(m_root / "a.mp4", parts, optionsFor(sound, exact), from(sound), IfExists::Replace);
        QVERIFY2(summary, qPrintable(said(summary)));
        const auto facts = probeMedia(m_root / "a.mp4", ProbeDepth::Decode);
        QVERIFY(facts && facts->video && facts->audio);
        QCOMPARE(facts->damagedParts, 0);
        QCOMPARE(facts->video->decodedFrames, std::int64_t(44));
        QVERIFY(facts->video->frameRate == exact);
        QVERIFY(!facts->video->isVariableRate);
        QVERIFY(std::abs(facts->video->durationSeconds - secondsOf(44, exact)) < .0015);
        QVERIFY(std::abs(facts->audio->durationSeconds - sound.seconds()) < .002);
        if (rate != 48000)
            return; // a second opinion on each frame rate is enough
        QCOMPARE(test::ffprobe(m_root / "a.mp4", "stream=nb_read_frames", "v:0", true), std::string("44"));
        QCOMPARE(complaints(m_root / "a.mp4"), std::string());
    }

    // Sound encoded in overlapping spans is the sound: no click, nothing lost, the same with any number of
    // threads.
    void longSoundHasNoSeams()
    {
        const Rational fps{25, 1};
        const FrameIndex frames = 25 * 50;
        std::vector<SegmentPart> parts;
        writeSegment(m_segments / "second.mp4", 0, 25);
        for (int i = 0; i < 50; ++i)
            parts.push_back({m_segments / "second.mp4", 0, 25});
        AudioBlock sound = soundOf(frames, fps, 48000, 100);
        for (std::size_t i = 0; i < sound.samples.size(); ++i) { // a buzz as a voice has, that swells, with pauses
            double buzz = 0;
            for (int h = 1; h <= 12; ++h)
                buzz += std::sin(double(i) * .0157 * h + h) / h;
            sound.samples[i] = .25f * static_cast<float>(buzz * std::max(0.0, std::sin(double(i) * 2.6e-5)));
        }
        std::vector<std::uint8_t> first;
        for (const int threads : {1, 3}) {
            ExportOptions options = optionsFor(sound);
            options.soundThreads = threads;
            QVERIFY(copySegments(m_root / "a.mp4", parts, options, from(sound), IfExists::Replace));
            const auto bytes = *platform::readFile(m_root / "a.mp4");
            QVERIFY(first.empty() || bytes == first);
            first = bytes;
        }
        const auto back = readAudio(m_root / "a.mp4");
        QVERIFY(back);
        QVERIFY(std::abs(back->frames() - sound.frames()) < 1024);
        double worst = 0; // of any 20 ms
        for (SampleIndex at = 0; at + 960 < sound.frames(); at += 960) {
            double error = 0;
            for (SampleIndex i = at; i < at + 960; ++i)
                error += std::pow(double(back->samples[std::size_t(i)] - sound.samples[std::size_t(i)]), 2);
            worst = std::max(worst, std::sqrt(error / 960));
        }
        QVERIFY2(worst < .006, qPrintable(QString::number(worst)));
        QCOMPARE(test::ffprobe(m_root / "a.mp4", "stream=nb_read_frames", "v:0", true), std::string("1250"));
    }

    void tagsAndCaptions()
    {
        const auto parts = lines();
        const AudioBlock sound = soundOf(44);
        ExportOptions options = optionsFor(sound);
        const std::string json = "{\"seed\":\"18446744073709551615\",\"text\":\"Grüße 🎬\"}" + std::string(20000, ' ');
        options.video.tags = {{"title", "A title"}, {"comment", "AI generated with Loquor"}, {"encoding_tool", "Loquor 0.1.0"}, {"com.loquor.project", json}, {"com.loquor.ai-generated", "yes"}};
        options.captions = {{.2, .9, "Hello,"}, {1.0, 1.6, "Grüße\nzwei"}};
        options.captionLanguage = "deu";
        const auto summary = copySegments(m_root / "a.mp4", parts, options, from(sound), IfExists::Refuse);
        QVERIFY2(summary, qPrintable(said(summary)));
        const auto facts = probeMedia(m_root / "a.mp4", ProbeDepth::Headers);
        QVERIFY(facts);
        QCOMPARE(facts->tags.at("com.loquor.project"), json);
        QCOMPARE(facts->tags.at("com.loquor.ai-generated"), std::string("yes"));
        QCOMPARE(facts->tags.at("comment"), std::string("AI generated with Loquor"));
        QCOMPARE(facts->tags.at("com.apple.quicktime.title"), std::string("A title"));
        const auto bytes = *platform::readFile(m_root / "a.mp4");
        const std::string data(bytes.begin(), bytes.end());
        QVERIFY(data.find("moov") < data.find("mdat"));
        QCOMPARE(complaints(m_root / "a.mp4"), std::string());
        const QString srt = QString::fromStdString(test::runTool("ffmpeg", {"-v", "error", "-i", m_root / "a.mp4", "-map", "0:s:0", "-f", "srt", "-"}));
        QVERIFY2(srt.contains("00:00:00,200 --> 00:00:00,900\nHello,"), qPrintable(srt));
        QVERIFY2(srt.contains("00:00:01,000 --> 00:00:01,600\nGrüße") && srt.contains("\nzwei"), qPrintable(srt));
        QCOMPARE(test::ffprobe(m_root / "a.mp4", "stream_tags=language", "s:0"), std::string("deu"));
        options.captions = {{.5, .4, "backwards"}};
        QCOMPARE(copySegments(m_root / "b.mp4", parts, options, from(sound), IfExists::Refuse).error().code(), ErrorCode::InvalidArgument);
    }

    // A segment that does not fit is named, and nothing is left of the export.
    void case_115_theBadSegmentIsNamed()
    {
        auto parts = lines();
        const AudioBlock sound = soundOf(44);
        const auto attempt = [&](std::size_t bad) {
            const auto result = copySegments(m_root / "a.mp4", parts, optionsFor(sound), from(sound), IfExists::Refuse);
            return !result && test::filesIn(m_root) == 0 && said(result).contains(QString::fromStdString(parts[bad].file.filename().string()));
        };
        const auto good = *platform::readFile(parts[2].file);
        auto zeroed = good;
        std::fill_n(zeroed.begin() + std::ptrdiff_t(good.size() / 2), 300, std::uint8_t(0));
        QVERIFY(platform::writeFile(parts[2].file, zeroed));
        QVERIFY(attempt(2));
        QVERIFY(platform::writeFile(parts[2].file, std::span(good).first(good.size() / 2)));
        QVERIFY(attempt(2));
        QVERIFY(platform::writeFile(parts[2].file, good));
        parts[2].fromFrame = 5;
        QVERIFY(attempt(2)); // no key frame
        parts[2].fromFrame = 6;
        parts[2].frames = 20;
        QVERIFY(attempt(2)); // more than it has
        parts[2].frames = 19;
        parts[1].file = m_segments / "gone.mp4";
        QVERIFY(attempt(1));
        parts[1].file = m_segments / "wide.mp4";
        writeSegment(parts[1].file, 0, 6, {25, 1}, 192);
        QVERIFY(attempt(1));
        writeSegment(parts[1].file, 0, 6, {25, 1}, kWidth, 40);
        QVERIFY(attempt(1) || copySegments(m_root / "a.mp4", parts, optionsFor(sound), from(sound), IfExists::Refuse));
    }

    void case_014_unequalLengthsFailLoudly()
    {
        const auto parts = lines();
        for (const FrameIndex frames : {42, 46}) {
            const AudioBlock sound = soundOf(frames);
            const auto result = copySegments(m_root / "a.mp4", parts, optionsFor(sound), from(sound), IfExists::Refuse);
            QVERIFY(!result && said(result).contains("differ in length"));
            QCOMPARE(test::filesIn(m_root), 0);
        }
        const AudioBlock sound = soundOf(44);
        QCOMPARE(copySegments(m_root / "a.mp4", {}, optionsFor(sound), from(sound), IfExists::Refuse).error().code(), ErrorCode::EmptyInput);
        const auto failing = [](SampleIndex) -> Result<AudioBlock> { return fail(ErrorCode::NotFound, "no such sound"); };
        QVERIFY(said(copySegments(m_root / "a.mp4", parts, optionsFor(sound), failing, IfExists::Refuse)).contains("no such sound"));
        ExportOptions silent = optionsFor(sound);
        silent.video.audioRate = 0;
        QVERIFY(copySegments(m_root / "a.mp4", parts, silent, {}, IfExists::Refuse));
        QVERIFY(!probeMedia(m_root / "a.mp4", ProbeDepth::Headers)->audio);
    }

    void case_170_cancelLeavesNothing()
    {
        const auto parts = lines();
        const AudioBlock sound = soundOf(44);
        for (const bool copy : {true, false}) {
            CancelSource cancel;
            ExportOptions options = optionsFor(sound);
            options.onProgress = [&](FrameIndex done) {
                if (done >= 14)
                    cancel.cancel();
            };
            const auto result = (copy ? copySegments : encodeSegments)(m_root / "a.mp4", parts, options, from(sound), IfExists::Refuse, cancel.token());
            QVERIFY(!result && result.error().isCancelled());
            QCOMPARE(test::filesIn(m_root), 0);
        }
    }

    // 163: the old file stays when the disk fills up.
    void case_163_diskFullIsSaidAndCleanedUp()
    {
        const auto parts = lines();
        const AudioBlock sound = soundOf(44);
        QVERIFY(platform::writeFile(m_root / "a.mp4", std::string("the old one")));
        platform::ignorePipeAndSizeSignals();
        for (const rlim_t kilobytes : {1u, 20u}) {
            const auto result = [&] {
                const test::FileSizeLimit full(kilobytes << 10);
                return copySegments(m_root / "a.mp4", parts, optionsFor(sound), from(sound), IfExists::Replace);
            }();
            QVERIFY(!result);
            QVERIFY2(said(result).contains("a.mp4"), qPrintable(said(result)));
            QCOMPARE(*platform::readTextFile(m_root / "a.mp4"), std::string("the old one"));
            QCOMPARE(test::filesIn(m_root), 1);
        }
    }

    void encodedAnewInAnotherSize()
    {
        const auto parts = lines();
        const AudioBlock sound = soundOf(44);
        ExportOptions options = optionsFor(sound);
        options.video.width = 320;
        options.video.height = 192;
        auto shifted = parts;
        shifted[2] = {parts[2].file, 7, 18}; // any frame
        shifted[3].frames = 11;
        shifted.push_back({parts[0].file, 3, 1});
        const auto summary = encodeSegments(m_root / "a.mp4", shifted, options, from(sound), IfExists::Refuse);
        QVERIFY2(summary, qPrintable(said(summary)));
        const auto facts = probeMedia(m_root / "a.mp4", ProbeDepth::Decode);
        QVERIFY(facts && facts->damagedParts == 0);
        QCOMPARE(facts->video->decodedFrames, std::int64_t(44));
        QCOMPARE(facts->video->width, 320);
        const auto shown = test::decoded(m_root / "a.mp4");
        QVERIFY(test::psnr(shown[14], test::movingPicture(320, 192, 15)) > 22 || test::psnr(shown[14], test::movingPicture(kWidth, kHeight, 15)) > 22);
        options.video.width = kWidth;
        options.video.height = kHeight;
        QVERIFY(encodeSegments(m_root / "b.mp4", parts, options, from(sound), IfExists::Refuse));
        QVERIFY(test::psnr(test::decoded(m_root / "b.mp4")[20], test::movingPicture(kWidth, kHeight, 20)) > 30);
    }
};

LOQUOR_TEST(tst_segment_export)
#include "tst_segment_export.moc"
