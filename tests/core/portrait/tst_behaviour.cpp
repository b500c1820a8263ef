#include "core/portrait/behaviour.h"
#include "core/portrait/hearing.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::portrait;

namespace {

// Two minutes of talk: phrases of 2.4 s, pauses of .6 s, syllables at 4 Hz.
TickInput inputAt(std::int64_t tick)
{
    TickInput input;
    input.tick = tick;
    const double t = static_cast<double>(tick) * kTickSeconds;
    input.talking = std::fmod(t, 3.0) < 2.4;
    input.energy = input.talking ? static_cast<float>(.55 + .3 * std::sin(2 * 3.14159 * 4 * t) + .15 * std::sin(2 * 3.14159 * .9 * t)) : 0.f;
    return input;
}

} // namespace

class tst_behaviour : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void stepsAreContinuousAndReachTheirTargets()
    {
        StepTrack track;
        for (int i = 0; i < 100; ++i) {
            const float target = static_cast<float>(i % 7) - 3;
            track.stepTo({target, -target, 0}, i * .5, .4);
            float last = track.at(i * .5 - .02)[0];
            for (double t = i * .5; t < i * .5 + .5; t += .01) {
                const float now = track.at(t)[0];
                QVERIFY(std::abs(now - last) < .5f);
                last = now;
            }
            QVERIFY(std::abs(track.at(i * .5 + .45)[0] - target) < 1e-4f);
            QVERIFY(std::abs(track.at(i * .5 + .45)[1] + target) < 1e-4f);
        }
    }

    void pulsesComeAndGo()
    {
        const Pulse pulse{PulseKind::Nod, .2f, .1f, .3f, 1.0, 1, 0};
        QCOMPARE(pulse.envelope(1.0), 0.0);
        QCOMPARE(pulse.envelope(1.25), 1.0);
        QVERIFY(pulse.envelope(1.1) > .4 && pulse.envelope(1.1) < .6);
        QCOMPARE(pulse.envelope(1.61), 0.0);
    }

    // Nothing that a drawn frame already showed may change when later ticks are decided.
    void decisionsNeverReachBack()
    {
        const Behaviour behaviour(11);
        BehaviourState state;
        for (std::int64_t tick = 0; tick < 3000; ++tick) {
            const double drawn = static_cast<double>(tick - 1 - kLookAheadTicks) * kTickSeconds;
            const BehaviourValues before = behaviour.at(drawn, 1e9, state);
            behaviour.tick(inputAt(tick), state);
            if (tick % 500 == 250)
                behaviour.cue({CueKind::Shake, static_cast<double>(tick) * kTickSeconds - 1, 1}, static_cast<double>(tick) * kTickSeconds, state);
            const BehaviourValues after = behaviour.at(drawn, 1e9, state);
            QVERIFY(std::abs(before.yaw - after.yaw) < 1e-4 && std::abs(before.pitch - after.pitch) < 1e-4);
            QVERIFY(std::abs(before.blink - after.blink) < 1e-6 && std::abs(before.gazeX - after.gazeX) < 1e-5);
        }
    }

    // Rates people show: 8 to 45 blinks a minute, most of them where a pause is near.
    void blinksLikePeople()
    {
        int blinks = 0, inPause = 0;
        double closedSeconds = 0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Behaviour behaviour(seed);
            BehaviourState state;
            bool closed = false;
            for (std::int64_t tick = 0; tick < 6000; ++tick) {
                behaviour.tick(inputAt(tick), state);
                const double now = static_cast<double>(tick) * kTickSeconds;
                const double blink = behaviour.at(now, 1e9, state).blink;
                closedSeconds += blink > .5 ? kTickSeconds : 0;
                if (blink > .9 && !closed) {
                    ++blinks;
                    inPause += std::fmod(now, 3.0) >= 2.35;
                }
                closed = blink > .9 || (closed && blink > .1);
            }
        }
        QVERIFY2(blinks > 5 * 12 && blinks < 5 * 35, qPrintable(QString::number(blinks)));
        QVERIFY2(inPause > .3 * blinks, qPrintable(QString("%1 of %2 in pauses").arg(inPause).arg(blinks)));
        const double duration = closedSeconds / blinks;
        QVERIFY2(duration > .093 && duration < .282, qPrintable(QString::number(duration)));
    }

    void smileLastsToTheEndOfTheSentence()
    {
        const Behaviour behaviour(1);
        BehaviourState state;
        for (std::int64_t tick = 0; tick < 900; ++tick) {
            const double now = static_cast<double>(tick) * kTickSeconds;
            if (tick == 300)
                behaviour.cue({CueKind::Smile, 3.0, 1}, now, state);
            behaviour.tick(inputAt(tick), state);
        }
        QVERIFY(behaviour.at(2.7, 1e9, state).smile < .01);
        QVERIFY(behaviour.at(3.6, 1e9, state).smile > .5); // talk from 3.0 to 5.4
        QVERIFY(behaviour.at(5.3, 1e9, state).smile > .5);
        QVERIFY(behaviour.at(6.4, 1e9, state).smile < .01);
    }

    void seriousEndsASmile()
    {
        const Behaviour behaviour(1);
        BehaviourState state;
        for (std::int64_t tick = 0; tick < 700; ++tick) {
            const double now = static_cast<double>(tick) * kTickSeconds;
            if (tick == 300)
                behaviour.cue({CueKind::Smile, 3.0, 1}, now, state);
            if (tick == 420)
                behaviour.cue({CueKind::Serious, 4.2, 1}, now, state);
            behaviour.tick(inputAt(tick), state);
        }
        QVERIFY(behaviour.at(4.0, 1e9, state).smile > .5);
        QVERIFY(behaviour.at(4.9, 1e9, state).smile < .01);
        QVERIFY(behaviour.at(4.9, 1e9, state).serious > .9);
    }

    void noBlinkIsCutByTheEnd()
    {
        const Behaviour behaviour(1);
        BehaviourState state;
        behaviour.cue({CueKind::Blink, 1.0, 1}, 1.0, state);
        QVERIFY(behaviour.at(1.1, 1e9, state).blink > .9);
        QCOMPARE(behaviour.at(1.1, 1.15, state).blink, 0.0);
    }
};

LOQUOR_TEST(tst_behaviour)
#include "tst_behaviour.moc"
