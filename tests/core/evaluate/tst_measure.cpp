// The measures on clips of numbers: what was planted is measured, what is clean stays clean.
#include "core/evaluate/measure.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/evaluate/bands.h"
#include "tests/core/evaluate/synthetic_clip.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::evaluate;

namespace {

using Change = std::function<void(Clip&)>;

struct Fault
{
    const char* name;
    Change plant;
    const char* code; // the flag that must appear
    bool hard;
};

std::size_t middle(const Clip& clip)
{
    return clip.track.frames.size() / 2;
}

void repeatFrame(Clip& clip, std::size_t at)
{
    FrameTrack& f = clip.track.frames[at];
    f.landmarks = clip.track.frames[at - 1].landmarks;
    f.change = f.faceChange = 0;
    f.identical = true;
}

// L* and saturation of everything from `begin` on.
void recolour(Clip& clip, std::size_t begin, double lightness, double saturation)
{
    for (std::size_t i = begin; i < clip.track.frames.size(); ++i) {
        Lab& lab = clip.track.frames[i].faceLab;
        lab = {lab[0] + lightness * 2.55, 128 + (lab[1] - 128) * saturation, 128 + (lab[2] - 128) * saturation};
        auto& picture = clip.track.small.frames[i];
        for (std::size_t p = 0; p < picture.size(); ++p)
            picture[p] = static_cast<std::uint8_t>(std::lround(p % 3 == 0 ? picture[p] + lightness * 2.55 : 128 + (picture[p] - 128) * saturation));
    }
}

void loseFace(Clip& clip, std::size_t begin, std::size_t end)
{
    for (std::size_t i = begin; i < end; ++i) {
        FrameTrack& f = clip.track.frames[i];
        f.found = false;
        f.faceLab = {NAN, NAN, NAN};
        f.faceChange = f.sharpness = f.boil = NAN;
    }
}

void holdLips(Clip& clip)
{
    for (FrameTrack& f : clip.track.frames)
        for (const auto& [upper, lower] : {std::pair(13, 14), {82, 87}, {312, 317}}) {
            Point3& low = f.landmarks[static_cast<std::size_t>(lower)];
            low = f.landmarks[static_cast<std::size_t>(upper)];
            low[1] += 3;
        }
}

void scaleFace(Clip& clip, double factor)
{
    for (FrameTrack& f : clip.track.frames)
        for (Point3& p : f.landmarks)
            for (double& v : p)
                v *= factor;
}

const std::vector<Fault>& faults()
{
    static const std::vector<Fault> list = {
        {"case_014 sound 0.7 s short", [](Clip& c) { c.mono16k.resize(c.mono16k.size() - 11200); }, "AV_LENGTH", true},
        {"sound one and a half frames long", [](Clip& c) { c.mono16k.resize(c.mono16k.size() + 960); }, "AV_LENGTH", false},
        {"no sound", [](Clip& c) { c.facts.hasAudio = false; c.mono16k.clear(); }, "NO_AUDIO", true},
        {"time stamps 100 ms apart", [](Clip& c) { c.facts.audioStart = 0.1; c.mono16k.resize(c.mono16k.size() - 1600); }, "AV_START", true},
        {"time stamps 50 ms apart", [](Clip& c) { c.facts.audioStart = 0.05; c.mono16k.resize(c.mono16k.size() - 800); }, "AV_START", false},
        {"still picture with sound", [](Clip& c) { for (std::size_t i = 1; i < c.track.frames.size(); ++i) repeatFrame(c, i); }, "FROZEN", true},
        {"lips that do not move", holdLips, "LIPS_STILL", true},
        {"freeze of half a second", [](Clip& c) { for (std::size_t i = 0; i < 13; ++i) repeatFrame(c, middle(c) + i); }, "FROZEN", true},
        {"repeated frame", [](Clip& c) { repeatFrame(c, middle(c)); }, "DUP_FRAME", true},
        {"one frame in six repeats", [](Clip& c) { for (std::size_t i = 6; i < c.track.frames.size(); i += 6) repeatFrame(c, i); }, "DUP_PERIODIC", false},
        {"dropped frame, closed up", [](Clip& c) { c.track.frames.erase(c.track.frames.begin() + 100); c.track.small.frames.erase(c.track.small.frames.begin() + 100); c.facts.times.pop_back(); c.track.identities.clear(); }, "AV_LENGTH", false},
        {"uneven time stamps", [](Clip& c) { for (std::size_t i = 100; i < c.facts.times.size(); ++i) c.facts.times[i] += 0.02; }, "VFR", false},
        {"case_125 brightness step of 3 L*", [](Clip& c) { recolour(c, middle(c), 3, 1); }, "SEAM", true},
        {"case_133 saturation step", [](Clip& c) { recolour(c, middle(c), 0, 1.35); }, "SEAM", true},
        {"case_128 slow ramp", [](Clip& c) { for (std::size_t i = 0; i < c.track.frames.size(); ++i) c.track.frames[i].faceLab[0] += 0.05 * static_cast<double>(i); }, "COLOUR_DRIFT", false},
        {"case_139 black frame", [](Clip& c) { for (auto& v : c.track.small.frames[60]) v = 0; }, "BLACK", true},
        {"case_140 mosaic", [](Clip& c) { c.track.frames[80].detail *= 4; }, "NOISE", true},
        {"blur from the middle", [](Clip& c) { for (std::size_t i = middle(c); i < c.track.frames.size(); ++i) c.track.frames[i].sharpness *= 0.5; }, "SHARPNESS_DRIFT", false},
        {"another person's speech", [](Clip& c) { c.mono16k = test::makeSpeech(10, 77); }, "SYNC_LOST", true},
        {"face lost for a fifth", [](Clip& c) { loseFace(c, 50, 100); }, "FACE_LOST", true},
        {"face lost for a moment", [](Clip& c) { loseFace(c, 50, 60); }, "FACE_LOST", false},
        {"no face", [](Clip& c) { loseFace(c, 0, c.track.frames.size()); }, "NO_FACE", true},
        {"case_079 small face", [](Clip& c) { scaleFace(c, 0.4); }, "SMALL_FACE", false},
        {"jump of the head", [](Clip& c) { for (std::size_t i = middle(c); i < c.track.frames.size(); ++i) for (Point3& p : c.track.frames[i].landmarks) p[0] += 25; }, "SEAM", true},
        {"cut", [](Clip& c) { c.track.frames[middle(c)].change = 30; }, "SEAM", true},
        {"case_134 another person at the end", [](Clip& c) { for (auto& s : c.track.identities) if (s.frame > 150) for (float& v : s.embedding) v += 0.07f; }, "IDENTITY", false},
        {"not the person of the photo", [](Clip& c) { for (float& v : c.reference->embedding) v += 0.07f; }, "IDENTITY_REF", true},
        {"no face in the photo", [](Clip& c) { c.reference->found = false; }, "REF", false},
        {"phonemes without closures", [](Clip& c) { c.timing = test::makeTiming(c); for (auto& p : c.timing->phonemes) p.symbol = p.symbol == "ɑ" ? "b" : "ɪ"; }, "CLOSURES", false},
        {"no blink", [](Clip& c) { c = test::makeClip(13); for (FrameTrack& f : c.track.frames) for (auto [u, l] : {std::pair(160, 144), {158, 153}, {385, 380}, {387, 373}}) f.landmarks[static_cast<std::size_t>(u)][1] = f.landmarks[static_cast<std::size_t>(l)][1] - 9; }, "NO_BLINK", false},
    };
    return list;
}

std::string flagsOf(const Evaluation& e)
{
    std::string out;
    for (const Flag& f : e.flags)
        out += std::string(f.hard ? "FLAG " : "note ") + f.code + ": " + f.message + "; ";
    return out;
}

} // namespace

