#include "core/base/check.h"
#include "core/portrait/motion_solver.h"
#include "tests/core/portrait/motion_test_support.h"
#include "tests/support/test_main.h"

#include <numeric>

using namespace loquor;
using namespace loquor::portrait;

namespace {

double deviation(const std::vector<Motion>& frames, Param p, std::size_t from, std::size_t to)
{
    double sum = 0, squares = 0;
    for (std::size_t i = from; i < to; ++i) {
        sum += double(frames[i][p]);
        squares += double(frames[i][p]) * double(frames[i][p]);
    }
    const double n = double(to - from);
    return std::sqrt(std::max(0.0, squares / n - sum * sum / (n * n)));
}

// p95 - p5
double spread(const std::vector<Motion>& frames, Param p, std::size_t from, std::size_t to)
{
    std::vector<float> v;
    for (std::size_t i = from; i < to; ++i)
        v.push_back(frames[i][p]);
    std::sort(v.begin(), v.end());
    return double(v[v.size() * 95 / 100] - v[v.size() * 5 / 100]);
}

bool isRest(const Motion& motion, float tolerance)
{
    return std::all_of(motion.value.begin(), motion.value.end(), [=](float v) { return std::abs(v) <= tolerance; });
}

const std::vector<int> kWhole{100000};

} // namespace

