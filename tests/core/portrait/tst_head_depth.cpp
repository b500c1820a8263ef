// The head beyond the landmarks as a solid: skull and hair on the photos of the set-up folder.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/portrait/face_geometry.h"
#include "core/portrait/portrait_builder.h"
#include "tests/support/portrait_fixture.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

constexpr int kWidth = 640, kHeight = 360;
constexpr std::size_t kNose = 4, kForehead = 10;

PortraitModelPtr portraitOf(const std::string& name)
{
    static std::map<std::string, PortraitModelPtr> made;
    auto& model = made[name];
    if (!model)
        model = buildPortrait(test::observe(test::loadPortraitFixture(name), kWidth, kHeight),
                              CancelToken())
                    .value();
    return model;
}

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

FrameGeometry posed(const PortraitModelPtr& model, Param axis, float degrees)
{
    Motion motion;
    motion[axis] = degrees;
    FrameGeometry out;
    FaceGeometry(model).evaluate(motion, out);
    return out;
}

// In the head frame of the landmarks themselves.
Vec3 landmarkInHead(const PortraitModel& m, std::size_t landmark)
{
    const Point3& p = m.landmarks[landmark];
    const Vec3 d{p.x - m.M0[0], p.y - m.M0[1], p.z - m.M0[2]};
    Vec3 out{};
    for (std::size_t c = 0; c < 3; ++c)
        out[c] = (m.R[c] * d[0] + m.R[3 + c] * d[1] + m.R[6 + c] * d[2]) / m.u;
    return out;
}

bool isPerson(const PortraitModel& m, std::size_t v)
{
    const float x = m.restXY[2 * v], y = m.restXY[2 * v + 1];
    return x >= 0 && y >= 0 && x < static_cast<float>(m.width) && y < static_cast<float>(m.height) &&
           m.layer.row(static_cast<int>(y))[4 * static_cast<int>(x) + 3] > 128;
}

// Hair and skull: above the ears, beside or above the face, in the picture.
std::vector<std::size_t> hairVertices(const PortraitModel& m)
{
    std::vector<std::size_t> out;
    const float ears = landmarkInHead(m, 234)[1];
    for (std::size_t v = 0; 2 * v < m.restXY.size(); ++v)
        if (m.lightWeight[v] == 0 && m.restXH[3 * v + 1] < ears - .1f && isPerson(m, v))
            out.push_back(v);
    return out;
}

} // namespace