class tst_measure : public QObject
{
    Q_OBJECT
    Clip m_clean;
    Evaluation m_cleanResult;

private Q_SLOTS:
    void initTestCase()
    {
        m_clean = test::makeClip();
        auto result = measure(m_clean);
        QVERIFY(result);
        m_cleanResult = std::move(*result);
    }

    void cleanClipHasNoFlag()
    {
        const Evaluation& e = m_cleanResult;
        QVERIFY2(e.flags.empty(), flagsOf(e).c_str());
        QVERIFY(e.seams.empty());
        QCOMPARE(e.container.frames, std::size_t(250));
        QCOMPARE(e.container.videoSeconds, 10.0);
        QCOMPARE(e.container.audioSeconds, 10.0);
        QCOMPARE(*e.container.framesMinusAudio, 0.0);
        QVERIFY(std::abs(e.face.eyeDistance - 100) < 2);
        QCOMPARE(e.blinks.size(), std::size_t(3));
        QVERIFY(std::abs(*e.metric("blink_dur_ms") - 141) < 20);
        QVERIFY(*e.metric("blink_full_frac") == 1);
        QVERIFY(*e.metric("sync_r") > 0.8);
        QVERIFY(std::abs(*e.metric("sync_lag_ms")) < 3);
        QVERIFY(*e.metric("lip_open_silence") < 0.02);
        QVERIFY(*e.metric("id_ref_p95") < 0.2);
        QVERIFY(e.scorecard.verdict == "STRONG" || e.scorecard.verdict == "PASS");
        QCOMPARE(e.lagCurve.size(), std::size_t(51));
    }

