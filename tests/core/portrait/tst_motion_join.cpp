#include "core/portrait/motion_join.h"
#include "core/portrait/motion_solver.h"
#include "tests/core/portrait/made_lines.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>

using namespace loquor;
using namespace loquor::portrait;

namespace {

constexpr int kFrames = 6;
const Rational kFps{25, 1};

std::vector<Motion> ramp(Param p, double start, double perFrame, int count = 12)
{
    std::vector<Motion> out(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k][p] = static_cast<float>(start + perFrame * static_cast<double>(k));
    return out;
}

std::vector<float> blink(std::initializer_list<float> values)
{
    return values;
}

std::vector<Motion> lids(const std::vector<float>& values)
{
    std::vector<Motion> out(values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
        out[k].setPair(Param::BlinkL, Param::BlinkR, values[k]);
    return out;
}

float highest(const std::vector<Motion>& frames, Param p)
{
    float most = -99;
    for (const Motion& m : frames)
        most = std::max(most, m[p]);
    return most;
}

} // namespace

class tst_motion_join : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void nothingToJoinChangesNothing()
    {
        const auto line = made::makeSpeech(3, 4, 10);
        MotionSolver solver(1, kFps, {});
        const auto frames = made::solveLine(solver, line, kFps, {25});
        for (std::size_t at = 0; at + 14 < frames.size(); ++at) { // each frame continues itself
            const std::vector<Motion> right(frames.begin() + std::ptrdiff_t(at), frames.begin() + std::ptrdiff_t(at) + 12);
            const auto joined = joinMotion(std::span(right).first(2), right, {}, kFrames);
            QVERIFY(std::equal(joined.begin(), joined.end(), right.begin()));
        }
    }

    void valueAndSpeedAreTakenOver()
    {
        const auto left = ramp(Param::Yaw, 2, .3), right = ramp(Param::Yaw, -1, -.1);
        const auto joined = joinMotion(left, right, {}, kFrames);
        QCOMPARE(joined.size(), std::size_t(kFrames));
        QCOMPARE(joined[0][Param::Yaw], 2.f);
        std::vector<double> path{1.4, 1.7}; // what was shown before
        for (const Motion& m : joined)
            path.push_back(double(m[Param::Yaw]));
        path.push_back(double(right[6][Param::Yaw]));
        path.push_back(double(right[7][Param::Yaw]));
        double most = 0;
        for (std::size_t k = 1; k + 1 < path.size(); ++k)
            most = std::max(most, std::abs(path[k + 1] - 2 * path[k] + path[k - 1]));
        // 3 degrees and a turn in a quarter of a second: no frame jumps
        QVERIFY2(most < .75, qPrintable(QString::number(most)));
        const double last = path[kFrames + 1] - path[kFrames + 2]; // the fade arrives without speed
        QVERIFY2(last < .5, qPrintable(QString::number(last)));
    }

    void lipsKeepTheirTiming()
    {
        auto left = ramp(Param::Jaw, .3, 0, 2), right = ramp(Param::Jaw, 0, 0);
        right[1][Param::Jaw] = .5f; // opens at once: not delayed by the speed of the other side
        const auto joined = joinMotion(left, right, {}, kFrames);
        QCOMPARE(joined[0][Param::Jaw], .3f);
        QVERIFY(joined[1][Param::Jaw] > .7f && joined[1][Param::Jaw] <= 1);
        QVERIFY(joined[5][Param::Jaw] < .03f);
    }

