#include "core/media/label_check.h"
#include "core/media/mp4_writer.h"
#include "core/media/segments.h"
#include "core/media/video_reader.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;
using platform::IfExists;

namespace {

constexpr int kWidth = 640, kHeight = 360;

struct Box
{
    int left = 1 << 20, top = 1 << 20, right = -1, bottom = -1;
    int width() const { return right - left + 1; }
    int height() const { return bottom - top + 1; }
    bool holds(int x, int y) const { return x >= left && x <= right && y >= top && y <= bottom; }
};

Image plain(int level, int width = kWidth, int height = kHeight)
{
    Image out(width, height, 3);
    std::fill(out.data.begin(), out.data.end(), static_cast<std::uint8_t>(level));
    return out;
}

double luma(const Image& image, int x, int y)
{
    const std::uint8_t* p = image.row(y) + 3 * x;
    return .2126 * p[0] + .7152 * p[1] + .0722 * p[2];
}

// Where two pictures differ by more than coding does.
Box difference(const Image& a, const Image& b)
{
    Box out;
    for (int y = 0; y < a.height; ++y)
        for (int x = 0; x < a.width; ++x)
            if (std::abs(luma(a, x, y) - luma(b, x, y)) > 24) {
                out.left = std::min(out.left, x);
                out.right = std::max(out.right, x);
                out.top = std::min(out.top, y);
                out.bottom = std::max(out.bottom, y);
            }
    return out;
}

// As the guidelines for readable text compute it, on grey.
double contrastRatio(double a, double b)
{
    const auto light = [](double v) { return std::pow(v / 255, 2.2) + .05; };
    return std::max(light(a), light(b)) / std::min(light(a), light(b));
}

PictureLabel labelOf(const std::string& text, Corner corner = Corner::BottomRight, double size = .05)
{
    PictureLabel out;
    out.text = text;
    out.corner = corner;
    out.size = size;
    return out;
}

} // namespace

class tst_picturelabel : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path file(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }

    Result<std::vector<Image>> written(const std::vector<Image>& pictures, const PictureLabel& label) const
    {
        Mp4Options options;
        options.width = pictures.front().width;
        options.height = pictures.front().height;
        options.quality = 8;
        options.threads = 1;
        options.label = label;
        LQ_TRY(Mp4Writer writer, Mp4Writer::create(file("a.mp4"), options, IfExists::Replace));
        for (const Image& picture : pictures)
            LQ_CHECKED(writer.addFrame(picture));
        LQ_CHECKED(writer.finish());
        return test::decoded(file("a.mp4"));
    }

