#include "core/portrait/motion_solver.h"
#include "core/portrait/solver_state.h"
#include "tests/core/portrait/made_lines.h"
#include "tests/support/test_main.h"

#include <cstring>
#include <new>

using namespace loquor;
using namespace loquor::portrait;

namespace {

const Rational kFps{25, 1};

made::Speech lineOf(std::uint64_t seed, double seconds, Rational fps = kFps)
{
    auto line = made::makeSpeech(seed, seconds, 10);
    line.cues = {{CueKind::Smile, 0, 1}, {CueKind::Nod, seconds / 2, 1}};
    Q_UNUSED(fps);
    return line;
}

} // namespace

class tst_motion_lines : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Standing test: resumed = uninterrupted, over the borders of lines too, at any frame rate and chunking.
    void bytesCarryALineOn_data()
    {
        QTest::addColumn<QString>("fps");
        for (const char* fps : {"1", "12.5", "23.976", "25", "29.97", "59.94"})
            QTest::newRow(fps) << fps;
    }
    void bytesCarryALineOn()
    {
        QFETCH(QString, fps);
        const Rational rate = *Rational::parse(fps.toStdString());
        MotionSolver going(1, rate, {});
        std::vector<std::uint8_t> bytes;
        for (int k = 0; k < 4; ++k) {
            const auto line = lineOf(std::uint64_t(k + 1), k == 2 ? .7 : 2.5 + k, rate);
            const Style style{1 + .1 * k, 1, .2 * k};
            const auto seed = std::uint64_t(100 + k % 3);
            QVERIFY(going.beginLine(seed, style).has_value());
            MotionSolver fresh(999 + std::uint64_t(k), rate, {0, 3, 1}); // another process with another past
            if (k > 0) {
                made::solveLine(fresh, lineOf(77, 3.1, rate), rate, {25});
                QVERIFY(fresh.restoreState(bytes).has_value());
            }
            QVERIFY(fresh.beginLine(seed, style).has_value());
            const auto one = made::solveLine(going, line, rate, {1000});
            const auto other = made::solveLine(fresh, line, rate, {8, 25, 1});
            QVERIFY(one == other);
            bytes = going.saveState();
            QCOMPARE(fresh.saveState(), bytes);
        }
    }

    void resumedInTheMiddleOfALine()
    {
        const auto left = lineOf(1, 3), right = lineOf(2, 4);
        MotionSolver going(1, kFps, {});
        made::solveLine(going, left, kFps, {25});
        QVERIFY(going.beginLine(2, {1, 1, .5}).has_value());
        const FrameIndex origin = going.nextFrame();
        going.solve(made::lineWindow(right, kFps, origin, 0, 33), origin, 33);
        MotionSolver resumed(2, kFps, {1, 1, .5});
        QVERIFY(resumed.restoreState(going.saveState()).has_value());
        QCOMPARE(resumed.nextFrame(), origin + 33);
        for (MotionSolver* solver : {&going, &resumed})
            QVERIFY(!solver->beginLine(3, {}).has_value()); // this is no end
        const auto window = made::lineWindow(right, kFps, origin, 33, 67);
        QVERIFY(going.solve(window, origin + 33, 67) == resumed.solve(window, origin + 33, 67));
        QCOMPARE(going.saveState(), resumed.saveState());
    }

    // The next line hears its own sound from its first frame on, not the silence its predecessor ended in.
    void aLineStartsWithItsOwnSound()
    {
        made::Speech left = lineOf(3, 2);
        made::Speech right;
        right.audio = made::makeVowel("a", 2, 16000); // no times: the ear decides
        MotionSolver solver(1, kFps, {});
        made::solveLine(solver, left, kFps, {25});
        const auto silence = made::goesOn(solver, left, kFps, 12);
        QVERIFY(solver.beginLine(1, {}).has_value());
        const auto frames = made::solveLine(solver, right, kFps, {25});
        QVERIFY2(frames[3][Param::Jaw] > .15f, qPrintable(QString::number(double(frames[3][Param::Jaw]))));
        QVERIFY(silence[11][Param::Jaw] < .02f);
    }

    void lookingAheadChangesNothing()
    {
        const auto line = lineOf(3, 2);
        MotionSolver solver(1, kFps, {});
        const auto frames = made::solveLine(solver, line, kFps, {25});
        const auto before = solver.saveState();
        const auto next = made::goesOn(solver, line, kFps, 2);
        QCOMPARE(solver.saveState(), before);
        for (const Param p : {Param::Yaw, Param::Pitch, Param::Roll}) {
            QVERIFY(std::abs(next[0][p] - frames.back()[p]) < 1.5f);
            QVERIFY(next[0][p] != frames.back()[p]);
        }
    }

    void aChangeOfStyleStartsAtTheLine()
    {
        const auto left = lineOf(3, 2), right = lineOf(4, 3);
        MotionSolver solver(1, kFps, {});
        const auto before = made::solveLine(solver, left, kFps, {25});
        QVERIFY(solver.beginLine(1, {1, 1, .8}).has_value());
        const auto after = made::solveLine(solver, right, kFps, {25});
        QVERIFY(after[0][Param::SmileL] - before.back()[Param::SmileL] < .15f);
        QVERIFY(after[40][Param::SmileL] > .6f);
    }

    // Keys are made of these bytes: none may be left to chance.
    void statesHaveNoPadding()
    {
        alignas(SolverState) unsigned char first[sizeof(SolverState)], second[sizeof(SolverState)];
        std::memset(first, 0xAA, sizeof first);
        std::memset(second, 0x55, sizeof second);
        new (first) SolverState;
        new (second) SolverState;
        QVERIFY(std::memcmp(first, second, sizeof first) == 0);
    }
};

LOQUOR_TEST(tst_motion_lines)
#include "tst_motion_lines.moc"
