// Cut, damaged, huge, tiny, wrongly named and real picture files.
#include "core/media/image_loader.h"
#include "core/media/image_writer.h"
#include "core/platform/atomic_file.h"
#include "core/platform/memory.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/core/media/picture_checks.h"
#include "tests/core/media/picture_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <atomic>
#include <cmath>
#include <thread>

using namespace loquor;
using namespace loquor::media;
using test::Bytes;
using test::isNear;
using test::loaded;
using test::quarters;
using test::text;
namespace fs = std::filesystem;

class tst_image_robustness : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const std::string& name) const
    {
        return fs::path(m_dir.path().toStdString()) / name;
    }

private Q_SLOTS:
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

    // Tile sizes whose product is 0 in 32 bits, or more than any memory: refused before anything is allocated.
    void hugeTilesAreRefused()
    {
        const Image image = test::noise(32, 32, 1);
        test::TiffOptions options;
        options.tile = 16;
        const Bytes good = test::makeTiff(path("tiles.tif"), 32, 32, image.data, options);
        QVERIFY(loadImage(good, "tiles.tif"));
        const auto number = [&good](std::size_t at, int bytes) {
            std::uint32_t value = 0;
            for (int i = bytes; i-- > 0;)
                value = value << 8 | good[at + static_cast<std::size_t>(i)];
            return value;
        };
        const std::size_t directory = number(4, 4);
        for (const std::uint32_t side : {65536u, 0x7fffffffu, 0xfffffff0u, 40000u}) {
            Bytes bad = good;
            int changed = 0;
            for (std::size_t i = 0; i < number(directory, 2); ++i) {
                const std::size_t entry = directory + 2 + 12 * i;
                if (number(entry, 2) != 322 && number(entry, 2) != 323) // tile width and length
                    continue;
                ++changed;
                bad[entry + 2] = 4; // one 32-bit number
                for (std::size_t b = 0; b < 4; ++b)
                    bad[entry + 8 + b] = static_cast<std::uint8_t>(side >> (8 * b));
            }
            QCOMPARE(changed, 2);
            const double before = platform::memoryUse().peakRssBytes;
            QVERIFY(!loadImage(bad, "tiles.tif"));
            QVERIFY(platform::memoryUse().peakRssBytes < before + (64 << 20));
        }
    }

    void tinyPictures()
    {
        const LoadedImage one = loaded(test::makePng(1, 1, {9, 8, 7}, {}));
        QCOMPARE(one.image.width, 1);
        QVERIFY(isNear(one.image, 0, 0, 9, 8, 7, 0));
        const LoadedImage line = loaded(test::makePng(1, 300, Bytes(900, 50), {}));
        QCOMPARE(line.image.height, 300);
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

    void case_032_filesAndMemoryAreReadAlike()
    {
        test::JpegOptions options;
        options.orientation = 6;
        options.profile = test::rotatedRgbProfile();
        const Bytes bytes = test::makeJpeg(test::noise(60, 40, 2), options);
        test::save(path("p.jpg"), bytes);
        const auto file = loadImage(path("p.jpg"));
        const auto memory = loadImage(bytes, "p.jpg");
        QVERIFY(file && memory);
        QCOMPARE(file->image.width, 40);
        QVERIFY(file->image.data == memory->image.data);
        QCOMPARE(file->info.describe(), memory->info.describe());
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
};

LOQUOR_TEST(tst_image_robustness)
#include "tst_image_robustness.moc"
