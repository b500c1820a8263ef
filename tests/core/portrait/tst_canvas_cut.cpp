// Where the canvas is cut from a photo, and that cutting keeps pixels where they are.
#include "tests/support/test_main.h"

#include <cmath>

#include "core/portrait/portrait_builder.h"
#include "tests/support/synthetic_face.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

double eyes(const Landmarks& l)
{
    return std::hypot(l[263].x - l[33].x, l[263].y - l[33].y, l[263].z - l[33].z);
}

// A picture whose colours name their place.
Image ramp(int width, int height)
{
    Image out(width, height, 3);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            std::uint8_t* p = out.row(y) + 3 * x;
            p[0] = static_cast<std::uint8_t>(20 + x * 200 / width);
            p[1] = static_cast<std::uint8_t>(20 + y * 200 / height);
            p[2] = 90;
        }
    return out;
}

} // namespace

class tst_canvas_cut : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void staysInsideLargePhotos_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        for (const auto& [w, h] :
             {std::pair{720, 720}, {1280, 720}, {720, 1280}, {1080, 1920}, {640, 360}, {64, 64}})
            QTest::addRow("%dx%d", w, h) << w << h;
    }
    void staysInsideLargePhotos()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        const auto face = test::syntheticFace(64, 64, 1500, 900, 200);
        const CanvasCut cut = planCanvas(face.landmarks, 4000, 3000, width, height);
        QVERIFY(cut.x0 >= 0 && cut.y0 >= 0);
        QVERIFY(cut.x0 + width / cut.scale <= 4000 + 1e-6);
        QVERIFY(cut.y0 + height / cut.scale <= 3000 + 1e-6);
        QVERIFY(cut.notes.empty());
        const double u = eyes(face.landmarks) * cut.scale;
        QVERIFY(u >= 150.0 / 720 * std::min<double>(height, 1.35 * width) - 1e-3);
    }

    // What stands beside the head counts, at any size; the person and what is far away do not.
    void busyBackgroundsAreTold_data()
    {
        QTest::addColumn<double>("eyeDistance");
        for (const double eyeDistance : {40., 120., 360.})
            QTest::addRow("%g px", eyeDistance) << eyeDistance;
    }
    void busyBackgroundsAreTold()
    {
        QFETCH(double, eyeDistance);
        const int width = static_cast<int>(7 * eyeDistance), height = static_cast<int>(6 * eyeDistance);
        const double x = width / 2., y = height / 2.;
        const auto face = test::syntheticFace(64, 64, x, y, eyeDistance);
        Image photo = ramp(width, height);
        QVERIFY(backgroundUnrest(photo, face.landmarks) < kBusyBackground / 4);
        const auto stripes = [&](double from, double to) {
            for (int row = 0; row < height; ++row)
                for (int column = 0; column < width; ++column) {
                    const double away = std::abs(column - x) / eyeDistance;
                    if (away >= from && away < to && static_cast<int>(5 * column / eyeDistance) % 2 == 0)
                        photo.row(row)[3 * column] = photo.row(row)[3 * column + 1] = 250;
                }
        };
        stripes(0, 1.2); // a striped coat
        QVERIFY(backgroundUnrest(photo, face.landmarks) < kBusyBackground / 2);
        stripes(1.2, 3);
        QVERIFY(backgroundUnrest(photo, face.landmarks) > 2 * kBusyBackground);
        // A tight cut shows nothing beside the head.
        const auto tight = test::syntheticFace(64, 64, x, y, 2.4 * eyeDistance);
        QCOMPARE(backgroundUnrest(photo, tight.landmarks), 0.f);
    }

    void smallPhotosFillTheCanvasFirst()
    {
        // 512 px wide for a canvas of 1280: enlarging the face a little beats inventing edges.
        const auto face = test::syntheticFace(64, 64, 256, 250, 70);
        const CanvasCut cut = planCanvas(face.landmarks, 512, 600, 1280, 720);
        QVERIFY(std::abs(cut.scale - 2.5) < 1e-9);
        QCOMPARE(cut.x0, 0.0);
        QVERIFY(cut.notes.empty());
    }

    void tightPhotosStayTight()
    {
        // 340 px of face in 400 px of photo: the canvas shows the photo's whole height and no more.
        const auto face = test::syntheticFace(64, 64, 200, 200, 150);
        const CanvasCut cut = planCanvas(face.landmarks, 400, 400, 1280, 720);
        QVERIFY(cut.scale <= 1.8 + 1e-9);
        QVERIFY2(cut.scale >= 1.6, qPrintable(QString::number(cut.scale)));
        QVERIFY(cut.y0 >= -1e-6);
        QVERIFY(std::abs(cut.invented - (1 - 400 * cut.scale / 1280)) < 1e-6);
        QCOMPARE(cut.notes.size(), std::size_t{1});
        const int percent = static_cast<int>(std::lround(100 * cut.invented));
        QVERIFY(cut.notes[0].find(std::to_string(percent) + " %") != std::string::npos);
    }

    // A grey wall with a slow gradient, a dark body at the bottom that both edges cut.
    void continuationHasNoEdge()
    {
        const int side = 360;
        Image photo(side, side, 3);
        Image mask(640, 360, 1);
        const auto isBody = [](double x, double y) { return y > 240 + .4 * std::abs(x - 180); };
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
                for (int c = 0; c < 3; ++c)
                    photo.row(y)[3 * x + c] = static_cast<std::uint8_t>(
                        isBody(x, y) ? 40 : 150 + 30 * c + 20 * std::sin(x * .02) + 15 * y / side);
        CanvasCut cut;
        cut.width = 640;
        cut.height = 360;
        cut.x0 = -140;
        Image canvas = cutCanvas(photo, cut);
        for (int y = 0; y < 360; ++y)
            for (int x = 0; x < 640; ++x)
                mask.row(y)[x] = x >= 140 && x < 500 && isBody(x - 140, y) ? 255 : 0;
        const Image before = canvas;
        continueCanvas(canvas, cut, side, side, mask, 90);
        for (int y = 0; y < 360; ++y)
            for (int x = 140; x < 500; ++x)
                QCOMPARE(canvas.row(y)[3 * x], before.row(y)[3 * x]);
        // Across the photo's edge nothing jumps, on the wall or on the body.
        double wall = 0;
        double body = 0;
        for (int y = 40; y < 280; ++y)
            wall = std::max(wall, std::abs(0. + canvas.row(y)[3 * 138] - canvas.row(y)[3 * 142]));
        for (int y = 335; y < 358; ++y)
            body = std::max(body, std::abs(0. + canvas.row(y)[3 * 498] - canvas.row(y)[3 * 501]));
        QVERIFY2(wall < 8, qPrintable(QString::number(wall)));
        QVERIFY2(body < 8, qPrintable(QString::number(body)));
        // The body's outline falls outwards and ends; the wall goes on above it.
        QVERIFY(canvas.row(350)[3 * 510] < 80);
        QVERIFY(canvas.row(300)[3 * 600] > 120);
        QVERIFY(canvas.row(350)[3 * 630] > 120);
        QVERIFY(canvas.row(20)[3 * 5] > 120);
    }

    void nothingIsContinuedWhereThePhotoFills()
    {
        Image canvas = ramp(64, 48);
        const Image before = canvas;
        CanvasCut cut;
        cut.width = 64;
        cut.height = 48;
        continueCanvas(canvas, cut, 64, 48, Image(64, 48, 1), 20);
        QVERIFY(canvas.data == before.data);
    }

    void sameScaleCopiesThePixels()
    {
        const Image photo = ramp(300, 260);
        CanvasCut cut;
        cut.scale = 1;
        cut.x0 = 40;
        cut.y0 = 30;
        cut.width = 200;
        cut.height = 180;
        const Image canvas = cutCanvas(photo, cut);
        for (int y = 0; y < 180; ++y)
            for (int x = 0; x < 200; ++x)
                for (int c = 0; c < 3; ++c)
                    QCOMPARE(canvas.row(y)[3 * x + c], photo.row(y + 30)[3 * (x + 40) + c]);
    }

    void scalingKeepsPlaces_data()
    {
        QTest::addColumn<double>("scale");
        for (const double s : {.07, .21, .5, .83, 1.4, 2.5})
            QTest::addRow("%.2f", s) << s;
    }
    void scalingKeepsPlaces()
    {
        QFETCH(double, scale);
        const int side = static_cast<int>(300 / scale);
        Image photo(side, side, 3);
        // a bright blob around photo coordinate (.42, .61) of the side
        const double bx = .42 * side;
        const double by = .61 * side;
        const double radius = 20 / scale;
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                const double d2 = (x + .5 - bx) * (x + .5 - bx) + (y + .5 - by) * (y + .5 - by);
                const auto v =
                    static_cast<std::uint8_t>(30 + 200 * std::exp(-d2 / (2 * radius * radius)));
                for (int c = 0; c < 3; ++c)
                    photo.row(y)[3 * x + c] = v;
            }
        CanvasCut cut;
        cut.scale = scale;
        cut.x0 = .1 * side;
        cut.y0 = .2 * side;
        cut.width = 220;
        cut.height = 220;
        const Image canvas = cutCanvas(photo, cut);
        double sum = 0;
        double sx = 0;
        double sy = 0;
        for (int y = 0; y < 220; ++y)
            for (int x = 0; x < 220; ++x) {
                const double w = std::max(0, canvas.row(y)[3 * x] - 60);
                sum += w;
                sx += w * (x + .5);
                sy += w * (y + .5);
            }
        QVERIFY(std::abs(sx / sum - (bx - cut.x0) * scale) < .1);
        QVERIFY(std::abs(sy / sum - (by - cut.y0) * scale) < .1);
    }
};

LOQUOR_TEST(tst_canvas_cut)
#include "tst_canvas_cut.moc"
