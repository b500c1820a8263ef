// The reference builder on drawn faces: geometry, fields, textures, and input it must refuse.
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/portrait/portrait_builder.h"
#include "tests/support/synthetic_face.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

PortraitModelPtr build(const FaceObservation& face)
{
    auto model = buildPortrait(face, {});
    if (!model)
        qFatal("%s", model.error().text().c_str());
    return *model;
}

const PortraitModel& closedFace()
{
    static const PortraitModelPtr model = build(test::syntheticFace(640, 480, 320, 230, 110));
    return *model;
}

const PortraitModel& openFace()
{
    static const PortraitModelPtr model = build(test::syntheticFace(640, 480, 320, 230, 110, .12f));
    return *model;
}

std::size_t vertices(const PortraitModel& m)
{
    return m.restXY.size() / 2;
}

double psnr(double squared, std::size_t count)
{
    const double mse = squared / static_cast<double>(count);
    return mse > 0 ? 10 * std::log10(255.0 * 255.0 / mse) : 99;
}

// Layer over plate against the photo.
double restPsnr(const PortraitModel& m)
{
    double squared = 0;
    for (std::size_t i = 0; i < m.matte.data.size(); ++i) {
        const double a = m.layer.data[4 * i + 3] / 255.0;
        for (std::size_t c = 0; c < 3; ++c) {
            const double v = m.plate.data[3 * i + c] * (1 - a) + m.layer.data[4 * i + c] * a;
            const double d = std::round(v) - m.canvas.data[3 * i + c];
            squared += d * d;
        }
    }
    return psnr(squared, m.canvas.data.size());
}

} // namespace

