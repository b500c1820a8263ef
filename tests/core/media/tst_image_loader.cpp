#include "core/media/image_loader.h"
#include "core/media/image_ops.h"
#include "core/media/image_writer.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/core/media/picture_checks.h"
#include "tests/core/media/picture_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <cmath>
#include <cstring>

using namespace loquor;
using namespace loquor::media;
using test::Bytes;
using test::colourAt;
using test::flat;
using test::isNear;
using test::loaded;
using test::quarters;
namespace fs = std::filesystem;

namespace {

// The same picture stored so that a viewer must apply `orientation` to show it: the inverse turn.
Image storedFor(int orientation, const Image& upright)
{
    const int inverse = orientation == 6 ? 8 : orientation == 8 ? 6
                                                                : orientation;
    return oriented(upright, inverse);
}

Bytes bigEndian(const std::vector<std::uint16_t>& values)
{
    Bytes out;
    for (const std::uint16_t v : values) {
        out.push_back(static_cast<std::uint8_t>(v >> 8));
        out.push_back(static_cast<std::uint8_t>(v & 255));
    }
    return out;
}

Bytes native(const std::vector<std::uint16_t>& values)
{
    Bytes out(values.size() * 2);
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

} // namespace

class tst_image_loader : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const std::string& name) const
    {
        return fs::path(m_dir.path().toStdString()) / name;
    }