    void findsPlantedFaults_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < faults().size(); ++i)
            QTest::newRow(faults()[i].name) << static_cast<int>(i);
    }
    void findsPlantedFaults()
    {
        QFETCH(int, index);
        const Fault& fault = faults()[static_cast<std::size_t>(index)];
        Clip clip = m_clean;
        fault.plant(clip);
        const auto e = measure(clip);
        QVERIFY(e);
        const auto found = std::find_if(e->flags.begin(), e->flags.end(), [&](const Flag& f) { return f.code == fault.code; });
        QVERIFY2(found != e->flags.end(), flagsOf(*e).c_str());
        QVERIFY2(found->hard == fault.hard, flagsOf(*e).c_str());
        if (!fault.hard)
            QVERIFY2(e->hardFlags() == 0, flagsOf(*e).c_str());
        else
            QCOMPARE(e->scorecard.verdict, std::string("FAIL"));
    }

    // Field cases 4 and 8: the offset of a clip is measured.
    void case_004_soundMovedAgainstThePicture_data()
    {
        QTest::addColumn<double>("ms");
        for (const double ms : {-320, -200, -120, -80, -40, 40, 80, 120, 200, 320})
            QTest::newRow(qPrintable(QString("%1 ms").arg(ms))) << ms;
    }
    void case_004_soundMovedAgainstThePicture()
    {
        QFETCH(double, ms);
        Clip clip = m_clean;
        test::advanceSound(clip, ms);
        const auto e = measure(clip);
        QVERIFY(e);
        const double change = *e->metric("sync_lag_ms") - *m_cleanResult.metric("sync_lag_ms");
        QVERIFY2(std::abs(change - ms) <= 3, qPrintable(QString("measured %1").arg(change)));
        const auto flag = std::find_if(e->flags.begin(), e->flags.end(), [](const Flag& f) { return f.code == "AV_LAG"; });
        QCOMPARE(flag != e->flags.end(), std::abs(ms) > 60);
        if (flag != e->flags.end()) {
            QCOMPARE(flag->hard, std::abs(ms) > 100);
            QVERIFY(flag->message.find(ms > 0 ? "late" : "early") != std::string::npos);
        }
    }

    // Field case 5: a lag that grows along the clip.
    void case_005_lagThatChanges()
    {
        Clip clip = test::makeClip(24, 3);
        Clip late = clip;
        test::advanceSound(late, 80);
        std::copy(late.mono16k.begin() + 12 * 16000, late.mono16k.end(), clip.mono16k.begin() + 12 * 16000);
        const auto e = measure(clip);
        QVERIFY(e && e->metric("sync_lag_drift_ms"));
        QVERIFY2(std::abs(*e->metric("sync_lag_drift_ms") - 80) < 12, qPrintable(QString::number(*e->metric("sync_lag_drift_ms"))));
    }

    void openingIsMeasuredWhateverThePose()
    {
        // The same lips on a head that is turned, far away and elsewhere.
        Clip clip = m_clean;
        for (FrameTrack& f : clip.track.frames)
            for (Point3& p : f.landmarks) {
                const double x = p[0] - 320, z = p[2];
                p = {700 + 0.7 * (0.94 * x + 0.342 * z), 0.7 * p[1], 0.7 * (-0.342 * x + 0.94 * z)};
            }
        const auto e = measure(clip);
        QVERIFY(e);
        for (const char* name : {"lip_range", "jaw_range", "lip_speed_p95", "closures_per_s", "blink_per_min", "sync_r"})
            QVERIFY2(std::abs(*e->metric(name) / *m_cleanResult.metric(name) - 1) < 0.03, name);
        QVERIFY(std::abs(e->face.eyeDistance / m_cleanResult.face.eyeDistance - 0.7) < 0.01);
        const double turned = std::abs(e->face.meanPose[0] - m_cleanResult.face.meanPose[0]);
        QVERIFY2(std::abs(turned - 20) < 3, qPrintable(QString::number(turned)));
    }

    void closuresAgainstPhonemes()
    {
        Clip clip = m_clean;
        clip.timing = test::makeTiming(clip);
        const auto e = measure(clip);
        QVERIFY(e);
        QVERIFY(*e->metric("bilabials") >= 6);
        QCOMPARE(*e->metric("closure_hit"), 1.0);
        QVERIFY(*e->metric("closure_chance") < 0.9);
        QVERIFY(*e->metric("phoneme_gap_r") > 0.5);
        QVERIFY(std::abs(*e->metric("phoneme_gap_lag_ms")) < 60);
        QVERIFY(!e->hasFlag("CLOSURES"));
    }

    void wantedGap()
    {
        Clip clip = m_clean;
        WantedGap gap{25, {}};
        for (const double opening : m_cleanResult.curves.opening)
            gap.values.push_back((opening - 0.01) / 0.8);
        clip.wantedGap = gap;
        const auto e = measure(clip);
        QVERIFY(e);
        QVERIFY(std::abs(*e->metric("gap_r") - 1) < 1e-9);
        QVERIFY(std::abs(*e->metric("gap_slope") - 0.8) < 1e-9);
        QVERIFY(std::abs(*e->metric("gap_offset") - 0.01) < 1e-9);
    }

    void otherFrameRatesGiveTheSameNumbers()
    {
        // Every frame twice as often: 50 fps, interpolated.
        Clip clip = m_clean;
        Clip fast = clip;
        fast.facts.fps = 50;
        fast.facts.averageRate = "50/1";
        fast.facts.times.clear();
        fast.track.frames.clear();
        fast.track.small.frames.clear();
        fast.track.identities.clear();
        for (std::size_t i = 0; i + 1 < clip.track.frames.size(); ++i)
            for (int half = 0; half < 2; ++half) {
                FrameTrack f = clip.track.frames[i];
                for (std::size_t p = 0; p < kLandmarks && half; ++p)
                    for (std::size_t k = 0; k < 3; ++k)
                        f.landmarks[p][k] = (f.landmarks[p][k] + clip.track.frames[i + 1].landmarks[p][k]) / 2;
                fast.facts.times.push_back(0.04 * static_cast<double>(i) + 0.02 * half);
                fast.track.frames.push_back(f);
                fast.track.small.frames.push_back(clip.track.small.frames[i]);
            }
        const auto e = measure(fast);
        QVERIFY(e);
        QCOMPARE(e->container.fps, 50.0);
        for (const char* name : {"lip_range", "head_speed_p50", "yaw_std_5s", "brow_std", "sync_r", "gaze_h_std"})
            QVERIFY2(std::abs(*e->metric(name) / *m_cleanResult.metric(name) - 1) < 0.08, name);
    }

    void wrongHeaderRateIsNotBelieved()
    {
        Clip clip = m_clean;
        clip.facts.fps = 90000;
        const auto e = measure(clip);
        QVERIFY(e);
        QVERIFY(std::abs(e->container.fps - 25) < 1e-6);
    }

    void tooShort()
    {
        Clip clip = m_clean;
        clip.track.frames.resize(7);
        const auto e = measure(clip);
        QVERIFY(!e);
        QCOMPARE(e.error().code(), ErrorCode::Unreadable);
        clip = m_clean;
        clip.track.frames.resize(13);
        clip.facts.times.resize(13);
        clip.track.small.frames.resize(13);
        clip.track.identities.clear();
        clip.mono16k.resize(8320);
        QVERIFY(measure(clip));
    }

    void scorecardCountsBands()
    {
        QCOMPARE(realPeople().size(), std::size_t(37));
        Evaluation e;
        e.metrics = {{"dur_s", 10.0}, {"sync_r", 0.5}, {"lip_range", 0.9}, {"jaw_range", 0.01}, {"lip_open_p5", Value()}};
        Scorecard card = makeScorecard(e);
        QCOMPARE(card.total, std::size_t(3));
        QCOMPARE(card.inside, std::size_t(1));
        QCOMPARE(card.verdict, std::string("WEAK"));
        const auto verdict = [&](const std::string& name) {
            return std::find_if(card.rows.begin(), card.rows.end(), [&](const ScoreRow& r) { return r.metric == name; })->verdict;
        };
        QCOMPARE(verdict("sync_r"), std::string("in"));
        QCOMPARE(verdict("lip_range"), std::string("high"));
        QCOMPARE(verdict("jaw_range"), std::string("low"));
        QCOMPARE(verdict("lip_open_p5"), std::string("n/a"));
        e.flags.push_back({"BLACK", true, "", {}});
        QCOMPARE(makeScorecard(e).verdict, std::string("FAIL"));
        e.metrics[0].second = 2.0; // too short for brows
        e.metrics.emplace_back("brow_std", 0.01);
        QCOMPARE(makeScorecard(e).total, std::size_t(3));
    }
};

LOQUOR_TEST(tst_measure)
#include "tst_measure.moc"
