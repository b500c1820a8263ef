#include "core/base/trace.h"
#include "core/media/caption_painter.h"
#include "core/media/mp4_writer.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

using namespace loquor;
using namespace loquor::media;

namespace {

// A picture as encoders take it.
struct Picture
{
    int width = 0, height = 0;
    std::vector<std::uint8_t> y, u, v;

    Picture(int w, int h, int luma = 120)
        : width(w), height(h), y(static_cast<std::size_t>(w * h), static_cast<std::uint8_t>(luma)),
          u(static_cast<std::size_t>(w * h / 4), 128), v(static_cast<std::size_t>(w * h / 4), 128)
    {
    }
    YuvPlanes planes() { return {y.data(), u.data(), v.data(), width, width / 2, width / 2}; }
    int luma(int x, int row) const { return y[static_cast<std::size_t>(row * width + x)]; }
    bool operator==(const Picture&) const = default;
};

struct Box
{
    int left = 1 << 20, top = 1 << 20, right = -1, bottom = -1;
    int width() const { return right - left + 1; }
    int height() const { return bottom - top + 1; }
    bool operator==(const Box&) const = default;
};

Box changed(const Picture& a, const Picture& b)
{
    Box out;
    for (int y = 0; y < a.height; ++y)
        for (int x = 0; x < a.width; ++x)
            if (a.luma(x, y) != b.luma(x, y)) {
                out.left = std::min(out.left, x);
                out.right = std::max(out.right, x);
                out.top = std::min(out.top, y);
                out.bottom = std::max(out.bottom, y);
            }
    return out;
}

// The picture at this time with these captions on it.
Picture painted(const std::vector<BurntCaption>& captions, double seconds, const CaptionStyle& style = {}, int width = 640,
                int height = 360, int luma = 120, int reserved = 0)
{
    Picture out(width, height, luma);
    auto painter = CaptionPainter::create(style, width, height, reserved);
    if (!painter)
        return Picture(2, 2);
    painter->add(captions);
    painter->paint(seconds, out.planes());
    return out;
}

CaptionStyle plainStyle()
{
    CaptionStyle out;
    out.highlight.reset();
    return out;
}

// Pixels that have the colour of the highlight (its yellow has little blue).
int yellowPixels(const Picture& picture)
{
    return static_cast<int>(std::count_if(picture.u.begin(), picture.u.end(), [](int u) { return u < 90; }));
}

} // namespace

