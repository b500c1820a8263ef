#include "core/evaluate/bands.h"

#include <algorithm>
#include <array>

namespace loquor::evaluate {

namespace {

constexpr std::array<Band, 37> kBands = {{
    {"sync_r", "lip", 0.3304, {}, 0},
    {"sync_cv_r", "lip", 0.2844, {}, 6},
    {"sync_lag_cal_ms", "lip", -80.63, 48.59, 0},
    {"lip_range", "lip", 0.1192, 0.2301, 0},
    {"jaw_range", "lip", 0.05455, 0.1491, 0},
    {"lip_open_p5", "lip", {}, 0.01428, 0},
    {"lip_speed_p95", "lip", 0.9852, 1.557, 0},
    {"closures_per_s", "lip", 0.8559, 1.938, 3},
    {"lip_mid_ratio", "lip", 0.1616, 0.562, 0},
    {"lip_hf_ratio", "lip", {}, 0.04724, 0},
    {"mouth_width_range", "lip", 0.05279, 0.204, 0},
    {"lip_open_silence", "lip", {}, 0.05077, 0},
    {"lip_speed_silence_ratio", "lip", {}, 0.3935, 0},
    {"blink_per_min", "eyes", 4.945, 55.82, 8},
    {"blink_dur_ms", "eyes", 92.57, 282.1, 0},
    {"blink_full_frac", "eyes", 0.575, {}, 8},
    {"gaze_h_std", "eyes", 0.009591, 0.05199, 4},
    {"gaze_v_std", "eyes", 0.006561, 0.01998, 4},
    {"brow_motion", "upper", 0.002599, 0.01763, 4},
    {"brow_std", "upper", 0.003176, 0.02345, 4},
    {"yaw_std_5s", "head", 0.7853, 6.804, 4},
    {"pitch_std_5s", "head", 1.191, 5.121, 4},
    {"roll_std_5s", "head", 0.6528, 5.763, 4},
    {"head_speed_p50", "head", 5.121, 28.34, 4},
    {"head_speed_p95", "head", 14.61, 77.05, 4},
    {"head_slope", "head", -3.229, -1.791, 4},
    {"head_still_frac", "head", {}, 0.09247, 4},
    {"id_drift_p95", "identity", {}, 0.4107, 4},
    {"id_end_vs_start", "identity", {}, 0.2728, 4},
    {"sharp_end_ratio", "identity", 0.8175, 1.251, 4},
    {"face_dE_end", "identity", {}, 2.165, 5},
    {"face_boil", "temporal", 0.0288, 0.06635, 0},
    {"face_flicker", "temporal", {}, 0.2631, 0},
    {"face_step_p99", "temporal", {}, 1.407, 0},
    {"bg_step_p99", "temporal", {}, 0.4576, 0},
    {"bg_flicker", "temporal", {}, 0.05091, 0},
    {"bg_psnr_p5", "temporal", 37.89, {}, 0},
}};

} // namespace

std::span<const Band> realPeople()
{
    return kBands;
}

Scorecard makeScorecard(const Evaluation& evaluation)
{
    Scorecard card;
    const double seconds = evaluation.metric("dur_s").value_or(0);
    for (const Band& band : kBands) {
        ScoreRow row{band.metric, band.group, evaluation.metric(band.metric), band.low, band.high, "n/a"};
        if (row.value && seconds >= band.minSeconds) {
            const bool low = band.low && *row.value < *band.low;
            const bool high = band.high && *row.value > *band.high;
            row.verdict = low ? "low" : high ? "high"
                                             : "in";
            auto group = std::find_if(card.groups.begin(), card.groups.end(),
                                      [&](const auto& g) { return g.first == band.group; });
            if (group == card.groups.end())
                group = card.groups.insert(group, {band.group, {0, 0}});
            const std::size_t inside = low || high ? 0 : 1;
            group->second.first += inside;
            group->second.second += 1;
            card.inside += inside;
            card.total += 1;
        }
        card.rows.push_back(std::move(row));
    }
    card.hardFlags = evaluation.hardFlags();
    const double share = card.total ? static_cast<double>(card.inside) / static_cast<double>(card.total) : 0;
    card.verdict = card.hardFlags          ? "FAIL"
                   : card.total == 0       ? "n/a"
                   : share >= kStrongShare ? "STRONG"
                   : share >= kPassShare   ? "PASS"
                                           : "WEAK";
    return card;
}

} // namespace loquor::evaluate
