// The reference builder on the photos of the set-up folder.
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/portrait/face_geometry.h"
#include "core/portrait/portrait_builder.h"
#include "core/portrait/renderer.h"
#include "tests/support/portrait_fixture.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

// Layer over plate against the photo; with parted lips only outside the box that the clean-up of
// mouth and folds may change.
double restPsnr(const PortraitModel& m)
{
    double squared = 0;
    double count = 0;
    const float mouthX = m.M0[0];
    const float mouthY = m.M0[1];
    for (int y = 0; y < m.height; ++y)
        for (int x = 0; x < m.width; ++x) {
            if (m.openMouth && std::abs(static_cast<float>(x) - mouthX) < .75f * m.u &&
                std::abs(static_cast<float>(y) - mouthY) < .6f * m.u)
                continue;
            const std::uint8_t* l = m.layer.row(y) + 4 * x;
            const double a = l[3] / 255.0;
            for (int c = 0; c < 3; ++c) {
                const double v = std::round(m.plate.row(y)[3 * x + c] * (1 - a) + l[c] * a);
                const double d = v - m.canvas.row(y)[3 * x + c];
                squared += d * d;
                count += 1;
            }
        }
    return 10 * std::log10(255.0 * 255.0 / std::max(1e-9, squared / count));
}

} // namespace

