#include "core/portrait/tile_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

// A jittered grid of triangles over a canvas, with a noise texture.
struct Scene
{
    static constexpr int kSize = 96, kCells = 12;
    std::vector<GridVertex> vertices;
    std::vector<std::int32_t> triangles, members;
    std::vector<std::uint8_t> texels, plate, out;
    TileJob job;

    explicit Scene(std::uint64_t seed, double jitter, int alphaLow, bool gains)
        : plate(3 * kSize * kSize), out(plate.size(), 7)
    {
        Random random(seed);
        const double cell = double(kSize + 16) / kCells;
        for (int y = 0; y <= kCells; ++y)
            for (int x = 0; x <= kCells; ++x) {
                GridVertex v;
                v.u = int(std::lround((x * cell - 8) * kSubpixels));
                v.v = int(std::lround((y * cell - 8) * kSubpixels));
                v.x = v.u + int(random.uniform(-jitter, jitter) * kSubpixels);
                v.y = v.v + int(random.uniform(-jitter, jitter) * kSubpixels);
                if (gains)
                    v.gain = int(random.uniform(.4, 1.9) * kGainOne);
                vertices.push_back(v);
            }
        for (int y = 0; y < kCells; ++y)
            for (int x = 0; x < kCells; ++x) {
                const int a = y * (kCells + 1) + x, b = a + 1, c = a + kCells + 1, d = c + 1;
                triangles.insert(triangles.end(), {a, b, c, b, d, c});
            }
        for (std::size_t i = 0; i < triangles.size() / 3; ++i)
            members.push_back(int(i));
        job.texture.width = job.texture.height = 2 * kSize - 1;
        job.texture.scale = 2;
        texels.resize(4 * 2 * kSize * 2 * kSize);
        for (std::size_t i = 0; i < texels.size(); ++i)
            texels[i] = std::uint8_t(random.uniform(i % 4 == 3 ? alphaLow : 0, 256));
        for (auto& p : plate)
            p = std::uint8_t(random.uniform(0, 256));
        job.vertices = vertices.data();
        job.triangles = triangles.data();
        job.members = members.data();
        job.memberCount = members.size();
        job.texture.pixels = texels.data();
        job.stride = 3 * kSize;
    }
    std::vector<std::uint8_t> draw(TileKernel kernel, int tileWidth = kTileSize)
    {
        std::fill(out.begin(), out.end(), std::uint8_t(7));
        for (int y = 0; y < kSize; y += kTileSize)
            for (int x = 0; x < kSize; x += tileWidth) {
                job.x0 = x;
                job.y0 = y;
                job.width = std::min(tileWidth, kSize - x);
                job.height = kTileSize;
                job.plate = plate.data() + 3 * (y * kSize + x);
                job.out = out.data() + 3 * (y * kSize + x);
                kernel(job);
            }
        return out;
    }
};

} // namespace

class tst_tile_kernel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void avx2EqualsPortable()
    {
        if (!hasAvx2()) {
            // Then the portable kernel is the one in use, and there is nothing to compare.
            QVERIFY(bestTileKernel() == drawTilePortable);
            return;
        }
        QVERIFY(bestTileKernel() == drawTileAvx2);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            Scene scene(seed, seed % 4 == 3 ? 60. : 5., seed % 2 ? 0 : 200, true);
            QCOMPARE(scene.draw(drawTileAvx2) == scene.draw(drawTilePortable), true);
        }
    }

    void tileSizeDoesNotMatter()
    {
        Scene scene(4, 5, 100, true);
        for (const TileKernel kernel : {TileKernel(drawTilePortable), bestTileKernel()}) {
            // The sampling position is rounded once a tile: a step of 1/64 of the noise at most.
            const auto whole = scene.draw(kernel);
            for (const int width : {8, 13}) {
                const auto narrow = scene.draw(kernel, width);
                int largest = 0;
                for (std::size_t i = 0; i < whole.size(); ++i)
                    largest = std::max(largest, std::abs(whole[i] - narrow[i]));
                QVERIFY2(largest <= 4, qPrintable(QString::number(largest)));
            }
        }
    }

    // Neighbouring triangles leave no gap: over an opaque texture no plate pixel shows.
    void meshIsWatertight()
    {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            Scene scene(seed, 3, 255, false);
            std::fill(scene.texels.begin(), scene.texels.end(), std::uint8_t(255));
            std::fill(scene.plate.begin(), scene.plate.end(), std::uint8_t(0));
            const auto drawn = scene.draw(bestTileKernel());
            QCOMPARE(std::count(drawn.begin(), drawn.end(), std::uint8_t(255)),
                     std::ptrdiff_t(drawn.size()));
        }
    }

    void identityCopiesThePhoto()
    {
        Scene scene(2, 0, 255, false);
        const auto drawn = scene.draw(bestTileKernel());
        int different = 0;
        for (int y = 0; y < Scene::kSize; ++y)
            for (int x = 0; x < Scene::kSize; ++x)
                for (int c = 0; c < 3; ++c)
                    different +=
                        drawn[std::size_t(3 * (y * Scene::kSize + x) + c)] !=
                        scene.texels[std::size_t(4 * (2 * y * 2 * Scene::kSize + 2 * x) + c)];
        QCOMPARE(different, 0);
    }

    void gainBrightens()
    {
        Scene scene(3, 0, 255, false);
        std::fill(scene.texels.begin(), scene.texels.end(), std::uint8_t(100));
        for (std::size_t i = 3; i < scene.texels.size(); i += 4)
            scene.texels[i] = 255;
        for (GridVertex& v : scene.vertices)
            v.gain = kGainOne + kGainOne / 4;
        const auto drawn = scene.draw(bestTileKernel());
        QCOMPARE(std::count(drawn.begin(), drawn.end(), std::uint8_t(125)),
                 std::ptrdiff_t(drawn.size()));
    }

    // Far-flung and degenerate triangles are drawn or dropped, never read or write astray.
    void wildTrianglesAreSafe()
    {
        Scene scene(8, 0, 0, true);
        Random random(5);
        for (int round = 0; round < 200; ++round) {
            for (GridVertex& v : scene.vertices) {
                const double reach = round % 2 ? 16000 : 300;
                v.x = int(random.uniform(-reach, reach) * kSubpixels);
                v.y = int(random.uniform(-reach, reach) * kSubpixels);
                v.u = int(random.uniform(-reach, reach) * kSubpixels);
                v.v = int(random.uniform(-reach, reach) * kSubpixels);
            }
            QCOMPARE(scene.draw(bestTileKernel()) == scene.draw(drawTilePortable), true);
        }
    }
};

LOQUOR_TEST(tst_tile_kernel)
#include "tst_tile_kernel.moc"