class tst_head_depth : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void photos_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string& name : test::portraitFixtureNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

    void hairLiesBehindTheFace_data() { photos_data(); }
    // Nothing beside or above the face stands before the forehead or behind the widest section of the
    // skull, which lies a little behind the ears (or at the far ear of a turned head).
    void hairLiesBehindTheFace()
    {
        QFETCH(QString, name);
        const PortraitModel& m = *portraitOf(name.toStdString());
        const float forehead = landmarkInHead(m, kForehead)[2];
        const float ears = (landmarkInHead(m, 234)[2] + landmarkInHead(m, 454)[2]) / 2;
        float widest = -.75f * m.R[7] + (ears + .08f) * m.R[8]; // towards the camera
        for (const std::size_t ear : {234u, 454u})
            widest = std::max(widest, (m.landmarks[ear].z - m.M0[2]) / m.u);
        const auto hair = hairVertices(m);
        QVERIFY(hair.size() > 60);
        for (const std::size_t v : hair) {
            const float z = (m.restX0[3 * v + 2] - m.M0[2]) / m.u;
            const float x = std::abs(m.restXH[3 * v]);
            QVERIFY2(m.restXH[3 * v + 2] > forehead - .12f && z < widest + .01f,
                     qPrintable(QString("%1 %2 at %3 %4").arg(m.restXH[3 * v + 2]).arg(z).arg(x).arg(m.restXH[3 * v + 1])));
        }
    }

    void hairMovesWithItsOwnDepth_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"astronaut", "man_closed"})
            QTest::newRow(name) << name;
    }
    // A turning head: the face goes one way, the middle of the hairline with it but less, the outline of the
    // head hardly at all or the other way.
    void hairMovesWithItsOwnDepth()
    {
        QFETCH(QString, name);
        const auto model = portraitOf(name.toStdString());
        const PortraitModel& m = *model;
        for (const float yaw : {6.f, -6.f}) {
            const FrameGeometry g = posed(model, Param::Yaw, yaw);
            const auto moved = [&](std::size_t v) { return (g.x[v] - m.restXY[2 * v]) / m.u; };
            const float nose = moved(index(m.landmarkVertex[kNose]));
            QVERIFY(nose * yaw < 0 && std::abs(nose) > .09f);
            double outline = 0, hairline = 0;
            int outlineCount = 0, hairlineCount = 0;
            const float top = m.restXH[3 * index(m.landmarkVertex[kForehead]) + 1];
            for (const std::size_t v : hairVertices(m)) {
                if (std::abs(m.restXH[3 * v]) > .35f)
                    continue;
                const float above = top - m.restXH[3 * v + 1];
                const auto out = static_cast<std::size_t>(.2f * m.u);
                const auto x = static_cast<std::size_t>(m.restXY[2 * v]);
                const auto y = static_cast<std::size_t>(m.restXY[2 * v + 1]);
                if (y > out && m.layer.row(static_cast<int>(y - out))[4 * x + 3] < 40) {
                    outline += moved(v);
                    ++outlineCount;
                } else if (above < .25f) {
                    hairline += moved(v);
                    ++hairlineCount;
                }
            }
            QVERIFY(outlineCount > 2 && hairlineCount > 2);
            const double rim = outline / outlineCount / nose, hair = hairline / hairlineCount / nose;
            QVERIFY2(rim > -.5 && rim < .35 && hair > .35 && hair < .95 && hair > rim + .15,
                     qPrintable(QString("%1 %2").arg(rim).arg(hair)));
        }
    }

    void nothingFoldsAtEightDegrees_data() { photos_data(); }
    void nothingFoldsAtEightDegrees()
    {
        QFETCH(QString, name);
        const auto model = portraitOf(name.toStdString());
        const PortraitModel& m = *model;
        std::vector<char> isHair(m.restXY.size() / 2, 0);
        for (const std::size_t v : hairVertices(m))
            // What the picture's edge cuts off is held there.
            isHair[v] = m.headWeight[v] > .99f && m.frameHold[2 * v] + m.frameHold[2 * v + 1] < .01f;
        for (const Param axis : {Param::Yaw, Param::Pitch, Param::Roll})
            for (const float degrees : {8.f, -8.f}) {
                const FrameGeometry g = posed(model, axis, degrees);
                int seen = 0;
                for (std::size_t t = 0; t < m.triangles.size(); t += 3) {
                    const std::size_t a = index(m.triangles[t]), b = index(m.triangles[t + 1]),
                                      c = index(m.triangles[t + 2]);
                    if (!isHair[a] || !isHair[b] || !isHair[c])
                        continue;
                    const auto area = [&](auto x, auto y) {
                        return (x(b) - x(a)) * (y(c) - y(a)) - (y(b) - y(a)) * (x(c) - x(a));
                    };
                    const float rest = area([&](std::size_t v) { return m.restXY[2 * v]; },
                                            [&](std::size_t v) { return m.restXY[2 * v + 1]; });
                    const float now = area([&](std::size_t v) { return g.x[v]; },
                                           [&](std::size_t v) { return g.y[v]; });
                    if (std::abs(rest) < .002f * m.u * m.u)
                        continue;
                    ++seen;
                    QVERIFY2(now / rest > .3f && now / rest < 2.2f, qPrintable(QString("%1 of its area at %2 %3, axis %4 %5 deg")
                                                                                   .arg(now / rest)
                                                                                   .arg(m.restXH[3 * a])
                                                                                   .arg(m.restXH[3 * a + 1])
                                                                                   .arg(int(axis))
                                                                                   .arg(degrees)));
                }
                QVERIFY2(seen > 40, qPrintable(QString::number(seen)));
            }
    }
};

LOQUOR_TEST(tst_head_depth)
#include "tst_head_depth.moc"
