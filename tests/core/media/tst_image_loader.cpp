#include "core/media/image_loader.h"
#include "core/media/image_ops.h"
#include "core/media/image_writer.h"
#include "core/platform/atomic_file.h"
#include "core/platform/memory.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/core/media/picture_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

using namespace loquor;
using namespace loquor::media;
using test::Bytes;
namespace fs = std::filesystem;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(error.text());
}

Image flat(int width, int height, std::vector<std::uint8_t> pixel)
{
    Image image(width, height, static_cast<int>(pixel.size()));
    for (std::size_t i = 0; i < image.data.size(); ++i)
        image.data[i] = pixel[i % pixel.size()];
    return image;
}

LoadedImage loaded(const Bytes& bytes, const ImageOptions& options = {})
{
    auto result = loadImage(bytes, "test", options);
    if (!result) {
        qWarning("%s", result.error().text().c_str());
        return {};
    }
    return std::move(*result);
}

QString colourAt(const Image& image, int x, int y)
{
    if (image.isEmpty())
        return "nothing";
    const std::uint8_t* p = image.row(y) + 3 * x;
    return QString("%1 %2 %3").arg(p[0]).arg(p[1]).arg(p[2]);
}

bool isNear(const Image& image, int x, int y, int r, int g, int b, int tolerance)
{
    if (image.isEmpty())
        return false;
    const std::uint8_t* p = image.row(y) + 3 * x;
    const bool ok = std::abs(p[0] - r) <= tolerance && std::abs(p[1] - g) <= tolerance &&
                    std::abs(p[2] - b) <= tolerance;
    if (!ok)
        qWarning("is %s", qPrintable(colourAt(image, x, y)));
    return ok;
}

// 48 x 32: red upper left quarter, green upper right, blue lower left, white lower right.
Image quarters()
{
    Image image(48, 32, 3);
    for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 48; ++x) {
            std::uint8_t* p = image.row(y) + 3 * x;
            const bool right = x >= 24, low = y >= 16;
            p[0] = right == low ? 255 : 0;
            p[1] = right ? 255 : 0;
            p[2] = low ? 255 : 0;
        }
    return image;
}

