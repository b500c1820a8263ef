#include "core/portrait/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/random.h"
#include "core/portrait/face_geometry.h"
#include "tests/core/portrait/synthetic_portrait.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

Motion randomMotion(Random& random, double amplitude)
{
    Motion motion;
    for (std::size_t i = 0; i < kParamCount; ++i)
        motion.value[i] = static_cast<float>(random.uniform(-.3, 1) * amplitude);
    for (const Param p : {Param::Pitch, Param::Yaw, Param::Roll})
        motion[p] = static_cast<float>(random.uniform(-6, 6) * amplitude);
    for (const Param p : {Param::Tx, Param::Ty, Param::Tz})
        motion[p] = static_cast<float>(random.uniform(-.03, .03) * amplitude);
    return motion;
}

// A smooth walk with pauses: what a talking head does, so that some frames change little.
std::vector<Motion> talk(std::uint64_t seed, int frames, double amplitude = 1)
{
    Random random(seed);
    std::vector<Motion> motions;
    Motion at, goal;
    for (int i = 0; i < frames; ++i) {
        if (i % 6 == 0)
            goal = i % 18 == 0 ? at : randomMotion(random, amplitude);
        if (i % 18 == 7) { // the head rests, the mouth goes on
            for (const Param p : {Param::Pitch, Param::Yaw, Param::Roll, Param::Tx, Param::Ty,
                                  Param::Tz, Param::Breath})
                goal[p] = at[p];
        }
        for (std::size_t k = 0; k < kParamCount; ++k)
            at.value[k] += .4f * (goal.value[k] - at.value[k]);
        motions.push_back(at);
    }
    return motions;
}

double psnr(const Image& a, const Image& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        const double d = double(a.data[i]) - double(b.data[i]);
        sum += d * d;
    }
    return 10 * std::log10(255. * 255. / std::max(1e-9, sum / double(a.data.size())));
}

int darkest(const Image& image)
{
    int low = 255;
    for (std::size_t i = 0; i < image.data.size(); i += 3)
        low = std::min(low, std::max({int(image.data[i]), int(image.data[i + 1]),
                                      int(image.data[i + 2])}));
    return low;
}

} // namespace

