#include "core/media/audio_reader.h"
#include "core/media/image_loader.h"
#include "core/media/image_ops.h"
#include "core/media/image_writer.h"
#include "core/media/mp4_writer.h"
#include "core/media/probe.h"
#include "core/media/video_reader.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <cmath>
#include <fstream>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

namespace {

constexpr int kWidth = 128, kHeight = 96;

// A frame whose number can be read back: grey level 16 + 4 * (index % 50), with a red upper left
// corner.
Image numbered(int index)
{
    Image image(kWidth, kHeight, 3);
    std::fill(image.data.begin(), image.data.end(),
              static_cast<std::uint8_t>(16 + 4 * (index % 50)));
    for (int y = 0; y < kHeight / 3; ++y)
        for (int x = 0; x < kWidth / 3; ++x) {
            std::uint8_t* p = image.row(y) + 3 * x;
            p[0] = 220;
            p[1] = p[2] = 20;
        }
    return image;
}

int numberOf(const Image& image)
{
    const int x = image.width * 3 / 4, y = image.height * 3 / 4;
    return static_cast<int>(std::lround((image.row(y)[3 * x + 1] - 16) / 4.0));
}

// Which corner is red: 0 upper left, 1 upper right, 2 lower right, 3 lower left.
int redCorner(const Image& image)
{
    const int left = image.width / 8, right = image.width - 1 - left;
    const int top = image.height / 8, bottom = image.height - 1 - top;
    const int places[4][2] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
    for (int i = 0; i < 4; ++i) {
        const std::uint8_t* p = image.row(places[i][1]) + 3 * places[i][0];
        if (p[0] > 150 && p[1] < 90)
            return i;
    }
    return -1;
}

} // namespace

class tst_video_reader : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const std::string& name) const
    {
        return fs::path(m_dir.path().toStdString()) / name;
    }

    void makeNumbered(const std::string& name, int frames, Rational fps) const
    {
        Mp4Options options;
        options.width = kWidth;
        options.height = kHeight;
        options.fps = fps;
        options.quality = 4;
        options.keyFrameSeconds = 1;
        auto writer = Mp4Writer::create(path(name), options, platform::IfExists::Replace);
        QVERIFY(writer);
        for (int i = 0; i < frames; ++i)
            QVERIFY(writer->addFrame(numbered(i)));
        QVERIFY(writer->finish());
    }