class tst_portrait_builder : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void restPoseIsTheIdentity()
    {
        for (const PortraitModel* m : {&closedFace(), &openFace()})
            for (std::size_t v = 0; v < vertices(*m); ++v) {
                QCOMPARE(m->restX0[3 * v], m->restXY[2 * v]);
                QCOMPARE(m->restX0[3 * v + 1], m->restXY[2 * v + 1]);
                for (std::size_t r = 0; r < 3; ++r) {
                    double x = static_cast<double>(m->M0[r]);
                    for (std::size_t c = 0; c < 3; ++c)
                        x += static_cast<double>(m->R[3 * r + c] * m->restXH[3 * v + c] * m->u);
                    QVERIFY(std::abs(x - static_cast<double>(m->restX0[3 * v + r])) < 2e-3);
                }
            }
    }

    void trianglesAreNotInvertedAndCoverTheCanvas()
    {
        for (const PortraitModel* m : {&closedFace(), &openFace()}) {
            double total = 0;
            for (std::size_t t = 0; t < m->triangles.size(); t += 3) {
                double x[3];
                double y[3];
                for (std::size_t k = 0; k < 3; ++k) {
                    const auto v = static_cast<std::size_t>(m->triangles[t + k]);
                    x[k] = static_cast<double>(m->restXY[2 * v]);
                    y[k] = static_cast<double>(m->restXY[2 * v + 1]);
                }
                const double area =
                    .5 * ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]));
                QVERIFY(area > 0);
                total += area;
            }
            QVERIFY(total > 640 * 480); // reaches past the border
        }
    }

    void lipsAreCut()
    {
        const PortraitModel& closed = closedFace();
        const PortraitModel& open = openFace();
        QVERIFY(!closed.openMouth);
        QVERIFY(open.openMouth);
        for (std::size_t i = 1; i + 1 < kLipSamples; ++i) {
            const auto up = static_cast<std::size_t>(closed.upperInner[i]);
            const auto low = static_cast<std::size_t>(closed.lowerInner[i]);
            QVERIFY(up != low);
            QCOMPARE(closed.restXY[2 * up], closed.restXY[2 * low]);
            QCOMPARE(closed.restXY[2 * up + 1], closed.restXY[2 * low + 1]);
        }
        // No triangle of the closed mouth holds vertices of both sides (but the shared corners).
        const std::set<int> upper(closed.upperInner.begin() + 1, closed.upperInner.end() - 1);
        const std::set<int> lower(closed.lowerInner.begin() + 1, closed.lowerInner.end() - 1);
        for (std::size_t t = 0; t < closed.triangles.size(); t += 3) {
            int sides = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                sides |= upper.count(closed.triangles[t + k]) != 0 ? 1 : 0;
                sides |= lower.count(closed.triangles[t + k]) != 0 ? 2 : 0;
            }
            QVERIFY(sides != 3);
        }
        QCOMPARE(closed.upperInner.front(), closed.lowerInner.front());
        QCOMPARE(open.upperInner.back(), open.lowerInner.back());
    }

    void lipFieldFollowsTheContours()
    {
        const std::vector<float> weights = catmullRomWeights(kLipKnots, 4);
        for (const PortraitModel* m : {&closedFace(), &openFace()})
            for (std::size_t i = 0; i < kLipSamples; ++i) {
                const float* up =
                    m->lipField.data() + static_cast<std::size_t>(m->upperInner[i]) * kLipHandles;
                const float* low =
                    m->lipField.data() + static_cast<std::size_t>(m->lowerInner[i]) * kLipHandles;
                float sum = 0;
                for (std::size_t k = 0; k < kLipKnots; ++k) {
                    const float w = weights[i * kLipKnots + k];
                    QVERIFY(std::abs(up[k] - w) < 1e-6f);
                    const bool corner = k == 0 || k + 1 == kLipKnots;
                    QVERIFY(std::abs(low[corner ? k : 10 + k] - w) < 1e-6f);
                    sum += w;
                }
                QVERIFY(std::abs(sum - 1) < 1e-5f); // a shift of all knots shifts the whole contour
            }
    }

    void fieldsEndWhereTheyShould()
    {
        const PortraitModel& m = closedFace();
        for (std::size_t v = 0; v < vertices(m); ++v) {
            const float x = m.restXH[3 * v];
            const float y = m.restXH[3 * v + 1];
            if (std::abs(x) > .81f) {
                for (int k = 0; k < kLipHandles; ++k)
                    QCOMPARE(m.lipField[v * kLipHandles + static_cast<std::size_t>(k)], 0.f);
            }
            if (y > .2f || std::abs(x) > .86f) {
                for (int k = 0; k < kEyeHandles; ++k)
                    QCOMPARE(m.eyeField[v * kEyeHandles + static_cast<std::size_t>(k)], 0.f);
            }
            QVERIFY(m.jawWeight[v] >= 0 && m.jawWeight[v] <= 1.05f);
            QVERIFY(m.headWeight[v] >= 0 && m.headWeight[v] <= 1);
            if (y > m.chinY + 1.2f && std::abs(x) < .5f)
                QVERIFY2(m.headWeight[v] < .2f, // the body stays
                         qPrintable(QString("%1 at %2 %3").arg(m.headWeight[v]).arg(x).arg(y)));
        }
        const auto vertex = [&](std::size_t l) {
            return static_cast<std::size_t>(m.landmarkVertex[l]);
        };
        QCOMPARE(m.jawWeight[vertex(152)], 1.f);
        QCOMPARE(m.headWeight[vertex(4)], 1.f);
        QVERIFY(m.headWeight[vertex(10)] > .99f);
    }

    void normalsFaceTheViewer()
    {
        const PortraitModel& m = closedFace();
        std::size_t towards = 0;
        for (std::size_t v = 0; v < vertices(m); ++v) {
            const float* n = m.normals0.data() + 3 * v;
            QVERIFY(std::abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-3f);
            towards += n[2] < 0 ? 1 : 0;
        }
        QVERIFY(towards > vertices(m) * 95 / 100);
        for (std::size_t v = 0; v < vertices(m); ++v) {
            float sum = 0;
            for (auto i = m.smoothStart[v]; i < m.smoothStart[v + 1]; ++i)
                sum += m.smoothWeight[static_cast<std::size_t>(i)];
            QVERIFY(std::abs(sum - 1) < 1e-5f);
        }
    }

    void layerOverPlateIsThePhoto()
    {
        QVERIFY2(restPsnr(closedFace()) > 45, qPrintable(QString::number(restPsnr(closedFace()))));
    }

    void plateIsThePhotoFarFromThePerson()
    {
        const PortraitModel& m = closedFace();
        const int reach = static_cast<int>(.24f * m.u); // stray hair may fly that far
        std::size_t compared = 0;
        for (int y = 0; y < m.height; ++y)
            for (int x = 0; x < m.width; ++x) {
                bool person = false;
                for (int dy = -reach; dy <= reach && !person; dy += 4)
                    for (int dx = -reach; dx <= reach && !person; dx += 4) {
                        const int sx = std::clamp(x + dx, 0, m.width - 1);
                        const int sy = std::clamp(y + dy, 0, m.height - 1);
                        person = m.matte.row(sy)[sx] > 10;
                    }
                if (person)
                    continue;
                ++compared;
                for (int c = 0; c < 3; ++c)
                    QCOMPARE(m.plate.row(y)[3 * x + c], m.canvas.row(y)[3 * x + c]);
                QCOMPARE(m.layer.row(y)[4 * x + 3], std::uint8_t{0});
            }
        QVERIFY(compared > 10000);
    }

    void plateHidesThePerson()
    {
        const PortraitModel& m = closedFace();
        // Where the face was, the plate has the background's colours (bluish), not the skin's.
        const int x = 320;
        const int y = 150;
        QVERIFY(m.canvas.row(y)[3 * x] > m.canvas.row(y)[3 * x + 2]);
        QVERIFY(m.plate.row(y)[3 * x] < m.plate.row(y)[3 * x + 2]);
    }

    void busyBackgroundsKeepTheirTexture()
    {
        FaceObservation face = test::syntheticFace(480, 360, 240, 175, 85);
        for (int y = 0; y < 360; ++y)
            for (int x = 0; x < 480; ++x)
                if (face.personMask.row(y)[x] == 0)
                    for (int c = 0; c < 3; ++c)
                        face.canvas.row(y)[3 * x + c] = (x / 12) % 2 == 0 ? 230 : 40;
        const PortraitModelPtr m = build(face);
        // Beside the head, where it uncovers the plate when it turns, the stripes go on.
        int strong = 0;
        int total = 0;
        for (int y = 130; y < 220; ++y)
            for (int x = 172; x < 190; ++x) {
                QVERIFY(face.personMask.row(y)[x] != 0);
                ++total;
                strong += std::abs(m->plate.row(y)[3 * x] - 135) > 55 ? 1 : 0;
            }
        QVERIFY2(strong > total * 7 / 10, qPrintable(QString("%1 of %2").arg(strong).arg(total)));
    }

    void glassesStayRigid()
    {
        FaceObservation face = test::syntheticFace(640, 480, 320, 230, 130);
        const PortraitModelPtr bare = build(face);
        QVERIFY(!bare->glasses);
        const auto& lm = face.landmarks;
        const auto paint = [&](float x, float y) {
            for (int dy = 0; dy < 4; ++dy)
                for (int dx = 0; dx < 4; ++dx)
                    for (int c = 0; c < 3; ++c)
                        face.canvas.row(static_cast<int>(y) +
                                        dy)[3 * (static_cast<int>(x) + dx) + c] = 25;
        };
        for (const auto& [outer, inner] : {std::pair{33, 133}, {263, 362}}) {
            const float cx =
                (lm[static_cast<std::size_t>(outer)].x + lm[static_cast<std::size_t>(inner)].x) / 2;
            const float cy =
                (lm[static_cast<std::size_t>(outer)].y + lm[static_cast<std::size_t>(inner)].y) / 2;
            for (float a = 0; a < 6.28f; a += .01f)
                paint(cx + 33 * std::cos(a), cy + 6 + 26 * std::sin(a));
        }
        for (float x = lm[133].x; x < lm[362].x; x += 1)
            paint(x, lm[168].y);
        const PortraitModelPtr m = build(face);
        QVERIFY(m->glasses);
        QVERIFY(!m->notes.empty());
        const auto vertex = static_cast<std::size_t>(m->landmarkVertex[105]);
        const auto brow = static_cast<std::size_t>(36 + 2);
        QCOMPARE(bare->eyeField[vertex * kEyeHandles + brow], 1.f);
        QVERIFY(std::abs(m->eyeField[vertex * kEyeHandles + brow] - .2f) < 1e-6f);
    }

    void sameInputSameBytes()
    {
        const auto face = test::syntheticFace(320, 240, 160, 110, 55, .1f);
        const auto first = serialize(*build(face));
        const auto second = serialize(*build(face));
        QVERIFY(first && second);
        QVERIFY(*first == *second);
    }

    void unusualCanvases_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<float>("cx");
        QTest::addColumn<float>("cy");
        QTest::addColumn<float>("u");
        QTest::addColumn<float>("gap");
        QTest::newRow("tiny") << 64 << 64 << 32.f << 30.f << 13.f << 0.f;
        QTest::newRow("tiny, open") << 64 << 64 << 32.f << 30.f << 13.f << .1f;
        QTest::newRow("eyes at the border") << 320 << 240 << 46.f << 120.f << 80.f << 0.f;
        QTest::newRow("top of the head cut off") << 320 << 240 << 160.f << 40.f << 60.f << 0.f;
        QTest::newRow("person fills the picture") << 200 << 200 << 100.f << 90.f << 110.f << .05f;
        QTest::newRow("odd size") << 333 << 217 << 150.f << 100.f << 47.f << 0.f;
        QTest::newRow("tall") << 180 << 400 << 90.f << 160.f << 50.f << 0.f;
    }
    void unusualCanvases()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(float, cx);
        QFETCH(float, cy);
        QFETCH(float, u);
        QFETCH(float, gap);
        const PortraitModelPtr m = build(test::syntheticFace(width, height, cx, cy, u, gap));
        QVERIFY(serialize(*m)); // checks that all parts hold together
        for (const auto* field :
             {&m->lipField, &m->eyeField, &m->jawWeight, &m->headWeight, &m->restXH})
            for (const float f : *field)
                QVERIFY(std::isfinite(f) && std::abs(f) < 100);
        QVERIFY(restPsnr(*m) > (m->openMouth ? 25 : 45));
    }

    void badInputIsRefused_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("no landmarks") << 0;
        QTest::newRow("not a number") << 1;
        QTest::newRow("outside the canvas") << 2;
        QTest::newRow("turned away") << 3;
        QTest::newRow("no canvas") << 4;
        QTest::newRow("no mask") << 5;
        QTest::newRow("all on one point") << 6;
    }
    void badInputIsRefused()
    {
        QFETCH(int, kind);
        FaceObservation face = test::syntheticFace(320, 240, 160, 110, 55);
        if (kind == 0)
            face.landmarks.fill({});
        if (kind == 1)
            face.landmarks[100].z = std::numeric_limits<float>::quiet_NaN();
        if (kind == 2)
            for (Point3& p : face.landmarks)
                p.x += 400;
        if (kind == 3)
            for (Point3& p : face.landmarks)
                p = {160 + p.z, p.y, 160 - p.x};
        if (kind == 4)
            face.canvas = Image();
        if (kind == 5)
            face.personMask = Image();
        if (kind == 6)
            face.landmarks.fill({160, 120, 0});
        const auto model = buildPortrait(face, {});
        QVERIFY(!model);
        QCOMPARE(model.error().code(), ErrorCode::InvalidArgument);
        QVERIFY(!model.error().message().empty());
    }

    void cancelIsHeard()
    {
        CancelSource source;
        source.cancel();
        const auto model =
            buildPortrait(test::syntheticFace(320, 240, 160, 110, 55), source.token());
        QVERIFY(!model);
        QVERIFY(model.error().isCancelled());
    }
};

LOQUOR_TEST(tst_portrait_builder)
#include "tst_portrait_builder.moc"
