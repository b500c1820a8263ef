#include "core/media/probe.h"
#include "core/media/segments.h"
#include "core/media/video_reader.h"
#include "core/platform/atomic_file.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

namespace {

SegmentOptions small(std::vector<FrameIndex> keys = {})
{
    SegmentOptions out;
    out.width = 160;
    out.height = 96;
    out.keyFrames = std::move(keys);
    return out;
}

Result<SegmentSummary> write(const fs::path& file, int first, int frames, const SegmentOptions& options)
{
    LQ_TRY(SegmentWriter writer, SegmentWriter::create(file, options, platform::IfExists::Replace));
    for (int i = 0; i < frames; ++i)
        LQ_CHECKED(writer.addFrame(test::movingPicture(options.width, options.height, first + i)));
    return writer.finish();
}

// A grey scene in whose middle something soft moves by a fifth of a pixel a frame, as a calm head does.
Image calmPicture(int frame)
{
    constexpr int kWidth = 160, kHeight = 96;
    Image out(kWidth, kHeight, 3);
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
            const double moved = x - .2 * frame;
            const double inside = std::exp(-std::pow(std::pow((x - 80) / 30.0, 2) + std::pow((y - 48) / 34.0, 2), 2));
            const double still = 128 + 40 * std::sin(x / 23.0) * std::cos(y / 17.0);
            const double moving = 140 + 10 * std::sin(moved / 5) * std::cos(y / 6.0) + 5 * std::sin((moved * 1.1 + y) / 2.3);
            const double value = still * (1 - inside) + moving * inside;
            std::fill_n(out.row(y) + 3 * x, 3, static_cast<std::uint8_t>(std::lround(value)));
        }
    }
    return out;
}

double meanStep(const Image& a, const Image& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        sum += std::abs(int(a.data[i]) - int(b.data[i]));
    return sum / static_cast<double>(a.data.size());
}

} // namespace