// The same picture stored so that a viewer must apply `orientation` to show it: the inverse turn.
Image storedFor(int orientation, const Image& upright)
{
    const int inverse = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;
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

    void wrongExtensionIsReadByContent()
    {
        test::save(path("photo.png"), test::makeJpeg(quarters()));
        const auto result = loadImage(path("photo.png"));
        QVERIFY(result);
        QCOMPARE(result->info.format, std::string("JPEG"));
        QCOMPARE(result->info.warnings.size(), std::size_t(1));
        QVERIFY(QString::fromStdString(result->info.warnings[0]).contains("content is JPEG"));
        test::save(path("photo.JPG"), test::makeJpeg(quarters()));
        QVERIFY(loadImage(path("photo.JPG"))->info.warnings.empty());
    }

    void cutOffFilesAreRefused_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("percent");
        for (const char* kind :
             {"jpeg", "progressive", "png", "interlaced", "webp", "tiff", "bmp", "gif"})
            for (const int percent : {2, 30, 80, 97})
                QTest::addRow("%s %d", kind, percent) << kind << percent;
    }
    void cutOffFilesAreRefused()
    {
        QFETCH(QString, kind);
        QFETCH(int, percent);
        const Image image = test::noise(120, 90, 5);
        Bytes bytes;
        test::JpegOptions jpeg;
        jpeg.isProgressive = kind == "progressive";
        test::PngOptions png;
        png.isInterlaced = kind == "interlaced";
        if (kind == "jpeg" || kind == "progressive") {
            bytes = test::makeJpeg(image, jpeg);
        } else if (kind == "png" || kind == "interlaced") {
            bytes = test::makePng(120, 90, image.data, png);
        } else if (kind == "webp") {
            bytes = test::makeWebp(image, false);
        } else if (kind == "tiff") {
            bytes = test::makeTiff(path("cut.tif"), 120, 90, image.data, {});
        } else {
            QVERIFY(writePng(path("cut.png"), image));
            const fs::path file = path("cut." + kind.toStdString());
            QCOMPARE(test::runTool("ffmpeg", {"-i", path("cut.png"), file}), std::string());
            bytes = *platform::readFile(file);
        }
        QVERIFY(loadImage(bytes, "whole"));
        bytes.resize(bytes.size() * static_cast<std::size_t>(percent) / 100);
        const auto result = loadImage(bytes, "cut");
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::Unreadable);
        QVERIFY2(text(result.error()).contains("'cut'"), qPrintable(text(result.error())));
    }

    void damagedJpegIsShownWithAWarning()
    {
        Bytes bytes = test::makeJpeg(test::noise(200, 150, 5));
        bytes[bytes.size() / 2] = 0xFF; // a marker where none may be
        bytes[bytes.size() / 2 + 1] = 0xD4;
        const auto result = loadImage(bytes, "damaged");
        QVERIFY(result);
        QVERIFY(!result->info.warnings.empty());
    }

    void whatIsNoPictureSaysSo()
    {
        const auto codeOf = [](const std::string& content) {
            const auto result = loadImage(Bytes(content.begin(), content.end()), "x");
            return result ? ErrorCode::None : result.error().code();
        };
        QCOMPARE(codeOf(""), ErrorCode::EmptyInput);
        QCOMPARE(codeOf("x"), ErrorCode::Unreadable);
        QCOMPARE(codeOf("just some text " + std::string(5000, '-')), ErrorCode::Unreadable);
        QCOMPARE(codeOf("%PDF-1.4 ..."), ErrorCode::Unsupported);
        QCOMPARE(codeOf(std::string("\0\0\0\x18", 4) + "ftypheic" + std::string(100, 'x')),
                 ErrorCode::Unsupported);
        QCOMPARE(codeOf("\xFF\xD8\xFF"), ErrorCode::Unreadable);
        const auto missing = loadImage(path("none.jpg"));
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(text(missing.error()).contains("none.jpg"));
        QCOMPARE(loadImage(m_dir.path().toStdString()).error().code(), ErrorCode::Unreadable);
    }

    void case_055_hugePicturesStayBounded_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"jpeg", "png", "webp", "tiff"})
            QTest::newRow(kind) << kind;
    }
    void case_055_hugePicturesStayBounded()
    {
        QFETCH(QString, kind);
        // 100 megapixels (24 for WebP, whose encoder is slow), flat halves so that the file is
        // small.
        const int width = kind == "webp" ? 6000 : 12288, height = kind == "webp" ? 4000 : 8192;
        const fs::path file = path("huge." + kind.toStdString());
        {
            Image image(width, height, 3);
            for (int y = 0; y < height; ++y)
                std::fill_n(image.row(y), image.stride(),
                            static_cast<std::uint8_t>(y < height / 2 ? 40 : 200));
            if (kind == "jpeg")
                test::save(file, test::makeJpeg(image));
            else if (kind == "png")
                QVERIFY(writePng(file, image, 1));
            else if (kind == "webp")
                test::save(file, test::makeWebp(image, false));
            else
                test::makeTiff(file, width, height, image.data, {});
        }
        ImageOptions options;
        options.maxPixels = 4'000'000;
        QVERIFY(platform::resetPeakMemory());
        const auto before = platform::memoryUse().rssBytes;
        const auto result = loadImage(file, options);
        const auto peak = platform::memoryUse().peakRssBytes;
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QVERIFY(result->image.width * result->image.height <= 4'000'000);
        QVERIFY(result->image.width * result->image.height > 3'900'000);
        QCOMPARE(result->info.width, width);
        QCOMPARE(result->info.height, height);
        QVERIFY(std::abs(result->scale() - std::sqrt(4e6 / width / height)) < 0.001);
        QVERIFY(QString::fromStdString(result->info.warnings.at(0))
                    .contains(QString("%1x%2").arg(width).arg(height)));
        QVERIFY(isNear(result->image, 100, 100, 40, 40, 40, 2));
        QVERIFY(isNear(result->image, 100, result->image.height - 100, 200, 200, 200, 2));
        // Lossy WebP decodes its own whole picture at 1.5 bytes a pixel; the others need only rows.
        const std::uint64_t most = kind == "webp" ? 80u << 20 : 60u << 20;
        QVERIFY2(peak < before + most, qPrintable(QString("%1 MB").arg((peak - before) >> 20)));
        fs::remove(file);
    }

    void tinyPictures()
    {
        const LoadedImage one = loaded(test::makePng(1, 1, {9, 8, 7}, {}));
        QCOMPARE(one.image.width, 1);
        QVERIFY(isNear(one.image, 0, 0, 9, 8, 7, 0));
        const LoadedImage line = loaded(test::makePng(1, 300, Bytes(900, 50), {}));
        QCOMPARE(line.image.height, 300);
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

    void case_148_namesInSeveralScripts()
    {
        for (const char* name :
             {"Grüße.png", "写真 🎬.png", "a\nb.png", "100%d.png", "http:__x.png"}) {
            QVERIFY(writePng(path(name), quarters()));
            QVERIFY2(loadImage(path(name)), name);
        }
    }

    void realPhotos()
    {
        const fs::path media = fs::path(LOQUOR_DEPS_DIR).parent_path() / "media" / "test";
        for (const auto& [name, width, height] :
             std::vector<std::tuple<const char*, int, int>>{{"astronaut.png", 512, 512},
                                                            {"hopper.jpg", 512, 600},
                                                            {"obama3.jpg", 1434, 2333}}) {
            const auto result = loadImage(media / name);
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            QCOMPARE(result->image.width, width);
            QCOMPARE(result->image.height, height);
            QVERIFY(result->info.warnings.empty());
        }
    }

    void manyAtOnce()
    {
        test::JpegOptions options;
        options.profile = test::rotatedRgbProfile();
        const Bytes jpeg = test::makeJpeg(test::noise(300, 200, 1), options);
        const Bytes tiff =
            test::makeTiff(path("m.tif"), 300, 200, test::noise(300, 200, 1).data, {});
        const Bytes cut(tiff.begin(), tiff.begin() + static_cast<std::ptrdiff_t>(tiff.size() / 2));
        const LoadedImage want = loaded(jpeg);
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 5; ++i)
                    if (loadImage(jpeg, "j")->image.data == want.image.data &&
                        loadImage(tiff, "t") && !loadImage(cut, "c"))
                        ++good;
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 15);
    }
};

LOQUOR_TEST(tst_image_loader)
#include "tst_image_loader.moc"
