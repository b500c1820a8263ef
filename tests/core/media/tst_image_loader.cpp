#include "core/media/image_loader.h"
#include "core/media/image_writer.h"
#include "core/platform/atomic_file.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::media;
namespace fs = std::filesystem;

namespace {

// A picture in which every pixel differs from its neighbours.
Image gradient(int width, int height, int channels)
{
    Image image(width, height, channels);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width * channels; ++x)
            image.row(y)[x] = static_cast<std::uint8_t>(x * 7 + y * 13);
    return image;
}

} // namespace

class tst_image_loader : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path path(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }

private Q_SLOTS:
    void pngRoundTrip()
    {
        for (const int channels : {1, 3}) {
            const Image image = gradient(37, 23, channels);
            QVERIFY(writePng(path("a.png"), image));
            const auto loaded = loadImage(path("a.png"));
            QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
            QCOMPARE(loaded->image.channels, 3);
            QCOMPARE(loaded->info.format, std::string("PNG"));
            QVERIFY(loaded->alpha.isEmpty());
            QVERIFY(loaded->info.warnings.empty());
            for (int y = 0; y < 23; ++y)
                for (int x = 0; x < 37 * 3; ++x)
                    QCOMPARE(loaded->image.row(y)[x],
                             channels == 3 ? image.row(y)[x] : image.row(y)[x / 3]);
        }
    }
};

LOQUOR_TEST(tst_image_loader)
#include "tst_image_loader.moc"