private Q_SLOTS:
    void pngRoundTrip()
    {
        for (const int channels : {1, 3}) {
            Image image(37, 23, channels);
            for (std::size_t i = 0; i < image.data.size(); ++i)
                image.data[i] = static_cast<std::uint8_t>(i * 7);
            QVERIFY(writePng(path("a.png"), image));
            const auto result = loadImage(path("a.png"));
            QVERIFY(result);
            QCOMPARE(result->info.format, std::string("PNG"));
            QVERIFY(result->alpha.isEmpty());
            QVERIFY(result->info.warnings.empty());
            for (std::size_t i = 0; i < result->image.data.size(); ++i)
                QCOMPARE(result->image.data[i], image.data[channels == 3 ? i : i / 3]);
        }
    }

    void case_031_case_034_allOrientations_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("orientation");
        for (const char* kind : {"jpeg", "jpeg-mm", "png", "tiff"})
            for (int orientation = 1; orientation <= 8; ++orientation)
                QTest::addRow("%s %d", kind, orientation) << kind << orientation;
    }
    void case_031_case_034_allOrientations()
    {
        QFETCH(QString, kind);
        QFETCH(int, orientation);
        const Image upright = quarters();
        const Image stored = storedFor(orientation, upright);
        Bytes bytes;
        if (kind == "png") {
            test::PngOptions options;
            options.orientation = orientation;
            bytes = test::makePng(stored.width, stored.height, stored.data, options);
        } else if (kind == "tiff") {
            test::TiffOptions options;
            options.orientation = orientation;
            bytes =
                test::makeTiff(path("o.tif"), stored.width, stored.height, stored.data, options);
        } else {
            test::JpegOptions options;
            options.orientation = orientation;
            options.isBigEndianExif = kind == "jpeg-mm";
            bytes = test::makeJpeg(stored, options);
        }
        const LoadedImage result = loaded(bytes);
        QCOMPARE(result.info.orientation, orientation);
        QCOMPARE(result.image.width, 48);
        QCOMPARE(result.image.height, 32);
        QCOMPARE(result.info.width, 48);
        QCOMPARE(result.info.height, 32);
        QVERIFY(isNear(result.image, 6, 6, 255, 0, 0, 8));
        QVERIFY(isNear(result.image, 42, 6, 0, 255, 0, 8));
        QVERIFY(isNear(result.image, 6, 26, 0, 0, 255, 8));
        QVERIFY(isNear(result.image, 42, 26, 255, 255, 255, 8));
    }

    void case_046_cmykAndYcck_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("CMYK") << int(test::JpegKind::Cmyk);
        QTest::newRow("Adobe CMYK") << int(test::JpegKind::AdobeCmyk);
        QTest::newRow("Adobe YCCK") << int(test::JpegKind::AdobeYcck);
    }
    void case_046_cmykAndYcck()
    {
        QFETCH(int, kind);
        test::JpegOptions options;
        options.kind = static_cast<test::JpegKind>(kind);
        options.quality = 100;
        const auto shown = [&](std::vector<std::uint8_t> ink) {
            return loaded(test::makeJpeg(flat(16, 16, std::move(ink)), options)).image;
        };
        QVERIFY(isNear(shown({0, 0, 0, 0}), 8, 8, 255, 255, 255, 3));    // paper
        QVERIFY(isNear(shown({255, 0, 0, 0}), 8, 8, 0, 166, 230, 12));   // cyan
        QVERIFY(isNear(shown({0, 255, 0, 0}), 8, 8, 232, 0, 132, 12));   // magenta
        QVERIFY(isNear(shown({0, 0, 255, 0}), 8, 8, 255, 240, 0, 12));   // yellow
        QVERIFY(isNear(shown({0, 0, 0, 255}), 8, 8, 35, 31, 32, 12));    // black
        QVERIFY(isNear(shown({0, 255, 255, 0}), 8, 8, 234, 28, 36, 12)); // red
        QVERIFY(isNear(shown({0, 0, 0, 128}), 8, 8, 145, 143, 143, 6));  // grey stays grey
        const LoadedImage info = loaded(test::makeJpeg(flat(16, 16, {20, 60, 70, 0}), options));
        QCOMPARE(info.info.colourModel,
                 std::string(options.kind == test::JpegKind::AdobeYcck ? "YCCK" : "CMYK"));
        // A skin tone: red over green over blue, bright.
        const std::uint8_t* p = info.image.row(8) + 24;
        QVERIFY(p[0] > 200 && p[0] > p[1] + 40 && p[1] > p[2] + 10);
    }

    void profilesAreApplied()
    {
        test::JpegOptions jpeg;
        jpeg.profile = test::rotatedRgbProfile();
        jpeg.quality = 100;
        LoadedImage result = loaded(test::makeJpeg(flat(16, 16, {250, 10, 20}), jpeg));
        QCOMPARE(result.info.profileName, std::string("Rotated primaries"));
        QVERIFY(isNear(result.image, 8, 8, 20, 250, 10, 6)); // red is shown as green
        test::PngOptions png;
        png.profile = jpeg.profile;
        result = loaded(test::makePng(16, 16, flat(16, 16, {250, 10, 20}).data, png));
        QVERIFY(isNear(result.image, 8, 8, 20, 250, 10, 4));
        jpeg.kind = test::JpegKind::AdobeCmyk;
        jpeg.profile = test::oddCmykProfile();
        result = loaded(test::makeJpeg(flat(16, 16, {255, 0, 0, 0}), jpeg));
        QCOMPARE(result.info.profileName, std::string("Odd inks"));
        const std::uint8_t* p = result.image.row(8) + 24;
        QVERIFY2(p[1] > 190 && p[0] < 140 && p[2] < 110, qPrintable(colourAt(result.image, 8, 8)));
    }

    void wrongProfilesAreLeftOutWithAWarning()
    {
        test::JpegOptions options;
        options.profile = test::oddCmykProfile(); // for an RGB picture
        LoadedImage result = loaded(test::makeJpeg(flat(16, 16, {250, 10, 20}), options));
        QVERIFY(isNear(result.image, 8, 8, 250, 10, 20, 6));
        QCOMPARE(result.info.warnings.size(), std::size_t(1));
        options.profile.assign(500, 7);
        result = loaded(test::makeJpeg(flat(16, 16, {250, 10, 20}), options));
        QVERIFY(isNear(result.image, 8, 8, 250, 10, 20, 6));
        QCOMPARE(result.info.warnings.size(), std::size_t(1));
    }

    void gammaOfPng()
    {
        test::PngOptions options;
        options.gamma = 1.0; // linear light: half the light is 188 in sRGB
        QVERIFY(isNear(loaded(test::makePng(4, 4, flat(4, 4, {128, 128, 128}).data, options)).image,
                       1, 1, 188, 188, 188, 2));
        options.gamma = 0.45455;
        QVERIFY(isNear(loaded(test::makePng(4, 4, flat(4, 4, {128, 60, 200}).data, options)).image,
                       1, 1, 128, 60, 200, 0));
        options.gamma = 0.51; // what FFmpeg writes for BT.709
        QVERIFY(isNear(loaded(test::makePng(4, 4, flat(4, 4, {128, 60, 200}).data, options)).image,
                       1, 1, 128, 60, 200, 0));
    }

    void case_044_sixteenBitIsScaled()
    {
        const std::vector<std::uint16_t> ramp{0, 257, 32896, 40000, 65278, 65535};
        const std::vector<int> want{0, 1, 128, 156, 254, 255};
        test::PngOptions png;
        png.bitDepth = 16;
        png.colourType = 0;
        const LoadedImage grey = loaded(test::makePng(6, 1, bigEndian(ramp), png));
        QCOMPARE(grey.info.bitDepth, 16);
        QCOMPARE(grey.info.colourModel, std::string("grey"));
        test::TiffOptions tiff;
        tiff.bits = 16;
        tiff.photometric = 1;
        tiff.samples = 1;
        const LoadedImage other = loaded(test::makeTiff(path("g.tif"), 6, 1, native(ramp), tiff));
        tiff.photometric = 0; // white is zero
        const LoadedImage inverted =
            loaded(test::makeTiff(path("w.tif"), 6, 1, native(ramp), tiff));
        for (int x = 0; x < 6; ++x) {
            const int v = want[static_cast<std::size_t>(x)];
            QVERIFY(isNear(grey.image, x, 0, v, v, v, 0));
            QVERIFY(isNear(other.image, x, 0, v, v, v, 0));
            QVERIFY(isNear(inverted.image, x, 0, 255 - v, 255 - v, 255 - v, 0));
        }
        png.colourType = 2;
        const LoadedImage rgb = loaded(test::makePng(2, 1, bigEndian(ramp), png));
        QVERIFY(isNear(rgb.image, 0, 0, 0, 1, 128, 0));
        QVERIFY(isNear(rgb.image, 1, 0, 156, 254, 255, 0));
    }

    void smallDepthsAndPalettes()
    {
        test::PngOptions options;
        options.bitDepth = 1;
        options.colourType = 0;
        LoadedImage result = loaded(test::makePng(8, 1, {0b01010011}, options));
        QVERIFY(isNear(result.image, 0, 0, 0, 0, 0, 0));
        QVERIFY(isNear(result.image, 1, 0, 255, 255, 255, 0));
        options.bitDepth = 2;
        result = loaded(test::makePng(4, 1, {0b00011011}, options));
        QVERIFY(isNear(result.image, 1, 0, 85, 85, 85, 0));
        options.bitDepth = 4;
        options.colourType = 3;
        options.palette = {10, 20, 30, 200, 100, 50};
        options.paletteAlpha = {255, 0};
        ImageOptions onRed;
        onRed.background = {255, 0, 0};
        result = loaded(test::makePng(2, 1, {0x01}, options), onRed);
        QCOMPARE(result.info.colourModel, std::string("palette"));
        QVERIFY(isNear(result.image, 0, 0, 10, 20, 30, 0));
        QVERIFY(isNear(result.image, 1, 0, 255, 0, 0, 0)); // transparent entry
        QCOMPARE(int(result.alpha.data[0]), 255);
        QCOMPARE(int(result.alpha.data[1]), 0);
    }

    void interlacedEqualsPlain()
    {
        const Image image = test::noise(53, 41, 9);
        test::PngOptions options;
        options.isInterlaced = true;
        QVERIFY(loaded(test::makePng(53, 41, image.data, options)).image.data == image.data);
    }

    void case_038_case_043_alphaIsCompositedAndReported()
    {
        Image image = flat(8, 8, {200, 100, 0, 255});
        for (int x = 4; x < 8; ++x)
            for (int y = 0; y < 8; ++y)
                image.row(y)[4 * x + 3] = static_cast<std::uint8_t>(x < 6 ? 0 : 128);
        test::PngOptions options;
        options.colourType = 6;
        ImageOptions onBlue;
        onBlue.background = {0, 0, 255};
        const LoadedImage png = loaded(test::makePng(8, 8, image.data, options), onBlue);
        const LoadedImage webp = loaded(test::makeWebp(image, true), onBlue);
        test::TiffOptions tiffOptions;
        tiffOptions.samples = 4;
        tiffOptions.extraSample = 2;
        const LoadedImage tiff =
            loaded(test::makeTiff(path("a.tif"), 8, 8, image.data, tiffOptions), onBlue);
        for (const LoadedImage* result : {&png, &webp, &tiff}) {
            QCOMPARE(result->image.channels, 3);
            QVERIFY(result->info.hasAlpha && result->info.isTransparent);
            QCOMPARE(result->info.warnings.size(), std::size_t(1));
            QVERIFY(isNear(result->image, 1, 1, 200, 100, 0, 0));
            QVERIFY(isNear(result->image, 7, 1, 100, 50, 127, 1));
            QVERIFY(isNear(result->image, 5, 1, 0, 0, 255, 0));
            QCOMPARE(result->alpha.channels, 1);
            QCOMPARE(int(result->alpha.row(1)[5]), 0);
            QCOMPARE(int(result->alpha.row(1)[7]), 128);
        }
        // Fully opaque alpha is no transparency.
        const LoadedImage opaque =
            loaded(test::makePng(4, 4, flat(4, 4, {1, 2, 3, 255}).data, options));
        QVERIFY(opaque.info.hasAlpha && !opaque.info.isTransparent);
        QVERIFY(opaque.alpha.isEmpty() && opaque.info.warnings.empty());
        // Premultiplied colours are not multiplied twice.
        tiffOptions.extraSample = 1;
        const LoadedImage premultiplied = loaded(
            test::makeTiff(path("p.tif"), 4, 4, flat(4, 4, {100, 50, 0, 128}).data, tiffOptions),
            onBlue);
        QVERIFY(isNear(premultiplied.image, 1, 1, 100, 50, 127, 1));
    }

    void tiffOfAllKinds()
    {
        const Image image = test::noise(45, 33, 4);
        for (const int tile : {0, 16})
            for (const int compression : {1, 5, 8, 32773}) {
                test::TiffOptions options;
                options.tile = tile;
                options.compression = compression;
                const LoadedImage result =
                    loaded(test::makeTiff(path("k.tif"), 45, 33, image.data, options));
                QVERIFY(result.image.data == image.data);
            }
        test::TiffOptions cmyk;
        cmyk.photometric = 5;
        cmyk.samples = 4;
        const LoadedImage printed =
            loaded(test::makeTiff(path("c.tif"), 8, 8, flat(8, 8, {0, 255, 255, 0}).data, cmyk));
        QCOMPARE(printed.info.colourModel, std::string("CMYK"));
        QVERIFY(isNear(printed.image, 2, 2, 234, 28, 36, 0));
        cmyk.bits = 16;
        const LoadedImage deep = loaded(test::makeTiff(
            path("d.tif"), 2, 1, native({0, 65535, 65535, 0, 0, 0, 0, 65535}), cmyk));
        QVERIFY(isNear(deep.image, 0, 0, 234, 28, 36, 0));
        QVERIFY(isNear(deep.image, 1, 0, 35, 31, 32, 0));
        test::TiffOptions bilevel; // goes through the general conversion
        bilevel.bits = 1;
        bilevel.photometric = 1;
        bilevel.samples = 1;
        const LoadedImage fax =
            loaded(test::makeTiff(path("b.tif"), 8, 2, {0b01010101, 0xFF}, bilevel));
        QVERIFY(isNear(fax.image, 0, 0, 0, 0, 0, 0));
        QVERIFY(isNear(fax.image, 1, 0, 255, 255, 255, 0));
        test::TiffOptions real;
        real.bits = 32;
        real.isFloat = true;
        const auto refused =
            loadImage(test::makeTiff(path("f.tif"), 4, 4, Bytes(4 * 4 * 12), real), "f.tif");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code(), ErrorCode::Unsupported);
    }

    void otherFormats_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("format");
        QTest::newRow("bmp") << "a.bmp"
                             << "BMP";
        QTest::newRow("gif") << "a.gif"
                             << "GIF";
        QTest::newRow("ppm") << "a.ppm"
                             << "PPM";
        QTest::newRow("jpeg 2000") << "a.jp2"
                                   << "JPEG 2000";
        QTest::newRow("webp") << "a.webp"
                              << "WebP";
        QTest::newRow("jpeg xl") << "a.jxl"
                                 << "JPEG XL";
        QTest::newRow("qoi") << "a.qoi"
                             << "QOI";
    }
    void otherFormats()
    {
        QFETCH(QString, name);
        QFETCH(QString, format);
        QVERIFY(writePng(path("a.png"), quarters()));
        QCOMPARE(test::runTool("ffmpeg", {"-i", path("a.png"), path(name.toStdString())}),
                 std::string());
        const auto result = loadImage(path(name.toStdString()));
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QCOMPARE(QString::fromStdString(result->info.format), format);
        QCOMPARE(result->image.width, 48);
        QVERIFY(isNear(result->image, 6, 6, 255, 0, 0, 14));
        QVERIFY(isNear(result->image, 42, 6, 0, 255, 0, 14));
        QVERIFY(isNear(result->image, 6, 26, 0, 0, 255, 14));
    }

    void animatedWebpGivesItsFirstFrame()
    {
        QVERIFY(writePng(path("a.png"), quarters()));
        QCOMPARE(
            test::runTool("ffmpeg", {"-loop", "1", "-i", path("a.png"), "-vf", "hue=h=n*90",
                                     "-frames:v", "3", "-c:v", "libwebp_anim", path("anim.webp")}),
            std::string());
        const auto result = loadImage(path("anim.webp"));
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QVERIFY(isNear(result->image, 6, 6, 255, 0, 0, 30));
        QVERIFY(!result->info.warnings.empty());
    }

    void scalingAverages()
    {
        // A checkerboard becomes its mean, at any factor.
        Image image(101, 67, 3);
        for (int y = 0; y < 67; ++y)
            for (int x = 0; x < 101; ++x)
                for (int c = 0; c < 3; ++c)
                    image.row(y)[3 * x + c] = (x + y) % 2 ? 200 : 100;
        const Image small = scaledDown(image, 10, 7);
        for (const std::uint8_t v : small.data)
            QVERIFY(std::abs(v - 150) <= 3);
        QVERIFY(scaledDown(image, 101, 67).data == image.data);
        const Size size = fittingSize(4000, 3000, 800, 800);
        QCOMPARE(size.width, 800);
        QCOMPARE(size.height, 600);
        QCOMPARE(fittingSize(100, 50, 800, 800).width, 100);
    }
};

LOQUOR_TEST(tst_image_loader)
#include "tst_image_loader.moc"
