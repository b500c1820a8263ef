// The reference builder on the photos of the set-up folder.
#include "tests/support/test_main.h"

#include <cmath>

#include "core/portrait/portrait_builder.h"
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
};

LOQUOR_TEST(tst_portrait_photos)
#include "tst_portrait_photos.moc"