    void closuresStayClosed()
    {
        auto left = ramp(Param::Close, 0, 0, 2), right = ramp(Param::Close, 0, 0);
        left[0][Param::Jaw] = left[1][Param::Jaw] = .4f;
        right[1][Param::Close] = right[2][Param::Close] = .97f;
        right[0][Param::Close] = .6f;
        const std::vector<std::uint8_t> shut{0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        const auto joined = joinMotion(left, right, shut, kFrames);
        QCOMPARE(joined[0][Param::Close], 0.f);
        QCOMPARE(joined[1][Param::Close], .97f);
        QCOMPARE(joined[2][Param::Close], .97f);
        QVERIFY(joinMotion(left, right, {}, kFrames)[1][Param::Close] < .97f); // a pause eases shut instead
    }

    void valuesStayInRange()
    {
        for (std::size_t p = 0; p < kParamCount; ++p) {
            const auto left = ramp(Param(p), 1, 3), right = ramp(Param(p), 0, -.0001);
            for (const Motion& m : joinMotion(left, right, {}, kFrames)) {
                QVERIFY(std::isfinite(m.value[p]));
                QVERIFY2(m.value[p] <= 6.f && (p > 2 || m.value[p] <= 1.f), qPrintable(QString::number(p)));
            }
        }
    }

    // Left blinks across the border, right does not: the blink is finished, not cut.
    void aBlinkIsFinished()
    {
        const auto open = lids(std::vector<float>(12, 0.f));
        for (const auto& start : {blink({.3f, .7f}), blink({.9f, 1.f}), blink({1.f, 1.f}), blink({.6f, .4f})}) {
            const auto joined = joinMotion(lids(start), open, {}, kFrames);
            QCOMPARE(joined[0][Param::BlinkL], start[0]);
            if (start[1] >= start[0])
                QVERIFY(highest(joined, Param::BlinkL) > .99f);
            bool closing = start[1] > start[0];
            for (std::size_t k = 1; k < joined.size(); ++k) { // closes, then opens, nothing else
                const float step = joined[k][Param::BlinkL] - joined[k - 1][Param::BlinkL];
                if (step < 0)
                    closing = false;
                QVERIFY(closing ? step >= 0 : step <= 0);
                QVERIFY(std::abs(step) <= .71f);
            }
            QVERIFY(joined.back()[Param::BlinkL] < .35f);
            QCOMPARE(joined[3][Param::BlinkR], joined[3][Param::BlinkL]);
        }
    }

    // Right was made inside a blink that nobody saw begin.
    void aBlinkBegins()
    {
        const auto open = lids({0, 0});
        const auto closing = joinMotion(open, lids({.4f, .8f, 1, 1, .8f, .5f, .2f, 0, 0, 0}), {}, kFrames);
        QCOMPARE(closing[0][Param::BlinkL], 0.f);
        QVERIFY(closing[1][Param::BlinkL] > .3f && closing[1][Param::BlinkL] < .7f);
        QCOMPARE(closing[2][Param::BlinkL], 1.f);
        QCOMPARE(closing[5][Param::BlinkL], .5f);
        const auto ending = joinMotion(open, lids({.6f, .4f, .1f, 0, 0, 0, 0, 0}), {}, kFrames); // left out
        QVERIFY(highest(ending, Param::BlinkL) == 0.f);
        const auto slow = joinMotion(open, lids({1, 1, .9f, .8f, .6f, .5f, .3f, .1f, 0}), {}, kFrames); // 60 per second
        QCOMPARE(slow[0][Param::BlinkL], 0.f);
        QCOMPARE(slow[2][Param::BlinkL], .9f);
    }

    void shortLinesJoinToo()
    {
        const auto left = ramp(Param::Yaw, 2, 0, 2);
        QVERIFY(joinMotion(left, {}, {}, kFrames).empty());
        const auto one = joinMotion(left, ramp(Param::Yaw, 0, 0, 1), {}, kFrames);
        QCOMPARE(one.size(), std::size_t(1));
        QCOMPARE(one[0][Param::Yaw], 2.f);
        QCOMPARE(joinMotion(left, ramp(Param::Yaw, 0, 0, 3), {}, kFrames).size(), std::size_t(3));
    }

    // 125: steps of the head at joins are no larger than those inside lines, whatever was joined.
    void case_125_joins_are_no_seams()
    {
        std::vector<double> inside, across;
        const auto step = [](const Motion& a, const Motion& b) {
            double sum = 0;
            for (const Param p : {Param::Yaw, Param::Pitch, Param::Roll})
                sum += std::pow(double(b[p] - a[p]), 2);
            return std::sqrt(sum);
        };
        for (std::uint64_t k = 0; k < 30; ++k) {
            const auto left = made::makeSpeech(k, 3, 10), right = made::makeSpeech(k + 500, 3, 10);
            MotionSolver first(k, kFps, {}), other(k + 90, kFps, {});
            const auto shown = made::solveLine(first, left, kFps, {25});
            const auto anchors = made::goesOn(first, left, kFps, 2);
            made::solveLine(other, made::makeSpeech(k + 900, 4, 10), kFps, {25}); // right was made after another line
            QVERIFY(other.beginLine(k + 7, {}).has_value());
            auto frames = made::solveLine(other, right, kFps, {25});
            const auto joined = joinMotion(anchors, frames, {}, kFrames);
            std::copy(joined.begin(), joined.end(), frames.begin());
            across.push_back(step(shown.back(), frames[0]));
            for (std::size_t i = 1; i < frames.size(); ++i)
                (i <= kFrames ? across : inside).push_back(step(frames[i - 1], frames[i]));
        }
        std::sort(inside.begin(), inside.end());
        std::sort(across.begin(), across.end());
        const double p95 = inside[inside.size() * 95 / 100];
        QVERIFY2(across[across.size() / 2] < p95, qPrintable(QString::number(across[across.size() / 2])));
        QVERIFY2(across.back() < 3 * p95, qPrintable(QString("%1 against %2").arg(across.back()).arg(p95)));
    }
};

LOQUOR_TEST(tst_motion_join)
#include "tst_motion_join.moc"