class tst_renderer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void incrementalEqualsFromScratch_data()
    {
        QTest::addColumn<bool>("open");
        QTest::newRow("closed photo") << false;
        QTest::newRow("smiling photo") << true;
    }
    void incrementalEqualsFromScratch()
    {
        QFETCH(bool, open);
        const auto model = makeSyntheticPortrait({.openMouth = open});
        Renderer kept(model), forgetful(model);
        Image a, b;
        int partly = 0, frame = 0;
        for (const Motion& motion : talk(3, 48)) {
            kept.render(motion, a);
            partly += kept.lastStats().tilesDrawn < kept.lastStats().tilesTotal;
            forgetful.setBackground({}); // draws every tile
            forgetful.render(motion, b);
            QCOMPARE(a.data == b.data, true);
            QCOMPARE(forgetful.lastStats().tilesDrawn, forgetful.lastStats().tilesTotal);
            if (frame++ % 8 == 0) {
                Renderer(model).render(motion, b);
                QCOMPARE(a.data == b.data, true);
            }
        }
        QVERIFY2(partly > 32, "the incremental path was not taken");
    }

    void threadsGiveTheSameFrames()
    {
        const auto model = makeSyntheticPortrait();
        Renderer one(model, 1), four(model, 4);
        Image a, b;
        for (const Motion& motion : talk(5, 24)) {
            one.render(motion, a);
            four.render(motion, b);
            QCOMPARE(a.data == b.data, true);
            QCOMPARE(one.lastStats().tilesDrawn, four.lastStats().tilesDrawn);
        }
    }

    void restFrameIsThePhoto()
    {
        const auto model = makeSyntheticPortrait({.details = false});
        Renderer renderer(model);
        Image frame;
        renderer.render({}, frame);
        const double quality = psnr(frame, model->canvas);
        QVERIFY2(quality > 45, qPrintable(QString::number(quality)));
        renderer.render({}, frame);
        QCOMPARE(renderer.lastStats().tilesDrawn, 0);
    }

    void motionMovesThePicture()
    {
        const auto model = makeSyntheticPortrait();
        Renderer renderer(model);
        Image rest, moved;
        renderer.render({}, rest);
        for (const Param p :
             {Param::Jaw, Param::JawSide, Param::Pucker, Param::Funnel, Param::StretchL,
              Param::StretchR, Param::SmileL, Param::SmileR, Param::UpperRaise,
              Param::LowerDepress, Param::MouthX, Param::CheekL, Param::CheekR, Param::BlinkL,
              Param::BlinkR, Param::SquintL, Param::SquintR, Param::Wide, Param::BrowInL,
              Param::BrowInR, Param::BrowOutL, Param::BrowOutR, Param::BrowDown, Param::GazeX,
              Param::GazeY, Param::Pitch, Param::Yaw, Param::Roll, Param::NoseSneer,
              Param::ChinRaise, Param::Press, Param::UpperLipRoll, Param::Breath}) {
            Motion motion;
            motion[p] = 1;
            renderer.render(motion, moved);
            QVERIFY2(moved.data != rest.data,
                     qPrintable(QString("parameter %1").arg(static_cast<int>(p))));
        }
    }

    void sidesAreTheSubjects()
    {
        const auto model = makeSyntheticPortrait({.details = false});
        Renderer renderer(model);
        Image rest, moved;
        renderer.render({}, rest);
        for (const auto& [left, right] :
             {std::pair{Param::BlinkL, Param::BlinkR}, std::pair{Param::BrowOutL, Param::BrowOutR},
              std::pair{Param::CheekL, Param::CheekR}}) {
            for (const Param p : {left, right}) {
                Motion motion;
                motion[p] = 1;
                renderer.render(motion, moved);
                long change[2] = {0, 0}; // halves of the image
                for (int y = 0; y < rest.height; ++y)
                    for (int x = 0; x < rest.width; ++x)
                        change[2 * x > rest.width] +=
                            std::abs(rest.row(y)[3 * x] - moved.row(y)[3 * x]);
                const bool onRight = change[1] > 4 * change[0];
                QVERIFY2(p == left ? onRight : change[0] > 4 * change[1],
                         qPrintable(QString::number(static_cast<int>(p))));
            }
        }
    }

    void backgroundIsBitStable()
    {
        const auto model = makeSyntheticPortrait();
        // Everything more than 30 px beyond the person.
        const int w = model->width, h = model->height, reach = 30;
        std::vector<char> rows(std::size_t(w) * std::size_t(h), 0), near(rows);
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                if (model->matte.row(y)[x] > 0)
                    for (int k = std::max(0, x - reach); k < std::min(w, x + reach + 1); ++k)
                        rows[std::size_t(y * w + k)] = 1;
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                if (rows[std::size_t(y * w + x)])
                    for (int k = std::max(0, y - reach); k < std::min(h, y + reach + 1); ++k)
                        near[std::size_t(k * w + x)] = 1;
        QVERIFY(std::count(near.begin(), near.end(), 0) > 5000);
        Renderer renderer(model);
        Image frame;
        for (const Motion& motion : talk(9, 40, .5)) {
            renderer.render(motion, frame);
            int changed = 0;
            for (std::size_t i = 0; i < near.size(); ++i)
                if (!near[i])
                    changed += std::memcmp(frame.data.data() + 3 * i,
                                           model->canvas.data.data() + 3 * i, 3) != 0;
            QCOMPARE(changed, 0);
        }
    }

    void backgroundCanBeReplaced()
    {
        const auto model = makeSyntheticPortrait();
        Renderer renderer(model);
        Image green(model->width, model->height, 3), frame, again, original;
        for (std::size_t i = 1; i < green.data.size(); i += 3)
            green.data[i] = 255;
        renderer.render({}, original);
        renderer.setBackground(green);
        renderer.render({}, frame);
        QCOMPARE(frame.row(0)[1], std::uint8_t(255));
        const int cx = model->width / 2, cy = model->height / 2;
        QCOMPARE(std::memcmp(frame.row(cy) + 3 * cx, original.row(cy) + 3 * cx, 3), 0);
        renderer.setBackground({});
        renderer.render({}, again);
        QCOMPARE(again.data == original.data, true);
    }

    // A black box instead of a mouth, or a patch of rubbish, must not be possible.
    void case_080_noBlackPatches()
    {
        const auto model = makeSyntheticPortrait();
        Renderer renderer(model);
        Image frame;
        for (const Motion& motion : talk(21, 40)) {
            renderer.render(motion, frame);
            QVERIFY2(darkest(frame) >= 8, qPrintable(QString::number(darkest(frame))));
        }
    }

    void extremesNeverBreak()
    {
        Random random(77);
        const auto model = makeSyntheticPortrait({.width = 93, .height = 71, .openMouth = true});
        Renderer renderer(model);
        FaceGeometry geometry(model);
        FrameGeometry placed;
        Image frame;
        for (int i = 0; i < 2000; ++i) {
            Motion motion = randomMotion(random, i % 3 == 0 ? 3 : 1);
            if (i % 7 == 0) // one parameter alone, at three times its range
                motion = {};
            motion.value[std::size_t(i) % kParamCount] = i % 2 ? 3.f : -3.f;
            if (i % 50 == 0)
                motion[Param::Tz] = 40; // far behind the camera and far in front of it
            if (i % 50 == 1)
                motion[Param::Tz] = -40;
            geometry.evaluate(motion, placed);
            bool finite = true;
            for (std::size_t v = 0; v < placed.x.size(); ++v)
                finite = finite && std::isfinite(placed.x[v]) && std::isfinite(placed.y[v]) &&
                         std::isfinite(placed.u[v]) && std::isfinite(placed.gain[v]);
            QVERIFY(finite);
            renderer.render(motion, frame);
            QCOMPARE(frame.width, 93);
        }
        // and nothing of it stays
        Image fresh;
        renderer.render({}, frame);
        Renderer(model).render({}, fresh);
        QCOMPARE(frame.data == fresh.data, true);
    }

    void oddSizes()
    {
        for (const auto& [w, h] : {std::pair{97, 131}, std::pair{33, 65}, std::pair{250, 31},
                                   std::pair{64, 64}, std::pair{257, 199}}) {
            const auto model = makeSyntheticPortrait({.width = w, .height = h});
            Renderer renderer(model, 2);
            Image frame, fresh;
            for (const Motion& motion : talk(1, 12)) {
                renderer.render(motion, frame);
                QCOMPARE(frame.width, w);
                QCOMPARE(frame.height, h);
            }
            Renderer(model).render(talk(1, 12).back(), fresh);
            QCOMPARE(frame.data == fresh.data, true);
        }
    }

    // Fast lips smear as in an exposure of half a frame; nothing else does, and nothing of it stays.
    void fastLipsAreSmeared()
    {
        const auto model = makeSyntheticPortrait({.width = 640, .height = 384});
        Motion shut, open, half;
        open[Param::Jaw] = .8f;
        half[Param::Jaw] = .8f * .6f; // where the exposure begins
        open[Param::Yaw] = half[Param::Yaw] = 2;
        Renderer renderer(model), many(model, 4);
        Image sharp, early, smeared, again;
        renderer.render(half, early);
        renderer.render(open, sharp);
        renderer.render(open, shut, smeared);
        int different = 0, wrong = 0;
        for (int y = 0; y < model->height; ++y)
            for (int i = 0; i < 3 * model->width; ++i) {
                const int a = sharp.row(y)[i], b = early.row(y)[i], s = smeared.row(y)[i];
                different += s != a;
                // the mean, or untouched where hardly anything moves
                wrong += s != (a + b + 1) / 2 && (s != a || std::abs(a - b) > 12);
            }
        QVERIFY(different > 500);
        QCOMPARE(wrong, 0);
        const int eyes = 3 * model->width * int(model->landmarks[159].y + model->u * .05f);
        QCOMPARE(std::memcmp(smeared.data.data(), sharp.data.data(), std::size_t(eyes)), 0);
        many.render(open, shut, again);
        QCOMPARE(again.data == smeared.data, true);
        renderer.render(open, again);
        QCOMPARE(again.data == sharp.data, true);
        QVERIFY(drawnLipGap(*model, open, &shut) < drawnLipGap(*model, open, nullptr) - .01f);
    }

    void closedAndSlowLipsStaySharp()
    {
        const auto model = makeSyntheticPortrait({.width = 640, .height = 384});
        Renderer renderer(model);
        Image sharp, smeared;
        Motion open, closed;
        open[Param::Jaw] = .5f;
        closed[Param::Jaw] = .3f;
        closed[Param::Close] = 1; // p b m must be seen closed
        renderer.render(closed, sharp);
        renderer.render(closed, open, smeared);
        QCOMPARE(smeared.data == sharp.data, true);
        Motion slow = open;
        slow[Param::Jaw] = .505f;
        renderer.render(slow, sharp);
        renderer.render(slow, open, smeared);
        QCOMPARE(smeared.data == sharp.data, true);
    }
};

LOQUOR_TEST(tst_renderer)
#include "tst_renderer.moc"