class tst_captionpainter : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void isThereWhenItsTimeIs()
    {
        const std::vector<BurntCaption> captions{{1, 2, "Hello there"}, {3, 4, "again"}};
        const Picture plain(640, 360);
        for (const double seconds : {0.0, 0.99, 2.0, 2.5, 4.0, 9.0})
            QVERIFY2(painted(captions, seconds) == plain, qPrintable(QString::number(seconds))); // not a bit of it
        const Box first = changed(painted(captions, 1), plain), second = changed(painted(captions, 3.9), plain);
        QVERIFY(first.width() > 60 && second.width() > 30 && second.width() < first.width());
    }

    // On white, black and grey: white letters with a dark edge.
    void canBeReadOnAnyPicture()
    {
        for (const int luma : {16, 60, 120, 180, 235}) {
            const Picture picture = painted({{0, 1, "HELLO"}}, 0, plainStyle(), 640, 360, luma);
            const auto [darkest, brightest] = std::minmax_element(picture.y.begin(), picture.y.end());
            QVERIFY2(*brightest >= 230 && *darkest <= 40, qPrintable(QString("%1: %2 %3").arg(luma).arg(*darkest).arg(*brightest)));
            const Box box = changed(picture, Picture(640, 360, luma));
            QVERIFY(std::abs(box.left + box.right - 640) < 8); // in the middle
        }
    }

    void keepsOffTheEdges_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("16:9") << 1280 << 720;
        QTest::newRow("9:16") << 720 << 1280;
        QTest::newRow("1:1") << 720 << 720;
        QTest::newRow("small") << 320 << 180;
    }
    void keepsOffTheEdges()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        for (const CaptionPlace place : {CaptionPlace::Bottom, CaptionPlace::Top}) {
            CaptionStyle style = plainStyle();
            style.place = place;
            const CaptionRoom room = captionRoom(style, width, height);
            QVERIFY(room.columns >= 20);
            std::string line(static_cast<std::size_t>(room.columns), 'n');
            for (std::size_t k = 5; k < line.size(); k += 7)
                line[k] = ' ';
            const Picture picture = painted({{0, 1, line + '\n' + line}}, 0, style, width, height);
            const Box box = changed(picture, Picture(width, height));
            QVERIFY2(box.left >= width / 40 && box.right < width - width / 40, qPrintable(QString("%1 %2").arg(box.left).arg(box.right)));
            QVERIFY(box.width() > width / 2);
            const int edge = place == CaptionPlace::Top ? box.top : height - 1 - box.bottom;
            QVERIFY2(edge >= height / 25 && edge < height / 4, qPrintable(QString::number(edge)));
            QCOMPARE(place == CaptionPlace::Top, box.bottom < height / 2);
        }
    }

    // Capitals are wider than the rules count: the caption becomes smaller, nothing is cut.
    void whatIsTooWideBecomesSmaller()
    {
        const Picture picture = painted({{0, 1, std::string(42, 'W')}}, 0, plainStyle());
        const Box box = changed(picture, Picture(640, 360));
        QVERIFY2(box.left > 8 && box.right < 632, qPrintable(QString("%1 %2").arg(box.left).arg(box.right)));
        QVERIFY(box.width() > 500);
        // The next one has its size again.
        QCOMPARE(changed(painted({{0, 1, std::string(42, 'W')}, {1, 2, "one"}}, 1, plainStyle()), Picture(640, 360)),
                 changed(painted({{1, 2, "one"}}, 1, plainStyle()), Picture(640, 360)));
    }

    void theWordThatIsSaidIsColoured()
    {
        BurntCaption caption{0, 3, "one two three", {{0, 3, 0, 1}, {4, 7, 1, 1.5}, {8, 13, 2.5, 3}}};
        const Picture plain(640, 360);
        const Box place = changed(painted({caption}, 0.5), plain);
        for (const double seconds : {0.5, 1.2, 2.7})
            QVERIFY(yellowPixels(painted({caption}, seconds)) > 15);
        QCOMPARE(yellowPixels(painted({caption}, 2.2)), 0); // silence
        QCOMPARE(yellowPixels(painted({caption}, 0.5, plainStyle())), 0);
        // Nothing moves.
        QCOMPARE(changed(painted({caption}, 1.2), plain), place);
        const Box unlit = changed(painted({caption}, 2.2), plain); // at most by the rounding of its edges
        QVERIFY(std::abs(unlit.left - place.left) <= 1 && std::abs(unlit.right - place.right) <= 1);
        QVERIFY(std::abs(unlit.top - place.top) <= 1 && std::abs(unlit.bottom - place.bottom) <= 1);
        const Box between = changed(painted({caption}, 0.5), painted({caption}, 1.2));
        QVERIFY(between.left >= place.left && between.width() < place.width());
    }

    // Braces, backslashes and what would be orders of the subtitle format are letters.
    void nothingIsSyntax()
    {
        const auto width = [](const std::string& text) {
            return changed(painted({{0, 1, text}}, 0, plainStyle()), Picture(640, 360)).width();
        };
        const int plain = width("red");
        QVERIFY(width("{\\c&H0000FF&}red") > 3 * plain);
        QVERIFY(width("{red}") > plain + 8);
        QVERIFY(width("red\\hred") > 2 * plain);
        const auto height = [](const std::string& text) {
            return changed(painted({{0, 1, text}}, 0, plainStyle()), Picture(640, 360)).height();
        };
        QVERIFY(height("a\\Nb") < height("a\nb") - 8);
        QVERIFY(height("a\\nb") < height("a\nb") - 8);
        const Picture picture = painted({{0, 1, "{\\1c&H00FF00&}x{\\p1}m 0 0 l 100 0 100 100{\\p0}"}}, 0, plainStyle());
        QVERIFY(std::all_of(picture.u.begin(), picture.u.end(), [](int u) { return std::abs(u - 128) <= 1; }));
        const Picture control = painted({{0, 1, "a\x01\x1b"
                                                "b"}},
                                        0, plainStyle());
        QCOMPARE(changed(control, Picture(640, 360)), changed(painted({{0, 1, "ab"}}, 0, plainStyle()), Picture(640, 360)));
    }

    // Written from right to left: the first word is at the right, and the highlight finds it there.
    void rightToLeftKeepsItsOrder()
    {
        const std::string text = "שלום לכולם"; // two words of 8 and 10 bytes
        const BurntCaption caption{0, 2, text, {{0, 8, 0, 1}, {9, text.size(), 1, 2}}};
        const auto yellowCentre = [&](double seconds) {
            const Picture picture = painted({caption}, seconds);
            double sum = 0, count = 0;
            for (int x = 0; x < 320; ++x)
                for (int y = 0; y < 180; ++y)
                    if (picture.u[static_cast<std::size_t>(y * 320 + x)] < 90) {
                        sum += x;
                        ++count;
                    }
            return count > 0 ? sum / count : -1;
        };
        QVERIFY2(yellowCentre(0.5) > yellowCentre(1.5) + 10, qPrintable(QString("%1 %2").arg(yellowCentre(0.5)).arg(yellowCentre(1.5))));
    }

    // What can be drawn is drawn, words keep their letters, and what cannot is named.
    void lettersThatNoFontHasAreLeftOutAndNamed()
    {
        const std::string text = "Hello \uE5A7you é\uE5A7!";
        std::vector<BurntCaption> captions{{0, 1, text, {{0, 5, 0, .4}, {6, 12, .4, .6}, {13, text.size(), .6, 1}}},
                                           {1, 2, "\U0010FFFD \u2060", {{0, 4, 1, 2}}},
                                           {2, 3, "as it is", {{3, 5, 2, 3}}}};
        const auto told = leaveOutLetters(captions);
        QVERIFY2(told, told ? "" : told.error().text().c_str());
        const QString words = QString::fromStdString(*told);
        QVERIFY2(words.contains("U+E5A7") && words.contains("U+10FFFD") && !words.contains("U+0048"), qPrintable(words));
        QCOMPARE(captions.size(), std::size_t(2)); // one held nothing else
        QCOMPARE(captions[0].text, std::string("Hello you é!"));
        const auto letters = [&](std::size_t word) {
            const BurntWord& w = captions[0].words[word];
            return captions[0].text.substr(w.begin, w.stop - w.begin);
        };
        QCOMPARE(letters(0), std::string("Hello"));
        QCOMPARE(letters(1), std::string("you"));
        QCOMPARE(letters(2), std::string("é!"));
        QCOMPARE(captions[1].text, std::string("as it is"));
        QCOMPARE(captions[1].words[0].begin, std::size_t(3));
        QVERIFY(changed(painted({captions[0]}, .5), Picture(640, 360)).width() > 60);
        std::vector<BurntCaption> fine{{0, 1, "Généré, создано, שלום\nsecond line\u2060"}};
        QVERIFY(leaveOutLetters(fine).value_or("?").empty());
        QCOMPARE(fine[0].text, std::string("Généré, создано, שלום\nsecond line\u2060"));
    }

    // A line that somebody wrote and that is far too wide is broken; its letters stay as big.
    void aLongLineIsBroken_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("words") << "A caption that somebody wrote in one go, without thinking of telephones";
        QTest::newRow("one endless word in it") << "A caption with " + QString(60, 'n') + " in it, and some more words behind that";
    }
    void aLongLineIsBroken()
    {
        QFETCH(QString, text);
        constexpr int kWidth = 360, kHeight = 640;
        const Picture plain(kWidth, kHeight);
        const auto size = [&](const QString& what) { return changed(painted({{0, 1, what.toStdString()}}, 0, plainStyle(), kWidth, kHeight), plain); };
        const Box line = size("A caption"), long_ = size(text);
        QVERIFY2(long_.left >= kWidth / 60 && long_.right < kWidth - kWidth / 60, qPrintable(QString("%1 %2").arg(long_.left).arg(long_.right)));
        QVERIFY(long_.width() > kWidth / 2);
        if (!text.contains("nnn")) // what cannot be broken makes all of it smaller
            QVERIFY2(long_.height() > 2.2 * line.height(), qPrintable(QString("%1 %2").arg(long_.height()).arg(line.height())));
        // Very long ones do not cover the face.
        const Box most = size(text.repeated(12));
        QVERIFY2(most.height() <= kHeight * 41 / 100, qPrintable(QString::number(most.height())));
        // What is a little too wide stays one line.
        const Box wide = size("SOMEWHAT WIDER THAN ROOM");
        QVERIFY2(wide.height() < 1.2 * line.height() && wide.width() > kWidth * 8 / 10, qPrintable(QString("%1 x %2").arg(wide.width()).arg(wide.height())));
    }

    void badSizesAreRefused()
    {
        for (const double size : {0.0, .5, std::nan("")}) {
            CaptionStyle style;
            style.size = size;
            QVERIFY(!CaptionPainter::create(style, 640, 360));
        }
    }

    // In a video: above the label, and what has no caption is encoded as without.
    void aVideoHasThemAboveItsLabel()
    {
        QTemporaryDir folder;
        const auto written = [&](bool captions, bool label) {
            Mp4Options options;
            options.width = 640;
            options.height = 360;
            options.quality = 8;
            options.threads = 1;
            if (label)
                options.label.text = "AI generated";
            if (captions) {
                options.captionStyle = plainStyle();
                options.captions = {{0.2, 0.4, "a caption that is as wide as this one is here"}};
            }
            const auto file = std::filesystem::path(folder.filePath("a.mp4").toStdString());
            auto writer = Mp4Writer::create(file, options, platform::IfExists::Replace);
            Image grey(640, 360, 3);
            std::fill(grey.data.begin(), grey.data.end(), std::uint8_t{128});
            for (int i = 0; i < 12; ++i)
                if (!writer->addFrame(grey))
                    qFatal("a picture was refused");
            if (!writer->finish())
                qFatal("the file was refused");
            return test::decoded(file);
        };
        const auto with = written(true, true), label = written(false, true), none = written(false, false);
        QCOMPARE(with.size(), std::size_t(12));
        const auto box = [](const Image& a, const Image& b) {
            Box out;
            for (int y = 0; y < a.height; ++y)
                for (int x = 0; x < a.width; ++x)
                    if (std::abs(a.row(y)[3 * x] - b.row(y)[3 * x]) > 24) {
                        out.top = std::min(out.top, y);
                        out.bottom = std::max(out.bottom, y);
                        out.right = std::max(out.right, x);
                    }
            return out;
        };
        QCOMPARE(box(with[4], label[4]).right, -1);
        QVERIFY(box(with[5], label[5]).right > 0 && box(with[9], label[9]).right > 0);
        QCOMPARE(box(with[10], label[10]).right, -1);
        const Box caption = box(with[6], label[6]), mark = box(label[6], none[6]);
        QVERIFY2(caption.bottom < mark.top, qPrintable(QString("%1 %2").arg(caption.bottom).arg(mark.top)));
    }

    // Half a millisecond for a picture of 720p is a fiftieth of what its encoding takes.
    void costsLittle()
    {
        auto painter = CaptionPainter::create({}, 1280, 720);
        QVERIFY(painter);
        BurntCaption caption{0, 10, "The quick brown fox jumps over the lazy\ndog and runs away from the old house", {}};
        for (std::size_t k = 0, begin = 0; begin < caption.text.size(); ++k) {
            const std::size_t stop = std::min(caption.text.find_first_of(" \n", begin), caption.text.size());
            caption.words.push_back({begin, stop, .5 * static_cast<double>(k), .5 * static_cast<double>(k) + .5});
            begin = stop + 1;
        }
        painter->add({caption});
        Picture picture(1280, 720);
        painter->paint(0, picture.planes()); // fonts
        const double before = threadCpuSeconds();
        for (int i = 0; i < 250; ++i)
            painter->paint(i / 25.0, picture.planes());
        const double each = (threadCpuSeconds() - before) / 250;
        qInfo("captions: %.3f ms a picture of 1280x720, %.4f s for each second", 1000 * each, 25 * each);
        QVERIFY2(each < 0.004 * test::slowdown(), qPrintable(QString::number(1000 * each)));
    }

    void scriptsCanBeMixed()
    {
        const BurntCaption caption{0, 2, "Right to left שלום, Ελληνικά,\nрусский", {{14, 22, 0, 1}}};
        const Picture picture = painted({caption}, 0.5, {}, 1280, 720, 200);
        QVERIFY(changed(picture, Picture(1280, 720, 200)).width() > 300);
        QVERIFY(yellowPixels(picture) > 50);
    }
};

LOQUOR_TEST(tst_captionpainter)
#include "tst_captionpainter.moc"
