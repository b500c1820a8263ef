#include "core/media/face_framing.h"
#include "core/pipeline/face_choice.h"
#include "core/portrait/portrait_builder.h"
#include "core/stages/face_measures.h"
#include "tests/support/portrait_fixture.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <numbers>

using namespace loquor;
using namespace loquor::stages;
using pipeline::chooseFace;
using pipeline::faceProblem;
using pipeline::faceWarnings;

namespace {

// Turns the face about the vertical axis through its middle; + = towards the image's right.
portrait::Landmarks turned(const portrait::Landmarks& face, float degrees)
{
    const float a = degrees * std::numbers::pi_v<float> / 180;
    portrait::Landmarks out = face;
    const float cx = (face[33].x + face[263].x) / 2, cz = (face[234].z + face[454].z) / 2;
    for (portrait::Point3& p : out) {
        const float x = p.x - cx, z = p.z - cz;
        p.x = cx + x * std::cos(a) - z * std::sin(a);
        p.z = cz + x * std::sin(a) + z * std::cos(a);
    }
    return out;
}

pipeline::FaceInfo face(int index, float eyes, float x = .4f)
{
    pipeline::FaceInfo out;
    out.index = index;
    out.eyeDistancePx = eyes;
    out.x = x;
    out.width = .2f;
    return out;
}

} // namespace

class tst_facemeasures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void angles_follow_the_head()
    {
        const auto fixture = test::loadPortraitFixture("hopper");
        const FaceMeasures before = measureFace(fixture.landmarks);
        QVERIFY(std::abs(before.yaw) < 12 && std::abs(before.roll) < 12);
        const FaceMeasures right = measureFace(turned(fixture.landmarks, 20));
        QVERIFY2(std::abs(right.yaw - before.yaw - 20) < 3, qPrintable(QString::number(right.yaw - before.yaw)));
        QVERIFY(std::abs(right.eyeDistance - before.eyeDistance) < 1);
        const FaceMeasures left = measureFace(turned(fixture.landmarks, -30));
        QVERIFY(std::abs(left.yaw - before.yaw + 30) < 3);
    }

    void a_description_is_in_fractions_of_the_picture()
    {
        const auto fixture = test::loadPortraitFixture("hopper");
        const pipeline::FaceInfo info =
            describeFace(fixture.landmarks, fixture.photo.width, fixture.photo.height, 2.0);
        QCOMPARE(info.outline.size(), std::size_t(36));
        QVERIFY(info.x > 0 && info.x + info.width < 1 && info.y > 0 && info.y + info.height < 1);
        QVERIFY(std::abs(info.eyeDistancePx - 2 * measureFace(fixture.landmarks).eyeDistance) < .01f);
        QVERIFY(!info.mouthOpen);
        const auto smile = test::loadPortraitFixture("man_smile");
        QVERIFY(describeFace(smile.landmarks, smile.photo.width, smile.photo.height, 1).mouthOpen);
    }

    // The studio shows the cut before anything is rendered, knowing the outline only.
    void the_outline_gives_nearly_the_cut_of_the_engine()
    {
        for (const char* name : {"astronaut", "hopper", "man_smile", "man_suit", "man_closed"}) {
            const auto fixture = test::loadPortraitFixture(name);
            const int w = fixture.photo.width, h = fixture.photo.height;
            const pipeline::FaceInfo info = describeFace(fixture.landmarks, w, h, 1);
            const auto extent = media::extentOfOutline(info.outline, static_cast<double>(info.yawDegrees),
                                                       static_cast<double>(info.pitchDegrees),
                                                       static_cast<double>(info.rollDegrees),
                                                       static_cast<double>(info.eyeDistancePx), w, h);
            for (const auto& [width, height] : {std::pair(1280, 720), std::pair(720, 1280), std::pair(720, 720)}) {
                const auto shown = media::cutAroundFace(extent, w, h, width, height);
                const auto cut = portrait::planCanvas(fixture.landmarks, w, h, width, height);
                QVERIFY(std::abs(shown.scale - cut.scale) < .02 * cut.scale);
                QVERIFY2(std::abs(shown.x0 - cut.x0) * cut.scale < .02 * width, name);
                QVERIFY2(std::abs(shown.y0 - cut.y0) * cut.scale < .02 * height, name);
            }
        }
    }

    // 61, 67, 68: none, one, several.
    void case_061_067_choosing()
    {
        QCOMPARE(chooseFace({}, 0).error().code(), ErrorCode::NoFace);
        QCOMPARE(*chooseFace({face(1, 80)}, 0), 0);
        const auto several = chooseFace({face(1, 80, .1f), face(2, 70, .7f)}, 0);
        QCOMPARE(several.error().code(), ErrorCode::SeveralFaces);
        QVERIFY(several.error().message().find("1 = at the left (80 px") != std::string::npos);
        QVERIFY(several.error().message().find("2 = at the right") != std::string::npos);
        QCOMPARE(*chooseFace({face(1, 80), face(2, 70)}, 2), 1);
        QCOMPARE(*chooseFace({face(1, 90), face(2, 20)}, 0), 0); // somebody far away does not count
        QCOMPARE(chooseFace({face(1, 80)}, 2).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(chooseFace({face(1, 80)}, -1).error().code(), ErrorCode::InvalidArgument);
    }

    // 77, 79: a profile is refused, a turned or small face is named.
    void case_077_079_what_to_expect()
    {
        pipeline::FaceInfo info = face(1, 100);
        QVERIFY(faceProblem(info).empty() && faceWarnings(info).empty());
        info.yawDegrees = -60;
        QVERIFY(faceProblem(info).find("60 degrees") != std::string::npos);
        info.yawDegrees = 30;
        QVERIFY(faceProblem(info).empty());
        QCOMPARE(faceWarnings(info).size(), std::size_t(1));
        info.eyeDistancePx = media::kSmallestEyes;
        QCOMPARE(faceWarnings(info).size(), std::size_t(1));
        info.eyeDistancePx = 40;
        QCOMPARE(faceWarnings(info).size(), std::size_t(2));
        QVERIFY(faceWarnings(info)[0].find("60 px or more") != std::string::npos);
    }

    void the_best_frame_is_frontal_neutral_open_and_sharp()
    {
        FaceMeasures good;
        good.eyeOpening = .1f;
        const double best = suitability(good, 10, 10);
        QVERIFY(best > .95);
        FaceMeasures blink = good, aside = good, talking = good;
        blink.eyeOpening = .02f;
        aside.yaw = 25;
        talking.mouthGap = .12f;
        QVERIFY(suitability(blink, 10, 10) < .2);
        QVERIFY(suitability(aside, 10, 10) < .3);
        QVERIFY(suitability(talking, 10, 10) < .6);
        QVERIFY(suitability(good, 2, 10) < .6);
    }
};

LOQUOR_TEST(tst_facemeasures)
#include "tst_facemeasures.moc"
