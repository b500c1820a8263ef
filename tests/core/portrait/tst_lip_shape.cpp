#include "core/portrait/lip_shape.h"

#include <cmath>

#include "core/base/random.h"
#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

LipKnots shape(const PortraitModel& model, const Motion& motion)
{
    return shapeLips(model, motion, JawMotion(model, motion));
}
float gapAtCentre(const LipKnots& lips)
{
    return lips[kLowerInner][5][1] - lips[kUpperInner][5][1];
}

} // namespace

class tst_lip_shape : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void restIsNeutral()
    {
        const auto model = makeSyntheticPortrait();
        const LipKnots lips = shape(*model, {});
        for (std::size_t c = 0; c < kLipContours; ++c)
            for (std::size_t i = 0; i < kLipKnots; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    QVERIFY(std::abs(lips[c][i][k] - model->neutralContour[c][i][k]) < 1e-5f);
    }
    void jawOpensMonotonically()
    {
        const auto model = makeSyntheticPortrait();
        float last = -1;
        for (int i = 0; i <= 10; ++i) {
            Motion motion;
            motion[Param::Jaw] = .1f * static_cast<float>(i);
            const float gap = gapAtCentre(shape(*model, motion));
            QVERIFY(gap > last);
            last = gap;
        }
        QVERIFY(last > .15f && last < .45f);
    }
    // The landmarks' depth is unreliable: heads whose hinge seems to lie deeper must not open wider.
    void jawTakesEveryLipTheSameWay()
    {
        PortraitModel model = *makeSyntheticPortrait();
        for (const float depth : {.56f, .70f, .86f}) {
            model.tmj = {0, -.42f, depth};
            Motion motion;
            motion[Param::Jaw] = 1;
            const float drop = JawMotion(model, motion).displacement({})[1];
            QVERIFY2(std::abs(drop - .134f) < .006f, qPrintable(QString::number(double(drop))));
        }
        model.tmj = {0, -.42f, .2f}; // no head is like that: the angle is kept within reason
        Motion motion;
        motion[Param::Jaw] = 1;
        QVERIFY(JawMotion(model, motion).displacement({})[1] < .06f);
    }
    void gapIsWhatTheContoursShow()
    {
        const auto model = makeSyntheticPortrait();
        QCOMPARE(lipGap(*model, {}), 0.f);
        Motion motion;
        motion[Param::Jaw] = .6f;
        QCOMPARE(lipGap(*model, motion), gapAtCentre(shape(*model, motion)));
        QVERIFY(lipGap(*model, motion) > .08f);
        motion[Param::Close] = 1;
        QVERIFY(lipGap(*model, motion) < 1e-6f);
    }
    void closeAlwaysCloses()
    {
        const auto model = makeSyntheticPortrait();
        Random random(1);
        for (int n = 0; n < 300; ++n) {
            Motion motion;
            for (std::size_t i = 0; i < 20; ++i)
                motion.value[i] = static_cast<float>(random.uniform(0, 1));
            motion[Param::Close] = 1;
            const LipKnots lips = shape(*model, motion);
            for (std::size_t i = 0; i < kLipKnots; ++i)
                QVERIFY(std::abs(lips[kLowerInner][i][1] - lips[kUpperInner][i][1]) < 2e-5f);
        }
    }
    void lipsNeverPassThroughEachOther()
    {
        const auto model = makeSyntheticPortrait({.openMouth = true});
        Random random(2);
        for (int n = 0; n < 1000; ++n) {
            Motion motion;
            for (std::size_t i = 0; i < 20; ++i)
                motion.value[i] = static_cast<float>(random.uniform(0, 1));
            const LipKnots lips = shape(*model, motion);
            for (std::size_t i = 0; i < kLipKnots; ++i)
                QVERIFY(lips[kLowerInner][i][1] - lips[kUpperInner][i][1] > -2e-5f);
        }
    }
    void sidesMoveAlone()
    {
        const auto model = makeSyntheticPortrait();
        const LipKnots rest = shape(*model, {});
        for (const auto& [left, right] : {std::pair{Param::SmileL, Param::SmileR},
                                          std::pair{Param::StretchL, Param::StretchR}}) {
            Motion motion;
            motion[left] = 1;
            const LipKnots lips = shape(*model, motion);
            // The subject's left is on the image's right: the last knot.
            QVERIFY(lips[kUpperOuter][10][0] > rest[kUpperOuter][10][0] + .01f);
            QVERIFY(std::abs(lips[kUpperOuter][0][0] - rest[kUpperOuter][0][0]) < 1e-4f);
            motion = {};
            motion[right] = 1;
            const LipKnots other = shape(*model, motion);
            QVERIFY(other[kUpperOuter][0][0] < rest[kUpperOuter][0][0] - .01f);
            QVERIFY(std::abs(other[kUpperOuter][10][0] - rest[kUpperOuter][10][0]) < 1e-4f);
        }
    }
    void tuckBringsTheLowerLipToTheTeeth()
    {
        const auto model = makeSyntheticPortrait();
        Motion motion;
        motion[Param::Jaw] = .4f;
        const float open = shape(*model, motion)[kLowerInner][5][1];
        motion[Param::Tuck] = 1;
        const float tucked = shape(*model, motion)[kLowerInner][5][1];
        QVERIFY(tucked < open);
        QVERIFY(std::abs(tucked - model->incisalY) < .03f);
    }
    void samplesPassThroughTheKnots()
    {
        const auto model = makeSyntheticPortrait();
        const auto samples = sampleContour(model->refContour[kLowerOuter]);
        for (std::size_t i = 0; i < kLipKnots; ++i)
            QVERIFY(std::abs(samples[4 * i][1] - model->refContour[kLowerOuter][i][1]) < 1e-6f);
    }
};

LOQUOR_TEST(tst_lip_shape)
#include "tst_lip_shape.moc"