class tst_segments : public QObject
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

    void holdsWhatWasWritten_data()
    {
        QTest::addColumn<int>("frames");
        for (const int frames : {1, 2, 7, 8, 25, 40})
            QTest::addRow("%d", frames) << frames;
    }
    void holdsWhatWasWritten()
    {
        QFETCH(int, frames);
        const auto summary = write(m_root / "a.mp4", 0, frames, small({6}));
        QVERIFY2(summary, summary ? "" : summary.error().text().c_str());
        QCOMPARE(summary->frames, std::int64_t(frames));
        QCOMPARE(summary->bytes, std::uint64_t(fs::file_size(m_root / "a.mp4")));
        const auto facts = probeMedia(m_root / "a.mp4", ProbeDepth::Decode);
        QVERIFY(facts && facts->video);
        QCOMPARE(facts->video->decodedFrames, std::int64_t(frames));
        QCOMPARE(facts->damagedParts, 0);
        QCOMPARE(facts->video->matrix, std::string("bt709"));
        QCOMPARE(facts->video->range, std::string("tv"));
        auto reader = SegmentReader::open(m_root / "a.mp4");
        QVERIFY(reader);
        QCOMPARE(reader->frames(), std::int64_t(frames));
        for (int i = 0; i < frames; ++i) {
            const auto image = reader->frame(i);
            QVERIFY(image);
            QVERIFY(test::psnr(*image, test::movingPicture(160, 96, i)) > 32);
        }
    }

    void keyFramesAreWhereTheyWereAsked()
    {
        QVERIFY(write(m_root / "a.mp4", 0, 60, small({6, 31})));
        auto reader = SegmentReader::open(m_root / "a.mp4");
        QVERIFY(reader && reader->isKeyFrame(0) && reader->isKeyFrame(6) && reader->isKeyFrame(31));
        QVERIFY(!reader->isKeyFrame(5) && !reader->isKeyFrame(60));
        FrameIndex last = 0;
        for (FrameIndex i = 0; i < 60; ++i) {
            last = reader->isKeyFrame(i) ? i : last;
            QVERIFY(i - last < kSegmentKeyInterval);
        }
    }

    // What moves a little is not shown as a repeated picture.
    void smallMovementsAreKept()
    {
        auto writer = SegmentWriter::create(m_root / "a.mp4", small({6}));
        QVERIFY(writer);
        for (int i = 0; i < 40; ++i)
            QVERIFY(writer->addFrame(calmPicture(i)));
        QVERIFY(writer->finish());
        auto reader = SegmentReader::open(m_root / "a.mp4");
        QVERIFY(reader);
        for (int i = 1; i < 40; ++i) {
            const double shown = meanStep(*reader->frame(i), *reader->frame(i - 1));
            const double given = meanStep(calmPicture(i), calmPicture(i - 1));
            QVERIFY2(shown > .25 * given, qPrintable(QString("frame %1: %2 of %3").arg(i).arg(shown).arg(given)));
        }
    }

    void sameFramesSameBytes()
    {
        QVERIFY(write(m_root / "a.mp4", 0, 30, small({6})));
        QVERIFY(write(m_root / "b.mp4", 0, 30, small({6})));
        QVERIFY(*platform::readFile(m_root / "a.mp4") == *platform::readFile(m_root / "b.mp4"));
    }

    void anyFrameInAnyOrder()
    {
        QVERIFY(write(m_root / "a.mp4", 0, 50, small({6})));
        auto reader = SegmentReader::open(m_root / "a.mp4");
        QVERIFY(reader);
        std::vector<Image> inOrder;
        for (FrameIndex i = 0; i < 50; ++i)
            inOrder.push_back(*reader->frame(i));
        for (const FrameIndex i : {49, 0, 13, 12, 13, 14, 40, 7, 6, 5, 5, 26, 25, 49})
            QVERIFY2(reader->frame(i)->data == inOrder[std::size_t(i)].data, qPrintable(QString::number(i)));
        QCOMPARE(reader->frame(50).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(reader->frame(-1).error().code(), ErrorCode::InvalidArgument);
        QVERIFY(reader->frame(20)->data == inOrder[20].data);
        // as any other decoder sees it
        auto other = VideoReader::open(m_root / "a.mp4");
        QVERIFY(other);
        for (std::size_t i = 0; i < 50; ++i)
            QVERIFY((**other->next()).image.data == inOrder[i].data);
    }

    void nothingIsLeftBehind()
    {
        {
            auto writer = SegmentWriter::create(m_root / "a.mp4", small());
            QVERIFY(writer && writer->addFrame(test::movingPicture(160, 96, 0)));
        }
        QCOMPARE(test::filesIn(m_root), 0);
        auto empty = SegmentWriter::create(m_root / "a.mp4", small());
        QVERIFY(empty);
        QCOMPARE(empty->finish().error().code(), ErrorCode::EmptyInput);
        QVERIFY(!empty->finish());
        QCOMPARE(test::filesIn(m_root), 0);
        auto wrong = SegmentWriter::create(m_root / "a.mp4", small());
        QCOMPARE(wrong->addFrame(Image(158, 96, 3)).error().code(), ErrorCode::InvalidArgument);
        SegmentOptions odd = small();
        odd.width = 161;
        QCOMPARE(SegmentWriter::create(m_root / "b.mp4", odd).error().code(), ErrorCode::InvalidArgument);
    }

    // 115: a damaged chunk is named.
    void case_115_damage_is_named()
    {
        QVERIFY(write(m_root / "a.mp4", 0, 30, small()));
        const auto good = *platform::readFile(m_root / "a.mp4");
        const auto error = [&](std::vector<std::uint8_t> bytes) {
            if (!platform::writeFile(m_root / "bad.mp4", bytes))
                return std::string("not written");
            const auto reader = SegmentReader::open(m_root / "bad.mp4");
            return reader ? std::string() : reader.error().text();
        };
        auto zeroed = good;
        std::fill_n(zeroed.begin() + std::ptrdiff_t(zeroed.size() / 3), 900, std::uint8_t(0)); // some pictures
        for (const auto& bad : {std::vector<std::uint8_t>(good.begin(), good.begin() + std::ptrdiff_t(good.size() / 2)), zeroed,
                                std::vector<std::uint8_t>(3000, 7)})
            QVERIFY2(error(bad).find("bad.mp4") != std::string::npos, error(bad).c_str());
        QCOMPARE(SegmentReader::open(m_root / "none.mp4").error().code(), ErrorCode::NotFound);
    }
};

LOQUOR_TEST(tst_segments)
#include "tst_segments.moc"
