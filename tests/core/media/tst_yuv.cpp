#include "core/media/yuv.h"
#include "tests/core/media/media_fixtures.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace loquor;
using namespace loquor::media;

namespace {

struct Planes
{
    int width, height;
    std::vector<std::uint8_t> y, u, v;
    Planes(int w, int h)
        : width(w), height(h), y(static_cast<std::size_t>(w * h)), u(y.size() / 4), v(y.size() / 4)
    {
    }
    YuvPlanes view() { return {y.data(), u.data(), v.data(), width, width / 2, width / 2}; }
};

Planes convert(const Image& image, bool avx2)
{
    Planes planes(image.width, image.height);
    detail::rgbToYuv420With(avx2, image.data.data(), static_cast<std::ptrdiff_t>(image.stride()),
                            image.width, image.height, planes.view());
    return planes;
}

// The definition of BT.709, in floating point, with the filter the header names.
struct Exact
{
    double y, u, v;
};
Exact exactAt(const Image& image, int x, int y)
{
    const auto at = [&](int px, int py, int c) {
        return image.row(py)[3 * std::max(px, 0) + c] / 255.0;
    };
    const auto luma = [](double r, double g, double b) {
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    Exact out{};
    out.y = 16 + 219 * luma(at(x, y, 0), at(x, y, 1), at(x, y, 2));
    if (x % 2 == 0 && y % 2 == 0) {
        double s[3];
        for (int c = 0; c < 3; ++c) {
            s[c] = 0;
            for (int dy = 0; dy < 2; ++dy)
                s[c] += at(x - 1, y + dy, c) + 2 * at(x, y + dy, c) + at(x + 1, y + dy, c);
            s[c] /= 8;
        }
        out.u = 128 + 224 * (s[2] - luma(s[0], s[1], s[2])) / 1.8556;
        out.v = 128 + 224 * (s[0] - luma(s[0], s[1], s[2])) / 1.5748;
    }
    return out;
}

} // namespace

class tst_yuv : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void followsTheDefinition()
    {
        const Image image = test::noise(70, 36, 3);
        const Planes planes = convert(image, false);
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x) {
                const Exact exact = exactAt(image, x, y);
                QVERIFY(std::abs(planes.y[static_cast<std::size_t>(y * 70 + x)] - exact.y) < 0.52);
                if (x % 2 == 0 && y % 2 == 0) {
                    const auto at = static_cast<std::size_t>(y / 2 * 35 + x / 2);
                    QVERIFY(std::abs(planes.u[at] - exact.u) < 0.52);
                    QVERIFY(std::abs(planes.v[at] - exact.v) < 0.52);
                }
            }
    }

    void greysStayGrey()
    {
        for (int grey = 0; grey < 256; ++grey) {
            Image image(32, 2, 3);
            std::fill(image.data.begin(), image.data.end(), static_cast<std::uint8_t>(grey));
            const Planes planes = convert(image, true);
            QCOMPARE(int(planes.u[3]), 128);
            QCOMPARE(int(planes.v[3]), 128);
            QCOMPARE(int(planes.y[5]), static_cast<int>(std::lround(16 + 219 * grey / 255.0)));
        }
    }

    void bothFormsGiveTheSameBytes_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {2, 30, 32, 34, 62, 64, 96, 98, 1280, 1918})
            QTest::addRow("%d", width) << width;
    }
    void bothFormsGiveTheSameBytes()
    {
        QFETCH(int, width);
        QVERIFY2(__builtin_cpu_supports("avx2"), "this machine cannot run the AVX2 form");
        const Image image = test::noise(width, 6, static_cast<unsigned>(width));
        const Planes plain = convert(image, false);
        const Planes fast = convert(image, true);
        QVERIFY(plain.y == fast.y);
        QVERIFY(plain.u == fast.u);
        QVERIFY(plain.v == fast.v);
    }
};

LOQUOR_TEST(tst_yuv)
#include "tst_yuv.moc"
