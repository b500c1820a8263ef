#include "core/portrait/paint.h"

#include <cmath>

#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

class tst_paint : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void polygonCoverageIsItsArea()
    {
        const Point2 polygon[] = {{3.3f, 2.2f}, {17.1f, 5.6f}, {12.4f, 14.9f}, {4.8f, 11.3f}};
        double area = 0;
        for (int i = 0; i < 4; ++i) {
            const Point2 a = polygon[i], b = polygon[(i + 1) % 4];
            area += .5 * (double(a.x) * b.y - double(b.x) * a.y);
        }
        for (const int left : {0, 2}) {
            Mask mask;
            mask.reset({left, 1, 22, 18});
            fillPolygon(polygon, mask);
            double sum = 0;
            for (const float v : mask.value) {
                QVERIFY(v >= 0 && v <= 1);
                sum += double(v);
            }
            QVERIFY2(std::abs(sum - area) < .01, qPrintable(QString::number(sum - area)));
            QCOMPARE(mask.row(7)[10 - left], 1.f);
        }
    }
    void polygonOutsideItsBoxIsCut()
    {
        const Point2 polygon[] = {{-50, -50}, {50, -50}, {50, 50}, {-50, 50}};
        Mask mask;
        mask.reset({0, 0, 7, 5});
        fillPolygon(polygon, mask);
        for (const float v : mask.value)
            QVERIFY(std::abs(v - 1) < 1e-4f);
    }
    void blurKeepsTheMean()
    {
        std::vector<float> pixels(21 * 21, 0.f);
        pixels[10 * 21 + 10] = 100;
        blur(pixels, 21, 21, 1, 1.2f);
        double sum = 0;
        for (const float v : pixels)
            sum += double(v);
        QVERIFY(std::abs(sum - 100) < .01);
        QVERIFY(pixels[10 * 21 + 10] < 20);
        QVERIFY(std::abs(pixels[10 * 21 + 9] - pixels[9 * 21 + 10]) < 1e-4f);
    }
    void columnsFollowTheContour()
    {
        const Point2 contour[] = {{2, 10}, {6, 14}, {10, 10}};
        std::vector<float> heights(12);
        columnHeights(contour, 0, heights);
        QCOMPARE(heights[0], 10.f);
        QVERIFY(std::abs(heights[3] - 11.5f) < 1e-5f);
        QVERIFY(std::abs(heights[5] - 13.5f) < 1e-5f);
        QCOMPARE(heights[11], 10.f);
    }
    void samplersAreExactOnTexels()
    {
        Texture texture{5, 4, 1, {}};
        for (int i = 0; i < 20; ++i)
            texture.data.push_back(static_cast<float>(i * 7 % 23));
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 5; ++x) {
                float linear = 0, cubic = 0;
                sampleLinear(texture, static_cast<float>(x) + .5f, static_cast<float>(y) + .5f,
                             &linear);
                sampleCubic(texture, static_cast<float>(x) + .5f, static_cast<float>(y) + .5f,
                            &cubic);
                QCOMPARE(linear, texture.data[std::size_t(5 * y + x)]);
                QCOMPARE(cubic, texture.data[std::size_t(5 * y + x)]);
            }
        float far = -1;
        sampleCubic(texture, -1e7f, 1e7f, &far);
        QCOMPARE(far, texture.data[15]);
    }
    void affineInverts()
    {
        const Affine affine = Affine::fromCorners(10, 20, {3, 4}, {12, 6}, {1, 25});
        const Affine back = affine.inverse();
        const Point2 p = affine(5, 7), q = back(p.x, p.y);
        QVERIFY(std::abs(q.x - 5) < 1e-4f && std::abs(q.y - 7) < 1e-4f);
        const Point2 nowhere = Affine{1, 2, 0, 2, 4, 0}.inverse()(3, 3);
        QVERIFY(std::isfinite(nowhere.x) && std::isfinite(nowhere.y));
    }
};

LOQUOR_TEST(tst_paint)
#include "tst_paint.moc"