class tst_motion_solver : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void chunksChangeNothing_data()
    {
        QTest::addColumn<QString>("fps");
        QTest::addColumn<QString>("known"); // how much of the run has sounds with times
        for (const char* fps : {"12.5", "24", "25", "29.97", "30", "50", "60"})
            for (const char* known : {"all", "none", "half"})
                QTest::addRow("%s, sounds: %s", fps, known) << fps << known;
    }
    void chunksChangeNothing()
    {
        QFETCH(QString, fps);
        QFETCH(QString, known);
        const Rational rate = *Rational::parse(fps.toStdString());
        auto speech = made::makeSpeech(1, 8, 10, 16000);
        if (known != "all")
            std::erase_if(speech.sounds, [&](const Sound& s) { return known == "none" || (s.start > 3 && s.end < 6); });
        speech.cues = {{CueKind::Smile, 2.2, 1}, {CueKind::LookLeft, 4.001, 1}, {CueKind::Nod, 5, .5}, {CueKind::Serious, 6, 1}};
        const auto whole = made::solveInChunks(speech, rate, 5, kWhole);
        QCOMPARE(FrameIndex(whole.size()), made::frameCount(speech, rate));
        for (const std::vector<int>& sizes : {std::vector<int>{1}, {7}, {3, 1, 40, 11}})
            QVERIFY2(made::solveInChunks(speech, rate, 5, sizes) == whole, qPrintable(QString("chunks of %1").arg(sizes[0])));
    }

    // The same moment looks the same at 25 and at 50 frames per second.
    void frameRateOnlySamples()
    {
        const auto speech = made::makeSpeech(4, 8, 9);
        const auto slow = made::solveInChunks(speech, {25, 1}, 3, kWhole);
        const auto fast = made::solveInChunks(speech, {50, 1}, 3, kWhole);
        for (std::size_t i = 0; i + 20 < slow.size(); ++i)
            for (const Param p : {Param::Jaw, Param::Close, Param::Yaw, Param::BlinkL, Param::GazeX, Param::BrowOutL})
                QVERIFY(std::abs(slow[i][p] - fast[2 * i][p]) < 2e-3f);
    }

    void resumedIsUninterrupted()
    {
        const auto speech = made::makeSpeech(8, 12, 10);
        const Rational fps{25, 1};
        const auto whole = made::solveInChunks(speech, fps, 9, {50});
        std::vector<Motion> pieces;
        std::vector<std::uint8_t> state;
        for (FrameIndex at = 0; at < FrameIndex(whole.size()); at += 50) {
            MotionSolver solver(9, fps, {}); // a new process for each chunk
            if (!state.empty())
                QVERIFY(solver.restoreState(state).has_value());
            const int count = int(std::min<FrameIndex>(50, FrameIndex(whole.size()) - at));
            const auto part = solver.solve(made::windowFor(speech, fps, at, count), at, count);
            pieces.insert(pieces.end(), part.begin(), part.end());
            state = solver.saveState();
        }
        QVERIFY(pieces == whole);
    }

    void damagedStatesAreRefused()
    {
        const auto speech = made::makeSpeech(8, 4, 10);
        MotionSolver solver(9, {25, 1}, {});
        solver.solve(made::windowFor(speech, {25, 1}, 0, 20), 0, 20);
        const auto good = solver.saveState();
        const auto refuse = [](std::vector<std::uint8_t> bytes, ErrorCode code) {
            MotionSolver other(9, {25, 1}, {});
            const auto before = other.saveState();
            const auto result = other.restoreState(bytes);
            return !result && result.error().code() == code && other.saveState() == before;
        };
        QVERIFY(refuse({}, ErrorCode::Corrupt));
        auto cut = good;
        cut.pop_back();
        QVERIFY(refuse(cut, ErrorCode::Corrupt));
        for (std::size_t at = 0; at < good.size(); at += 97) {
            auto bad = good;
            bad[at] ^= 0x10;
            QVERIFY(refuse(bad, ErrorCode::Corrupt));
        }
        MotionSolver faster(9, {30, 1}, {});
        const auto result = faster.restoreState(good);
        QVERIFY(!result && result.error().code() == ErrorCode::InvalidArgument);
        QVERIFY(QString::fromStdString(result.error().message()).contains("25"));
    }

    // A retake with another seed leaves the chunk border without a jump.
    void anotherSeedBlendsIn()
    {
        const auto speech = made::makeSpeech(8, 12, 10);
        const Rational fps{25, 1};
        MotionSolver first(1, fps, {});
        const auto before = first.solve(made::windowFor(speech, fps, 0, 100), 0, 100);
        MotionSolver second(2, fps, {});
        QVERIFY(second.restoreState(first.saveState()).has_value());
        const auto after = second.solve(made::windowFor(speech, fps, 100, 100), 100, 100);
        for (const Param p : {Param::Yaw, Param::Pitch, Param::Roll})
            QVERIFY(std::abs(after[0][p] - before[99][p]) < 1.6f);
        const auto same = first.solve(made::windowFor(speech, fps, 100, 100), 100, 100);
        QVERIFY(std::abs(same[90][Param::Yaw] - after[90][Param::Yaw]) > 1e-3f);
    }

    void seedsDiffer()
    {
        const auto speech = made::makeSpeech(8, 6, 10);
        const auto a = made::solveInChunks(speech, {25, 1}, 1, kWhole), b = made::solveInChunks(speech, {25, 1}, 2, kWhole);
        QVERIFY(a == made::solveInChunks(speech, {25, 1}, 1, kWhole));
        double apart = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            apart += double(std::abs(a[i][Param::Yaw] - b[i][Param::Yaw]));
            QCOMPARE(a[i][Param::Close], b[i][Param::Close]); // what is said does not depend on chance
            QVERIFY(std::abs(a[i][Param::Jaw] - b[i][Param::Jaw]) < 1e-6f);
        }
        QVERIFY(apart / double(a.size()) > .3);
    }

    void closuresReachTheFrames()
    {
        for (const double speed : {8.0, 14.0, 20.0}) {
            const auto speech = made::makeSpeech(6, 20, speed);
            const auto frames = made::solveInChunks(speech, {25, 1}, 1, kWhole);
            int sounds = 0, closed = 0;
            for (const Sound& s : speech.sounds) {
                if (s.symbol != "p" && s.symbol != "b" && s.symbol != "m")
                    continue;
                ++sounds;
                float best = 0;
                for (auto i = std::size_t((s.start - .06) * 25); double(i) / 25 <= s.end + .06; ++i)
                    best = std::max(best, frames[i][Param::Close]);
                closed += best > .99f;
            }
            QVERIFY(sounds > 15);
            QCOMPARE(closed, sounds);
        }
    }

    // Cases 82 and 85: pauses hold the mouth still and shut, a silent tail changes nothing.
    void case_085_silentTailIsStill()
    {
        auto speech = made::makeSpeech(6, 6, 9);
        speech.sounds.back().end = 9;
        speech.audio.samples.resize(9 * 16000, 0.f);
        const auto frames = made::solveInChunks(speech, {25, 1}, 1, kWhole);
        for (std::size_t i = std::size_t(5.5 * 25); i < frames.size(); ++i) {
            QVERIFY(frames[i][Param::Jaw] < .02f && frames[i][Param::Pucker] < .02f && frames[i][Param::StretchL] < .02f);
            if (i + 3 < frames.size() - 1)
                QVERIFY(frames[i][Param::Close] > .98f);
        }
        // the head goes on living until the end
        QVERIFY(deviation(frames, Param::Yaw, 140, frames.size()) > .05);
    }

    // Cases 2 and 82: starts from the photo and comes back to it with the sound, even mid-word.
    void case_002_motionEndsWithTheAudio()
    {
        for (const char* fps : {"24", "25", "29.97", "60"}) {
            auto speech = made::makeSpeech(6, 6, 9);
            speech.sounds.pop_back(); // ends while speaking
            speech.audio.samples.resize(std::size_t(speech.sounds.back().end * 16000));
            const auto frames = made::solveInChunks(speech, *Rational::parse(fps), 1, {33});
            QVERIFY(isRest(frames.front(), 1e-4f));
            QVERIFY(isRest(frames.back(), 1e-4f));
            QVERIFY(spread(frames, Param::Jaw, 0, frames.size()) > .3);
        }
    }

    // Case 86: the sound is faded in the mix, the mouth is not.
    void case_086_fadedSoundKeepsTheMouth()
    {
        for (const bool withSounds : {true, false}) {
            auto speech = made::makeSpeech(3, 16, 9);
            if (!withSounds)
                speech.sounds.clear();
            const auto full = made::solveInChunks(speech, {25, 1}, 1, kWhole);
            auto faded = speech;
            for (std::size_t i = 0; i < faded.audio.samples.size(); ++i) {
                const double t = double(i) / 16000;
                faded.audio.samples[i] *= float(std::pow(10, -std::max(0.0, t - 4) * 2.5 / 20)); // 2.5 dB a second, 30 dB in all
            }
            const auto got = made::solveInChunks(faded, {25, 1}, 1, kWhole);
            const double wanted = spread(full, Param::Jaw, 250, 370), kept = spread(got, Param::Jaw, 250, 370);
            QVERIFY2(kept > .85 * wanted, qPrintable(QString("%1 of %2").arg(kept).arg(wanted)));
            const auto quiet = [&](float gain) {
                auto scaled = speech;
                for (float& s : scaled.audio.samples)
                    s *= gain;
                return made::solveInChunks(scaled, {25, 1}, 1, kWhole);
            }(.05f);
            const double quietSpread = spread(quiet, Param::Jaw, 25, 370), fullSpread = spread(full, Param::Jaw, 25, 370);
            QVERIFY2(std::abs(quietSpread - fullSpread) < .1 * fullSpread, qPrintable(QString("%1 %2").arg(quietSpread).arg(fullSpread)));
        }
    }

    void silenceAndNothing()
    {
        made::Speech silence;
        silence.audio = {16000, 1, std::vector<float>(16000 * 12, 0.f)};
        const auto frames = made::solveInChunks(silence, {25, 1}, 1, {40});
        QCOMPARE(frames.size(), std::size_t(300));
        for (const Motion& f : frames)
            QVERIFY(f[Param::Jaw] == 0 && f[Param::Pucker] == 0);
        QVERIFY(deviation(frames, Param::Yaw, 25, 275) > .1); // not a frozen picture
        MotionSolver solver(1, {25, 1}, {});
        SpeechWindow nothing;
        nothing.isLast = true;
        QCOMPARE(solver.solve(nothing, 0, 5).size(), std::size_t(5));
        QVERIFY(solver.solve(nothing, 5, 0).empty());
    }

    void soundsWithoutAudio()
    {
        auto speech = made::makeSpeech(6, 6, 9);
        SpeechWindow window;
        window.sounds = speech.sounds;
        window.isLast = true;
        MotionSolver solver(1, {25, 1}, {});
        const auto frames = solver.solve(window, 0, 150);
        QVERIFY(spread(frames, Param::Jaw, 0, 150) > .3);
        QVERIFY(isRest(frames.back(), 1e-4f));
    }

    void valuesStayInRange()
    {
        for (const Style style : {Style{}, Style{0, 0, 0}, Style{2, 3, 1}, Style{50, 50, 50}}) {
            auto speech = made::makeSpeech(2, 20, 12);
            for (int i = 0; i < 40; ++i)
                speech.cues.push_back({CueKind(1 + i % 12), .2 + .45 * i, 1 + double(i)});
            for (const Motion& f : made::solveInChunks(speech, {25, 1}, 1, {100}, style)) {
                for (const float v : f.value)
                    QVERIFY(std::isfinite(v));
                for (std::size_t p = 0; p < kParamCount; ++p) {
                    const auto param = Param(p);
                    const float v = f.value[p];
                    const bool angle = p >= std::size_t(Param::Pitch) && p <= std::size_t(Param::Roll);
                    const bool shift = p >= std::size_t(Param::Tx) && p <= std::size_t(Param::Tz);
                    const bool isSigned = param == Param::JawSide || param == Param::MouthX || param == Param::GazeX ||
                                          param == Param::GazeY || param == Param::Breath;
                    const float limit = angle ? 6.f : shift ? .031f
                                                            : 1.f;
                    QVERIFY2(v <= limit && v >= (angle || shift || isSigned ? -limit : 0.f), qPrintable(QString("parameter %1 is %2").arg(p).arg(double(v))));
                }
            }
        }
    }

    void styleScales()
    {
        const auto speech = made::makeSpeech(2, 20, 10);
        const auto size = [&](Style style, Param p) { return deviation(made::solveInChunks(speech, {25, 1}, 1, kWhole, style), p, 25, 475); };
        QVERIFY(size({1.6, 1, 0}, Param::Jaw) > 1.1 * size({1, 1, 0}, Param::Jaw));
        QVERIFY(size({.5, 1, 0}, Param::Jaw) < .85 * size({1, 1, 0}, Param::Jaw));
        QVERIFY(size({1, .3, 0}, Param::Yaw) < .4 * size({1, 1, 0}, Param::Yaw));
        QCOMPARE(size({1, 0, 0}, Param::Yaw), 0.0);
        const auto smiling = made::solveInChunks(speech, {25, 1}, 1, kWhole, {1, 1, .4});
        QVERIFY(smiling[200][Param::SmileL] > .3f && smiling[200][Param::SmileR] > .3f);
    }

    void cuesAct()
    {
        made::Speech speech = made::makeSpeech(2, 12, 10);
        const auto plain = made::solveInChunks(speech, {25, 1}, 4, kWhole);
        const auto change = [&](CueKind kind, Param p) {
            auto directed = speech;
            directed.cues = {{kind, 5, 1}};
            const auto frames = made::solveInChunks(directed, {25, 1}, 4, {25});
            for (std::size_t i = 0; i < 122; ++i)
                if (std::abs(frames[i][p] - plain[i][p]) > 1e-5f)
                    return -99.0; // before its time
            double largest = 0;
            for (std::size_t i = 122; i < 165; ++i)
                if (std::abs(double(frames[i][p] - plain[i][p])) > std::abs(largest))
                    largest = double(frames[i][p] - plain[i][p]);
            return largest;
        };
        QVERIFY(change(CueKind::Smile, Param::SmileL) > .4);
        QVERIFY(change(CueKind::Nod, Param::Pitch) > 1.5);
        QVERIFY(std::abs(change(CueKind::Shake, Param::Yaw)) > 1.5);
        QVERIFY(change(CueKind::LookLeft, Param::GazeX) < -.4);
        QVERIFY(change(CueKind::LookRight, Param::GazeX) > .4);
        QVERIFY(change(CueKind::LookUp, Param::GazeY) < -.4);
        QVERIFY(change(CueKind::LookDown, Param::GazeY) > .4);
        QVERIFY(change(CueKind::BrowUp, Param::BrowOutL) > .3);
        QVERIFY(change(CueKind::BrowDown, Param::BrowDown) > .6);
        QVERIFY(change(CueKind::Blink, Param::BlinkL) > .9);
        QVERIFY(change(CueKind::Serious, Param::BrowDown) > .2);
    }

    // Bands of real people (yaw .8 - 6.8, pitch 1.2 - 5.1, roll .65 - 5.8 degrees; blinks 8 - 45 a minute).
    void movesLikePeople()
    {
        double yaw = 0, pitch = 0, roll = 0, blinks = 0, speed = 0, gaze = 0;
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const auto frames = made::solveInChunks(made::makeSpeech(seed, 30, 10), {25, 1}, seed, kWhole);
            yaw += deviation(frames, Param::Yaw, 25, 725) / 6;
            pitch += deviation(frames, Param::Pitch, 25, 725) / 6;
            roll += deviation(frames, Param::Roll, 25, 725) / 6;
            gaze += deviation(frames, Param::GazeX, 25, 725) / 6;
            std::vector<double> speeds;
            for (std::size_t i = 26; i < 725; ++i) {
                blinks += frames[i][Param::BlinkL] > .5f && frames[i - 1][Param::BlinkL] <= .5f ? 1 : 0;
                double s = 0;
                for (const Param p : {Param::Yaw, Param::Pitch, Param::Roll})
                    s += std::pow(25 * double(frames[i][p] - frames[i - 1][p]), 2);
                speeds.push_back(std::sqrt(s));
            }
            std::nth_element(speeds.begin(), speeds.begin() + 350, speeds.end());
            speed += speeds[350] / 6;
        }
        blinks /= 6 * 28.0 / 60;
        QVERIFY2(yaw > 1 && yaw < 3.2, qPrintable(QString::number(yaw)));
        QVERIFY2(pitch > 1 && pitch < 2.8, qPrintable(QString::number(pitch)));
        QVERIFY2(roll > .8 && roll < 2.6, qPrintable(QString::number(roll)));
        QVERIFY2(blinks > 10 && blinks < 40, qPrintable(QString::number(blinks)));
        QVERIFY2(speed > 5.1 && speed < 20, qPrintable(QString::number(speed)));
        QVERIFY2(gaze > .05 && gaze < .25, qPrintable(QString::number(gaze)));
    }

    // Yaw, pitch and roll sometimes turn back at the same moment: even then the head moves a visible share
    // of what it moves in the frames around, else that frame reads as a repeated one.
    void noFrameEqualsTheOneBefore()
    {
        double least = 1;
        int small = 0, all = 0;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const auto frames = made::solveInChunks(made::makeSpeech(seed, 30, 10), {25, 1}, seed, kWhole);
            std::vector<double> steps{0};
            for (std::size_t i = 1; i < frames.size(); ++i) {
                double square = 0;
                for (const Param p : {Param::Yaw, Param::Pitch, Param::Roll})
                    square += std::pow(double(frames[i][p] - frames[i - 1][p]), 2);
                steps.push_back(std::sqrt(square));
            }
            for (std::size_t i = 25; i < 725; ++i, ++all) {
                std::vector<double> around(steps.begin() + std::ptrdiff_t(i) - 4, steps.begin() + std::ptrdiff_t(i) + 5);
                around.erase(around.begin() + 4);
                std::nth_element(around.begin(), around.begin() + 4, around.end());
                const double share = steps[i] / around[4];
                least = std::min(least, share);
                small += share < .18;
            }
        }
        QVERIFY2(least > .10, qPrintable(QString::number(least)));
        QVERIFY2(small < .001 * all, qPrintable(QString::number(small)));
    }

    void audioAloneMovesTheMouth()
    {
        auto speech = made::makeSpeech(5, 20, 9);
        const auto told = made::solveInChunks(speech, {25, 1}, 1, kWhole);
        speech.sounds.clear();
        const auto heard = made::solveInChunks(speech, {25, 1}, 1, kWhole);
        QVERIFY(spread(heard, Param::Jaw, 10, 480) > .3);
        double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
        const auto open = [](const Motion& f) { return double(f[Param::Jaw]) * (1 - double(f[Param::Close])); };
        for (std::size_t i = 0; i < told.size(); ++i) {
            const double x = open(told[i]), y = open(heard[i]);
            a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
        }
        const double n = double(told.size());
        const double r = (ab - a * b / n) / std::sqrt((aa - a * a / n) * (bb - b * b / n));
        QVERIFY2(r > .6, qPrintable(QString::number(r)));
    }

    // Time passes in constant memory: the state has one size, and late frames are as sane as the first.
    void longRunsKeepTheirSize()
    {
        const auto speech = made::makeSpeech(5, 10, 9, 8000);
        MotionSolver solver(1, {5, 1}, {});
        const std::size_t size = solver.saveState().size();
        QVERIFY(size < 32768);
        double yaw = 0;
        for (int block = 0; block < 120; ++block) { // twenty minutes, the same ten seconds again and again
            SpeechWindow window;
            window.audio = speech.audio;
            window.audio.samples.insert(window.audio.samples.end(), speech.audio.samples.begin(), speech.audio.samples.begin() + 8000);
            window.audioStart = block * 10.0;
            for (const Sound& s : speech.sounds)
                window.sounds.push_back({s.symbol, s.start + block * 10.0, s.end + block * 10.0, 1, s.stressed});
            const auto frames = solver.solve(window, block * 50, 50);
            for (const Motion& f : frames)
                yaw = std::max(yaw, double(std::abs(f[Param::Yaw])));
            if (block == 119)
                QVERIFY(spread(frames, Param::Jaw, 0, 50) > .2);
        }
        QCOMPARE(solver.saveState().size(), size);
        QVERIFY(yaw < 6);
    }

    void brokenCallsAreCaught()
    {
        const auto speech = made::makeSpeech(5, 10, 9);
        MotionSolver solver(1, {25, 1}, {});
        solver.solve(made::windowFor(speech, {25, 1}, 0, 25), 0, 25);
        QVERIFY_THROWS_EXCEPTION(InvariantError, solver.solve(made::windowFor(speech, {25, 1}, 30, 25), 30, 25));
        QVERIFY_THROWS_EXCEPTION(InvariantError, solver.solve(made::windowFor(speech, {25, 1}, 25, 10), 25, 50));
    }
};

LOQUOR_TEST(tst_motion_solver)
#include "tst_motion_solver.moc"