private Q_SLOTS:
    void initTestCase()
    {
        makeNumbered("n25.mp4", 50, {25, 1});
        makeNumbered("n30.mp4", 60, {30, 1});
        QVERIFY(!QTest::currentTestFailed());
    }

    void framesComeInOrderWithTheirTimes()
    {
        auto reader = VideoReader::open(path("n25.mp4"));
        QVERIFY(reader);
        QCOMPARE(reader->width(), kWidth);
        QCOMPARE(reader->height(), kHeight);
        for (int i = 0; i < 50; ++i) {
            const auto frame = reader->next();
            QVERIFY(frame && *frame);
            QCOMPARE(numberOf((*frame)->image), i);
            QCOMPARE((*frame)->time.count(), 40'000'000LL * i);
        }
        const auto end = reader->next();
        QVERIFY(end && !*end);
        QVERIFY(reader->warnings().empty());
    }

    void frameAtFindsTheFrameOnScreen()
    {
        auto reader = VideoReader::open(path("n25.mp4"));
        QVERIFY(reader);
        for (const auto& [seconds, index] : std::vector<std::pair<double, int>>{{1.5, 37},
                                                                                {0.0, 0},
                                                                                {0.039, 0},
                                                                                {0.04, 1},
                                                                                {1.0, 25},
                                                                                {0.9995, 25},
                                                                                {0.99, 24},
                                                                                {-3, 0},
                                                                                {99, 49}}) {
            const auto frame = reader->frameAt(seconds);
            QVERIFY2(frame, frame ? "" : frame.error().text().c_str());
            QCOMPARE(numberOf(frame->image), index);
            QCOMPARE(frame->time.count(), 40'000'000LL * index);
        }
        QVERIFY(reader->frameAt(0.4));
        QCOMPARE(numberOf((*reader->next())->image), 11);
        QVERIFY(*reader->skip());
        QCOMPARE(numberOf((*reader->next())->image), 13);
    }

    void case_007_case_020_everyRateToEveryRate_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("num");
        QTest::addColumn<int>("den");
        for (const char* file : {"n25.mp4", "n30.mp4"})
            for (const auto& [num, den] : std::vector<std::pair<int, int>>{{25, 1},
                                                                           {30, 1},
                                                                           {24, 1},
                                                                           {24000, 1001},
                                                                           {30000, 1001},
                                                                           {50, 1},
                                                                           {60000, 1001},
                                                                           {12, 1}})
                QTest::addRow("%s to %d/%d", file, num, den) << file << num << den;
    }
    void case_007_case_020_everyRateToEveryRate()
    {
        QFETCH(QString, file);
        QFETCH(int, num);
        QFETCH(int, den);
        const Rational fps = Rational::make(num, den);
        const double source = file.startsWith("n25") ? 25 : 30;
        auto opened = VideoReader::open(path(file.toStdString()));
        QVERIFY(opened);
        ConstantRateReader reader(std::move(*opened), fps);
        FrameIndex count = 0;
        for (;; ++count) {
            const auto frame = reader.next();
            QVERIFY(frame);
            if (!*frame)
                break;
            // What is on screen at count / fps; never off by more than a frame of the source.
            const double want = std::floor(secondsOf(count, fps) * source + 0.015);
            QCOMPARE(numberOf((**frame)->image), static_cast<int>(want) % 50);
        }
        QCOMPARE(count, static_cast<FrameIndex>(std::ceil(2.0 * fps.toDouble() - 0.05)));
    }

    void case_029_variableRateKeepsItsTimes()
    {
        // Frames 10..29 last three times as long; a webcam does such things in the dark.
        QCOMPARE(
            test::runTool("ffmpeg",
                          {"-i", path("n25.mp4"), "-vf",
                           "setpts=if(lt(N\\,10)\\,N\\,if(lt(N\\,30)\\,10+(N-10)*3\\,N+40))/25/TB",
                           "-fps_mode", "vfr", "-c:v", "libx264", "-crf", "4", path("v.mkv")}),
            std::string());
        const auto facts = probeMedia(path("v.mkv"), ProbeDepth::Packets);
        QVERIFY(facts && facts->video);
        QVERIFY(facts->video->isVariableRate);
        QVERIFY(!probeMedia(path("n25.mp4"), ProbeDepth::Packets)->video->isVariableRate);
        auto reader = VideoReader::open(path("v.mkv"));
        QVERIFY(reader);
        for (int i = 0; i < 50; ++i) {
            const auto frame = reader->next();
            QVERIFY(frame && *frame);
            const double want = (i < 10 ? i : i < 30 ? 10 + (i - 10) * 3
                                                     : i + 40) /
                                25.0;
            QVERIFY(std::abs((*frame)->seconds() - want) < 0.002);
        }
        QCOMPARE(numberOf(reader->frameAt(1.0)->image), 15); // 10 + 15 / 3
        ConstantRateReader constant(std::move(*reader), {25, 1});
        QVERIFY(constant.reader().frameAt(0.0)); // begin again
    }

    void case_005_case_028_constantRateFromVariable()
    {
        QCOMPARE(
            test::runTool("ffmpeg",
                          {"-i", path("n25.mp4"), "-vf",
                           "setpts=if(lt(N\\,10)\\,N\\,if(lt(N\\,30)\\,10+(N-10)*3\\,N+40))/25/TB",
                           "-fps_mode", "vfr", "-c:v", "libx264", "-crf", "4", path("v2.mkv")}),
            std::string());
        auto opened = VideoReader::open(path("v2.mkv"));
        QVERIFY(opened);
        ConstantRateReader reader(std::move(*opened), {25, 1});
        for (int k = 0; k < 90; ++k) {
            const auto frame = reader.next();
            QVERIFY(frame && *frame);
            const int want = k < 10 ? k : k < 70 ? 10 + (k - 10) / 3
                                                 : k - 40;
            QCOMPARE(numberOf((**frame)->image), want);
        }
        QCOMPARE(reader.leftOut(), FrameIndex(0));
        QCOMPARE(reader.repeated(), FrameIndex(40));
    }

    void case_035_case_037_rotationIsApplied_data()
    {
        QTest::addColumn<int>("counterClockwise"); // as FFmpeg's option counts
        QTest::addColumn<int>("corner");
        QTest::newRow("0") << 0 << 0;
        QTest::newRow("90 clockwise") << -90 << 1;
        QTest::newRow("180") << 180 << 2;
        QTest::newRow("90 counter-clockwise") << 90 << 3;
    }
    void case_035_case_037_rotationIsApplied()
    {
        QFETCH(int, counterClockwise);
        QFETCH(int, corner);
        // FFmpeg 5 makes the matrix of a "rotate" tag, which it counts counter-clockwise.
        const int clockwise = (360 - counterClockwise) % 360;
        QCOMPARE(
            test::runTool("ffmpeg", {"-i", path("n25.mp4"), "-c", "copy", "-metadata:s:v:0",
                                     "rotate=" + std::to_string((360 + counterClockwise) % 360),
                                     path("r.mp4")}),
            std::string());
        auto reader = VideoReader::open(path("r.mp4"));
        QVERIFY(reader);
        const bool turned = corner % 2 == 1;
        QCOMPARE(reader->facts().rotationDegrees, clockwise);
        QCOMPARE(reader->facts().width, turned ? kHeight : kWidth);
        QCOMPARE(reader->facts().codedWidth, kWidth);
        QCOMPARE(reader->width(), turned ? kHeight : kWidth);
        const auto frame = reader->next();
        QVERIFY(frame && *frame);
        QCOMPARE((*frame)->image.width, reader->width());
        QCOMPARE((*frame)->image.height, reader->height());
        QCOMPARE(redCorner((*frame)->image), corner);
        // FFmpeg's own program turns it the same way.
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("r.mp4"), "-frames:v", "1", path("r.png")}),
                 std::string());
        const auto other = loadImage(path("r.png"));
        QVERIFY(other);
        QVERIFY(test::psnr(other->image, (*frame)->image) > 30);
    }

    void pixelShapeIsApplied()
    {
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("n25.mp4"), "-vf", "setsar=64/45", "-c:v",
                                          "libx264", path("s.mp4")}),
                 std::string());
        auto reader = VideoReader::open(path("s.mp4"));
        QVERIFY(reader);
        QCOMPARE(reader->width(), 182); // 128 * 64 / 45
        QCOMPARE(reader->height(), kHeight);
    }

    void case_040_transparentVideoIsShownOnTheBackground()
    {
        // Left half opaque green, right half transparent.
        Image image(kWidth, kHeight, 4);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                std::uint8_t* p = image.row(y) + 4 * x;
                p[1] = 200;
                p[3] = x < kWidth / 2 ? 255 : 0;
            }
        QVERIFY(writePng(path("t.png"), image));
        for (const std::string codec : {"libvpx", "libvpx-vp9"}) {
            QCOMPARE(test::runTool("ffmpeg", {"-loop", "1", "-i", path("t.png"), "-frames:v", "5",
                                              "-c:v", codec, "-pix_fmt", "yuva420p",
                                              "-auto-alt-ref", "0", "-b:v", "1M", path("t.webm")}),
                     std::string());
            VideoReadOptions options;
            options.background = {20, 40, 220};
            auto reader = VideoReader::open(path("t.webm"), options);
            QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
            QVERIFY(reader->facts().hasAlpha);
            QVERIFY(!reader->warnings().empty());
            const auto frame = reader->next();
            QVERIFY(frame && *frame);
            const std::uint8_t* left = (*frame)->image.row(40) + 3 * 20;
            const std::uint8_t* right = (*frame)->image.row(40) + 3 * 110;
            QVERIFY(left[0] < 40 && left[1] > 170 && left[2] < 40);
            QVERIFY(std::abs(right[0] - 20) < 12 && std::abs(right[1] - 40) < 12 &&
                    std::abs(right[2] - 220) < 12);
        }
    }

    void largeVideosAreScaledDown()
    {
        VideoReadOptions options;
        options.maxPixels = 5000;
        auto reader = VideoReader::open(path("n25.mp4"), options);
        QVERIFY(reader);
        QVERIFY(reader->width() * reader->height() <= 5000);
        QCOMPARE(reader->facts().width, kWidth);
        QVERIFY(!reader->warnings().empty());
        QCOMPARE(numberOf((*reader->next())->image), 0);
    }

    void fastConversionIsWhatFfmpegGives()
    {
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("n25.mp4"), "-frames:v", "1", "-pix_fmt",
                                          "rgb24", "-f", "rawvideo", path("f.rgb")}),
                 std::string());
        const auto bytes = platform::readFile(path("f.rgb"));
        QVERIFY(bytes);
        VideoReadOptions options;
        options.conversion = RgbConversion::Fast;
        auto reader = VideoReader::open(path("n25.mp4"), options);
        QVERIFY(reader);
        QVERIFY((*reader->next())->image.data == *bytes);
    }

    void otherContainers_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"o.mkv", "o.webm", "o.avi", "o.mov", "o.ts", "o.mpg", "o.gif", "o.h264"})
            QTest::newRow(name) << name;
    }
    void otherContainers()
    {
        QFETCH(QString, name);
        const fs::path file = path(name.toStdString());
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("n25.mp4"), "-q:v", "2", file}),
                 std::string());
        auto reader = VideoReader::open(file);
        QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
        int count = 0;
        for (;; ++count) {
            const auto frame = reader->next();
            QVERIFY(frame);
            if (!*frame)
                break;
            if (name == "o.ts" || name == "o.mpg")
                continue;
            QVERIFY(std::abs((*frame)->seconds() - count / 25.0) < 0.011);
        }
        QCOMPARE(count, 50);
        const auto frame = reader->frameAt(1.0);
        QVERIFY2(frame, frame ? "" : frame.error().text().c_str());
        QVERIFY(std::abs(numberOf(frame->image) - 25) <= 2);
    }

    void wrongFilesSayWhy()
    {
        QCOMPARE(VideoReader::open(path("none.mp4")).error().code(), ErrorCode::NotFound);
        std::ofstream(path("text.mp4")) << "no video " << std::string(3000, 'x');
        QCOMPARE(VideoReader::open(path("text.mp4")).error().code(), ErrorCode::Unreadable);
        std::ofstream(path("zero.mp4")).flush();
        QCOMPARE(VideoReader::open(path("zero.mp4")).error().code(), ErrorCode::EmptyInput);
        QCOMPARE(test::runTool("ffmpeg", {"-f", "lavfi", "-i", "sine=d=1", path("sound.m4a")}),
                 std::string());
        const auto sound = VideoReader::open(path("sound.m4a"));
        QVERIFY(!sound);
        QCOMPARE(sound.error().code(), ErrorCode::Unsupported);
        QVERIFY(QString::fromStdString(sound.error().text()).contains("no picture"));
        const auto picture = loadImage(path("n25.mp4"));
        QVERIFY(!picture);
        QCOMPARE(picture.error().code(), ErrorCode::Unsupported);
        QVERIFY(QString::fromStdString(picture.error().text()).contains("is a video"));
    }

    void cutFilesGiveWhatIsThere()
    {
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("n25.mp4"), "-c", "copy", path("c.mkv")}),
                 std::string());
        fs::resize_file(path("c.mkv"), fs::file_size(path("c.mkv")) * 6 / 10);
        auto reader = VideoReader::open(path("c.mkv"));
        QVERIFY(reader);
        int count = 0;
        for (;; ++count) {
            const auto frame = reader->next();
            QVERIFY(frame);
            if (!*frame)
                break;
        }
        QVERIFY(count > 5 && count < 50);
    }
};

LOQUOR_TEST(tst_video_reader)
#include "tst_video_reader.moc"
