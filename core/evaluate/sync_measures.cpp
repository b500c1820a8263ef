// Lips against sound.
#include <algorithm>
#include <cmath>

#include "core/evaluate/coupling.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

void reportLag(Measuring& m, const Lag& lag)
{
    m.set("sync_r", lag.r);
    m.set("sync_r0", lag.rAtZero);
    m.set("sync_lag_ms", lag.milliseconds);
    m.set("sync_z", lag.z);
    m.set("sync_margin", lag.margin);
    for (std::size_t i = 0; i < lag.curve.size(); i += 2)
        m.out.lagCurve.push_back(std::isfinite(lag.curve[i]) ? std::optional(lag.curve[i]) : std::nullopt);
}

void judgeLag(Measuring& m, const Lag& lag, const std::optional<OwnFit>& own)
{
    const double z = std::isfinite(lag.z) ? lag.z : 3;
    const bool clear = lag.r > 0.28 && lag.margin > 0.20 && z > 2 && !lag.atEdge;
    const bool sure = clear && lag.r > 0.35 && z > 3;
    const char* confidence = sure ? "high" : clear ? "mid"
                                                   : "low";
    m.set("sync_conf", std::string(confidence));
    m.set("sync_lag_cal_ms", clear ? Value(lag.milliseconds) : Value());
    const double amount = std::abs(lag.milliseconds);
    if (clear && amount > 60)
        m.flag("AV_LAG", amount > 100 && sure,
               format("lips %s by %.0f ms (%s confidence)", lag.milliseconds > 0 ? "late" : "early", amount, confidence));
    const double range = m.get("lip_range").value_or(1);
    const bool ownWeak = !own || !(own->r >= 0.25);
    if (range < 0.05 && m.speechSeconds > 2)
        m.flag("LIPS_STILL", true, format("speech but hardly any lip motion (range %.3f IOD)", range));
    else if (m.speechSeconds > 4 && !clear && lag.r < 0.30 && ownWeak)
        m.flag("SYNC_LOST", m.speechSeconds > 6 && lag.r < 0.25,
               format("lips do not follow the speech (r %.2f, own-fit r %.2f)", lag.r, own ? own->r : NAN));
}

// The lag of the second half against the first.
void measureDrift(Measuring& m, const Series& expected, const Series& opening, const Mask& mask)
{
    if (m.speechSeconds <= 8)
        return;
    const double middle = (m.times.front() + m.times.back()) / 2;
    std::array<std::optional<Lag>, 2> halves;
    for (std::size_t h = 0; h < 2; ++h) {
        Mask half = mask;
        for (std::size_t i = 0; i < half.size(); ++i)
            half[i] = half[i] && (m.fineTimes[i] >= middle) == (h == 1);
        halves[h] = findLag(expected, opening, 100, half);
        if (!halves[h] || halves[h]->r <= 0.3 || halves[h]->margin <= 0.2 || halves[h]->atEdge)
            return;
    }
    m.set("sync_lag_drift_ms", halves[1]->milliseconds - halves[0]->milliseconds);
}

} // namespace

void measureSync(Measuring& m)
{
    if (!m.speech || m.speechSeconds <= 1.5)
        return;
    const Series opening = m.toFineRate(m.opening);
    const Series expected = expectedOpening(*m.speech, m.fineTimes);
    const Series loudness = interpolate(m.fineTimes, m.speech->times, smooth(m.speech->decibels, 5));
    Mask mask = widen(m.fineSpeech, 61); // generous: shifts may carry speech out of it
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = mask[i] && m.fineValid[i];
    if (const auto energy = findLag(loudness, opening, 100, mask)) {
        m.set("sync_r_energy", energy->r);
        m.set("sync_lag_energy_ms", energy->milliseconds);
        m.set("sync_z_energy", energy->z);
    }
    const auto lag = findLag(expected, opening, 100, mask);
    if (lag)
        reportLag(m, *lag);
    if (const auto jaw = findLag(expected, m.toFineRate(m.jaw), 100, mask))
        m.set("sync_r_jaw", jaw->r);
    Mask slow = widen(m.motionSpeech, 13);
    for (std::size_t i = 0; i < slow.size(); ++i)
        slow[i] = slow[i] && m.motionValid[i];
    const auto own = fitOwnCoupling(melContext(*m.speech, m.motionTimes), m.toMotionRate(m.opening), slow);
    if (own) {
        m.set("sync_cv_r", own->r);
        m.set("sync_cv_z", own->z ? Value(*own->z) : Value());
        m.set("sync_cv_lag_ms", own->milliseconds);
    }
    if (lag) {
        judgeLag(m, *lag, own);
        measureDrift(m, expected, opening, mask);
    }
}

} // namespace loquor::evaluate