private Q_SLOTS:
    // On white, black and grey: letters and field differ enough, and the rest of the picture is as it was.
    void canBeReadOnAnyPicture_data()
    {
        QTest::addColumn<int>("level");
        for (const int level : {0, 90, 150, 255})
            QTest::addRow("%d", level) << level;
    }
    void canBeReadOnAnyPicture()
    {
        QFETCH(int, level);
        const auto shown = written({plain(level), plain(level)}, labelOf("AI generated"));
        QVERIFY2(shown && shown->size() == 2, shown ? "" : qPrintable(QString::fromStdString(shown.error().text())));
        for (const Image& picture : *shown) {
            const Box box = difference(picture, plain(level));
            QVERIFY(box.width() > 90 && box.height() >= 10);
            double brightest = 0, darkest = 255, outside = 0;
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < kWidth; ++x) {
                    const double here = luma(picture, x, y);
                    if (box.holds(x, y)) {
                        brightest = std::max(brightest, here);
                        darkest = std::min(darkest, here);
                    } else if (x < box.left - 12 || y < box.top - 12) {
                        outside = std::max(outside, std::abs(here - level));
                    }
                }
            QVERIFY2(contrastRatio(brightest, darkest) >= 4.5,
                     qPrintable(QString("%1 on %2").arg(brightest).arg(darkest)));
            QVERIFY2(outside <= 3, qPrintable(QString::number(outside)));
        }
    }

    void liesInItsCorner_data()
    {
        QTest::addColumn<int>("corner");
        QTest::addColumn<bool>("left");
        QTest::addColumn<bool>("top");
        QTest::newRow("top left") << static_cast<int>(Corner::TopLeft) << true << true;
        QTest::newRow("top right") << static_cast<int>(Corner::TopRight) << false << true;
        QTest::newRow("bottom left") << static_cast<int>(Corner::BottomLeft) << true << false;
        QTest::newRow("bottom right") << static_cast<int>(Corner::BottomRight) << false << false;
    }
    void liesInItsCorner()
    {
        QFETCH(int, corner);
        QFETCH(bool, left);
        QFETCH(bool, top);
        const auto shown = written({plain(200)}, labelOf("AI", static_cast<Corner>(corner)));
        QVERIFY(shown);
        const Box box = difference(shown->front(), plain(200));
        QCOMPARE(box.right < kWidth / 2, left);
        QCOMPARE(box.left > kWidth / 2, !left);
        QCOMPARE(box.bottom < kHeight / 2, top);
        QCOMPARE(box.top > kHeight / 2, !top);
        // The same distance from both edges, and none that is cut.
        const int besides = left ? box.left : kWidth - 1 - box.right, above = top ? box.top : kHeight - 1 - box.bottom;
        QVERIFY2(std::abs(besides - above) <= 2 && besides >= 6, qPrintable(QString("%1 %2").arg(besides).arg(above)));
    }

    void growsWithThePicture()
    {
        const auto small = written({plain(220, 320, 180)}, labelOf("AI generated"));
        const auto big = written({plain(220, 1280, 720)}, labelOf("AI generated"));
        QVERIFY(small && big);
        const Box a = difference(small->front(), plain(220, 320, 180));
        const Box b = difference(big->front(), plain(220, 1280, 720));
        QVERIFY2(std::abs(b.width() / 4.0 - a.width()) < .12 * a.width(),
                 qPrintable(QString("%1 %2").arg(a.width()).arg(b.width())));
    }

    // What means something to the library that draws is only text here; other scripts are drawn too.
    void anyTextIsText()
    {
        const auto width = [this](const std::string& text) {
            const auto shown = written({plain(220)}, labelOf(text));
            return shown ? difference(shown->front(), plain(220)).width() : 0;
        };
        const int short1 = width("AI");
        QVERIFY(short1 > 0);
        QVERIFY(width("100 % 'AI': \\n [a]=%{pts}") > 4 * short1);
        QVERIFY(width("Généré par IA") > 3 * short1);
        QVERIFY(width("Создано ИИ") > 2 * short1);
    }

    void isRefusedWhenItCannotBeShown()
    {
        fs::remove(file("a.mp4"));
        const auto code = [this](const PictureLabel& label) {
            const auto shown = written({plain(220)}, label);
            return shown ? ErrorCode::None : shown.error().code();
        };
        QCOMPARE(code(labelOf(std::string(120, 'W'))), ErrorCode::InvalidArgument);
        QCOMPARE(code(labelOf("two\nlines")), ErrorCode::InvalidArgument);
        QCOMPARE(code(labelOf("broken \xff")), ErrorCode::InvalidArgument);
        QCOMPARE(code(labelOf("   ")), ErrorCode::InvalidArgument);
        QCOMPARE(code(labelOf("AI", Corner::TopLeft, .5)), ErrorCode::InvalidArgument);
        QCOMPARE(code(labelOf("AI", Corner::TopLeft, 0)), ErrorCode::InvalidArgument);
        QVERIFY(!fs::exists(file("a.mp4")));
    }

    // Letters of a private area: no font has them. They would be boxes; the words name them, and them alone.
    void lettersThatNoFontHasAreNamed()
    {
        const auto refused = media::checkLabel(labelOf("AI \U0010FFFD and \uE5A7"), 640, 360);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code(), ErrorCode::InvalidArgument);
        const QString words = QString::fromStdString(refused.error().message());
        QVERIFY2(words.contains("(U+10FFFD)") && words.contains("(U+E5A7)") && words.contains("font"), qPrintable(words));
        QVERIFY2(!words.contains("U+0041"), qPrintable(words));
        QVERIFY(media::checkLabel(labelOf("AI généré, создано ИИ"), 640, 360));
    }

    // Laid over stored chunks: each picture has it once, and what the decoder still needs is not touched.
    void anExportHasItOnEveryPicture()
    {
        std::vector<SegmentPart> parts;
        std::vector<Image> stored;
        for (int k = 0; k < 2; ++k) {
            parts.push_back({file(k == 0 ? "s0.mp4" : "s1.mp4"), 0, 20, {}});
            auto writer = SegmentWriter::create(parts.back().file, {kWidth, kHeight, {25, 1}, {}, 8}, IfExists::Replace);
            QVERIFY(writer);
            for (int i = 0; i < 20; ++i)
                QVERIFY(writer->addFrame(test::movingPicture(kWidth, kHeight, 20 * k + i)));
            QVERIFY(writer->finish());
            auto reader = SegmentReader::open(parts.back().file);
            for (FrameIndex i = 0; i < 20; ++i)
                stored.push_back(*reader->frame(i));
        }
        ExportOptions options;
        options.video.width = kWidth;
        options.video.height = kHeight;
        options.video.quality = 8;
        options.video.label = labelOf("AI generated");
        const auto summary = encodeSegments(file("out.mp4"), parts, options, {}, IfExists::Replace);
        QVERIFY2(summary, summary ? "" : qPrintable(QString::fromStdString(summary.error().text())));
        const auto shown = test::decoded(file("out.mp4"));
        QCOMPARE(shown.size(), stored.size());
        const auto alone = written(stored, options.video.label);
        QVERIFY(alone && alone->size() == stored.size());
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const double quality = test::psnr(shown[i], (*alone)[i]);
            QVERIFY2(quality > 38, qPrintable(QString("%1: %2").arg(i).arg(quality)));
        }
    }
};

LOQUOR_TEST(tst_picturelabel)
#include "tst_picturelabel.moc"