class tst_portrait_photos : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void photos_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("open");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        for (const auto& [w, h] : {std::pair{640, 360}, {400, 400}}) {
            QTest::addRow("astronaut %d", w) << "astronaut" << true << w << h;
            QTest::addRow("hopper %d", w) << "hopper" << false << w << h;
            QTest::addRow("man_smile %d", w) << "man_smile" << true << w << h;
            QTest::addRow("man_suit %d", w) << "man_suit" << false << w << h;
            QTest::addRow("man_closed %d", w) << "man_closed" << false << w << h;
        }
    }
    void photos()
    {
        QFETCH(QString, name);
        QFETCH(bool, open);
        QFETCH(int, width);
        QFETCH(int, height);
        const auto fixture = test::loadPortraitFixture(name.toStdString());
        const auto built = buildPortrait(test::observe(fixture, width, height), {});
        QVERIFY2(built, built ? "" : built.error().text().c_str());
        const PortraitModel& m = **built;
        QCOMPARE(m.openMouth, open);
        QCOMPARE(m.photoTeeth, open);
        QCOMPARE(m.glasses, name == "hopper");
        QVERIFY(m.u > 150.f / 720 * static_cast<float>(height) - .5f);
        const double psnr = restPsnr(m);
        QVERIFY2(psnr > 45, qPrintable(QString::number(psnr)));
        // Closed lips stay where the photo has them; parted ones meet on one line.
        for (std::size_t k = 0; k < kLipKnots; ++k)
            for (std::size_t c = 0; c < 3; ++c) {
                if (open)
                    QCOMPARE(m.neutralContour[0][k][c], m.neutralContour[1][k][c]);
                else
                    QCOMPARE(m.neutralContour[0][k][c], m.refContour[0][k][c]);
            }
    }

    // A closed lid has the person's hue and the brightness of the skin around the eye.
    void lidsAreOfTheirSkin_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string& name : test::portraitFixtureNames())
            QTest::addRow("%s", name.c_str()) << QString::fromStdString(name);
    }
    void lidsAreOfTheirSkin()
    {
        QFETCH(QString, name);
        const auto fixture = test::loadPortraitFixture(name.toStdString());
        const auto built = buildPortrait(test::observe(fixture, 640, 360), {});
        QVERIFY(built);
        const PortraitModel& m = **built;
        const auto mean = [&](const Image& image, std::initializer_list<std::size_t> landmarks) {
            Vec3 sum{};
            for (const std::size_t l : landmarks) {
                const Point3& p = m.landmarks[l];
                const std::uint8_t* c =
                    image.row(static_cast<int>(p.y)) + 3 * static_cast<int>(p.x);
                for (std::size_t k = 0; k < 3; ++k)
                    sum[k] += c[k] / static_cast<float>(landmarks.size());
            }
            return sum;
        };
        const Vec3 lid = mean(m.lid, {159, 158, 160, 386, 385, 387});
        const Vec3 skin = mean(m.canvas, {119, 120, 101, 348, 349, 330, 50, 280});
        const auto level = [](const Vec3& c) { return .3f * c[0] + .59f * c[1] + .11f * c[2]; };
        const auto warmth = [](const Vec3& c) { return (c[0] - c[2]) / (c[0] + c[1] + c[2]); };
        QVERIFY2(level(lid) > .5f * level(skin) && level(lid) < 1.05f * level(skin),
                 qPrintable(QString::number(level(lid) / level(skin))));
        QVERIFY2(warmth(lid) > .75f * warmth(skin) && warmth(lid) < 1.9f * warmth(skin),
                 qPrintable(QString::number(warmth(lid) / warmth(skin))));
    }

    void photosOfOneHueStaySo_data()
    {
        QTest::addColumn<bool>("sepia");
        QTest::newRow("black and white") << false;
        QTest::newRow("sepia") << true;
    }
    // Whatever is drawn (mouth, seam, eyes, lids) has the hue of the photo, in every pose.
    void photosOfOneHueStaySo()
    {
        QFETCH(bool, sepia);
        auto fixture = test::loadPortraitFixture("man_suit");
        const float tint[3] = {1.f, sepia ? .85f : 1.f, sepia ? .65f : 1.f};
        for (std::size_t i = 0; i < fixture.photo.data.size(); i += 3) {
            std::uint8_t* c = fixture.photo.data.data() + i;
            const float grey = .3f * c[0] + .59f * c[1] + .11f * c[2];
            for (std::size_t k = 0; k < 3; ++k)
                c[k] = static_cast<std::uint8_t>(grey * tint[k] + .5f);
        }
        const auto built = buildPortrait(test::observe(fixture, 640, 360), {});
        QVERIFY(built);
        Renderer renderer(*built);
        Image out;
        Motion open, tight, blink;
        open[Param::Jaw] = 1;
        open.setPair(Param::StretchL, Param::StretchR, 1);
        tight[Param::Press] = 1;
        tight[Param::Jaw] = .1f;
        blink.setPair(Param::BlinkL, Param::BlinkR, .7f);
        blink[Param::GazeX] = .5f;
        for (const Motion& motion : {open, tight, blink}) {
            renderer.render(motion, out);
            int largest = 0;
            for (std::size_t i = 0; i < out.data.size(); i += 3)
                for (std::size_t k = 1; k < 3; ++k)
                    largest = std::max(largest, static_cast<int>(std::abs(out.data[i + k] - out.data[i] * tint[k])));
            QVERIFY2(largest < (sepia ? 14 : 4), qPrintable(QString::number(largest)));
        }
    }

    // A hair that flies before a plain background belongs to the person: it leaves the plate.
    void strayHairLeavesThePlate()
    {
        auto fixture = test::loadPortraitFixture("man_suit");
        const float k = static_cast<float>(fixture.mask.width) / static_cast<float>(fixture.photo.width);
        const auto isPerson = [&](int x, int y) {
            return fixture.mask.row(static_cast<int>(static_cast<float>(y) * k))[static_cast<int>(
                       static_cast<float>(x) * k)] > 128;
        };
        for (int y = 0; y < fixture.photo.height; ++y)
            for (int x = 0; x < fixture.photo.width; ++x)
                if (!isPerson(x, y))
                    std::fill_n(fixture.photo.row(y) + 3 * x, 3, std::uint8_t{120});
        const auto before = buildPortrait(test::observe(fixture, 640, 360), {});
        QVERIFY(before);
        const float eyes = std::abs(fixture.landmarks[263].x - fixture.landmarks[33].x);
        const int row = static_cast<int>(fixture.landmarks[33].y - .3f * eyes);
        int edge = static_cast<int>(fixture.landmarks[33].x);
        while (edge > 0 && isPerson(edge, row))
            --edge;
        const int line = edge - static_cast<int>(.15f * eyes);
        QVERIFY(line > 3);
        for (int y = row - static_cast<int>(.2f * eyes); y < row + static_cast<int>(.2f * eyes); ++y)
            std::fill_n(fixture.photo.row(y) + 3 * line, 6, std::uint8_t{60});
        const auto after = buildPortrait(test::observe(fixture, 640, 360), {});
        QVERIFY(after);
        double inPhoto = 0, inPlate = 0;
        for (std::size_t i = 0; i < (*after)->canvas.data.size(); ++i) {
            const int drawn = std::abs((*after)->canvas.data[i] - (*before)->canvas.data[i]);
            if (drawn < 25)
                continue;
            inPhoto += drawn;
            inPlate += std::abs((*after)->plate.data[i] - (*before)->plate.data[i]);
        }
        QVERIFY(inPhoto > 2000);
        QVERIFY2(inPlate < .3 * inPhoto, qPrintable(QString("%1 of %2").arg(inPlate).arg(inPhoto)));
        const double psnr = restPsnr(**after);
        QVERIFY2(psnr > 45, qPrintable(QString::number(psnr)));
    }

    // Hair that the photo cuts off must not come loose from the picture's edge, but may slide along it.
    void hairAtTheFrameIsHeld()
    {
        auto fixture = test::loadPortraitFixture("man_smile");
        const int cut = static_cast<int>(fixture.landmarks[10].y) - 40;
        QVERIFY(cut > 20);
        const auto below = [](const Image& image, int rows) {
            Image out(image.width, image.height - rows, image.channels);
            std::copy(image.data.begin() + static_cast<std::ptrdiff_t>(rows) * image.width *
                                               image.channels,
                      image.data.end(), out.data.begin());
            return out;
        };
        const double k = static_cast<double>(fixture.mask.width) / fixture.photo.width;
        fixture.photo = below(fixture.photo, cut);
        fixture.mask = below(fixture.mask, static_cast<int>(std::lround(cut * k)));
        for (Point3& p : fixture.landmarks)
            p.y -= static_cast<float>(cut);
        const auto built = buildPortrait(test::observe(fixture, 640, 360), {});
        QVERIFY(built);
        const PortraitModel& m = **built;
        Motion tilted;
        tilted[Param::Roll] = 6;
        tilted[Param::Pitch] = 4;
        FrameGeometry moved;
        FaceGeometry(*built).evaluate(tilted, moved);
        int held = 0;
        int face = 0;
        for (std::size_t v = 0; 2 * v < m.restXY.size(); ++v) {
            const float x = m.restXY[2 * v] - m.landmarks[10].x;
            const float y = m.restXY[2 * v + 1];
            if (y < 1 && std::abs(x) < .25f * m.u) {
                const float loose = std::abs(moved.y[v] - y) / m.u;
                const float along = std::abs(moved.x[v] - m.restXY[2 * v]) / m.u;
                QVERIFY2(loose < .02f && along > .1f,
                         qPrintable(QString("%1 %2").arg(loose).arg(along)));
                ++held;
            }
            if (std::abs(x) < .3f * m.u && std::abs(y - m.landmarks[4].y) < .4f * m.u) {
                QVERIFY(m.headWeight[v] > .95f && m.frameHold[2 * v] < .05f &&
                        m.frameHold[2 * v + 1] < .05f);
                ++face;
            }
        }
        QVERIFY(held > 1);
        QVERIFY(face > 20);
    }
};

LOQUOR_TEST(tst_portrait_photos)
#include "tst_portrait_photos.moc"
