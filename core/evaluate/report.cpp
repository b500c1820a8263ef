#include "core/evaluate/report.h"

#include <cmath>

#include "core/base/json.h"
#include "core/evaluate/measuring.h"

namespace loquor::evaluate {

namespace {

using Json = nlohmann::ordered_json;

template<class T>
Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

double rounded(double v, double unit)
{
    return std::round(v / unit) * unit;
}

Json containerJson(const Evaluation& e)
{
    const ContainerMeasures& c = e.container;
    const ContainerFacts& f = e.facts;
    Json out;
    out["width"] = f.width;
    out["height"] = f.height;
    out["vcodec"] = f.videoCodec;
    out["pix_fmt"] = f.pixelFormat;
    out["acodec"] = f.hasAudio ? Json(f.audioCodec) : Json(nullptr);
    out["sample_rate"] = f.hasAudio ? Json(f.sampleRate) : Json(nullptr);
    out["channels"] = f.hasAudio ? Json(f.channels) : Json(nullptr);
    out["fps"] = f.averageRate;
    out["r_fps"] = f.realRate;
    out["fps_value"] = c.fps;
    out["frames"] = c.frames;
    out["frames_analysed"] = c.framesAnalysed;
    out["header_frames"] = orNull(f.headerFrames);
    out["video_s"] = c.videoSeconds;
    out["audio_s"] = c.audioSeconds;
    out["start_diff_ms"] = orNull(c.startDifferenceMs);
    out["end_diff_ms"] = orNull(c.endDifferenceMs);
    out["frames_minus_audio"] = orNull(c.framesMinusAudio);
    out["vfr"] = c.variableRate;
    out["pts_gap_max_ms"] = c.longestStepMs;
    out["dup_frac"] = c.repeatedFraction;
    out["dup_isolated"] = c.isolatedRepeats;
    out["dup_period"] = orNull(c.repeatPeriod);
    out["dup_times"] = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(20, c.repeatTimes.size()); ++i)
        out["dup_times"].push_back(rounded(c.repeatTimes[i], 0.001));
    out["longest_freeze_s"] = c.longestFreeze;
    out["freezes"] = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(20, c.freezes.size()); ++i)
        out["freezes"].push_back({rounded(c.freezes[i].first, 0.001), rounded(c.freezes[i].second, 0.001)});
    return out;
}

Json faceJson(const FaceMeasures& face)
{
    Json out;
    out["face_frac"] = face.foundFraction;
    out["roi"] = {face.region.x, face.region.y, face.region.width, face.region.height};
    if (face.longestLoss > 0)
        out["longest_loss_s"] = face.longestLoss;
    if (face.measured) {
        out["iod_px"] = face.eyeDistance;
        out["pose_mean"] = {rounded(face.meanPose[0], 0.1), rounded(face.meanPose[1], 0.1), rounded(face.meanPose[2], 0.1)};
        out["mesh_residual"] = face.residual;
    }
    if (face.weakBackground)
        out["background_weak"] = true;
    return out;
}

Json metricsJson(const Evaluation& e)
{
    Json out = Json::object();
    for (const auto& [name, value] : e.metrics)
        std::visit(
            [&, key = &name](const auto& v) {
                if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                    out[*key] = nullptr;
                else
                    out[*key] = v;
            },
            value);
    return out;
}

// How far the face is from the reference, over time: drift shows as a slope, another person above 0.6.
Json identityJson(const Curves& curves)
{
    Json out;
    out["t"] = Json::array();
    out["distance"] = Json::array();
    for (std::size_t i = 0; i < curves.identityTimes.size(); ++i) {
        out["t"].push_back(rounded(curves.identityTimes[i], 0.001));
        out["distance"].push_back(rounded(curves.identityDistance[i], 0.0001));
    }
    return out;
}

Json scorecardJson(const Scorecard& card)
{
    Json out;
    out["rows"] = Json::array();
    for (const ScoreRow& row : card.rows)
        // clang-format off
        out["rows"].push_back({{"metric", row.metric}, {"value", orNull(row.value)}, {"lo", orNull(row.low)},
                               {"hi", orNull(row.high)}, {"verdict", row.verdict}, {"group", row.group}});
        // clang-format on
    out["inside"] = card.inside;
    out["total"] = card.total;
    out["share"] = card.total ? Json(static_cast<double>(card.inside) / static_cast<double>(card.total)) : Json(nullptr);
    out["groups"] = Json::object();
    for (const auto& [name, score] : card.groups)
        out["groups"][name] = std::to_string(score.first) + "/" + std::to_string(score.second);
    out["hard_flags"] = card.hardFlags;
    out["verdict"] = card.verdict;
    return out;
}

std::string number(const std::optional<double>& value)
{
    return value ? format("%.4g", *value) : std::string();
}

std::string containerText(const Evaluation& e)
{
    const ContainerMeasures& c = e.container;
    std::string text = format("container  %dx%d %s/%s %s fps, %zu frames, video %.2f s; ", e.facts.width, e.facts.height,
                              e.facts.videoCodec.c_str(), e.facts.pixelFormat.c_str(), e.facts.averageRate.c_str(),
                              c.frames, c.videoSeconds);
    text += e.facts.hasAudio ? format("audio %s %.2f s; end difference %.0f ms; ", e.facts.audioCodec.c_str(),
                                      c.audioSeconds, c.endDifferenceMs.value_or(0))
                             : std::string("no audio; ");
    return text + format("repeated frames %.1f %%; longest freeze %.2f s\n", 100 * c.repeatedFraction, c.longestFreeze);
}

} // namespace

std::string toJson(const Evaluation& e)
{
    Json out;
    out["version"] = "1.0";
    out["video"] = e.name;
    out["container"] = containerJson(e);
    out["sanity"] = {{"black_or_flat_frames", e.container.blackFrames}, {"noise_frames", e.container.noisyFrames}};
    out["face"] = faceJson(e.face);
    if (!e.curves.identityTimes.empty())
        out["identity"] = identityJson(e.curves);
    if (!e.lagCurve.empty()) {
        out["lag_curve"] = Json::array();
        for (const auto& v : e.lagCurve)
            out["lag_curve"].push_back(v ? Json(rounded(*v, 0.0001)) : Json(nullptr));
    }
    out["seams"] = Json::array();
    for (const Seam& s : e.seams)
        out["seams"].push_back({{"t", s.time}, {"kinds", s.kinds}, {"z", s.z}, {"size", s.size}});
    out["drop_suspects"] = Json::array();
    for (const DropSuspect& d : e.dropSuspects)
        out["drop_suspects"].push_back({{"t", rounded(d.time, 0.001)}, {"z", rounded(d.z, 0.1)}, {"ratio", rounded(d.ratio, 0.01)}});
    out["metrics"] = metricsJson(e);
    out["blinks"] = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(100, e.blinks.size()); ++i) {
        const Blink& b = e.blinks[i];
        out["blinks"].push_back({{"t", rounded(b.time, 0.001)}, {"ms", std::lround(1000 * b.seconds)}, {"depth", rounded(b.depth, 0.01)}});
    }
    out["flags"] = Json::array();
    for (const Flag& f : e.flags) {
        Json flag = {{"code", f.code}, {"hard", f.hard}, {"msg", f.message}};
        if (f.time)
            flag["t"] = *f.time;
        out["flags"].push_back(std::move(flag));
    }
    out["scorecard"] = scorecardJson(e.scorecard);
    // Names of files may hold any bytes; JSON may not.
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toText(const Evaluation& e)
{
    std::string text = "== " + e.name + "\n" + containerText(e);
    text += format("face       in %.1f %% of frames, eye distance %.0f px, mean pose %.1f %.1f %.1f degrees\n",
                   100 * e.face.foundFraction, e.face.eyeDistance, e.face.meanPose[0], e.face.meanPose[1], e.face.meanPose[2]);
    const Scorecard& card = e.scorecard;
    if (card.total > 0) {
        text += format("%-26s %10s   %23s  %s\n", "metric", "value", "real people, 10-90 %", "verdict");
        for (const ScoreRow& row : card.rows)
            text += format("%-26s %10s   [%9s, %9s]  %s\n", row.metric.c_str(), row.value ? number(row.value).c_str() : "-",
                           number(row.low).c_str(), number(row.high).c_str(), row.verdict.c_str());
        std::string groups;
        for (const auto& [name, score] : card.groups)
            groups += format("%s%s %zu/%zu", groups.empty() ? "" : ", ", name.c_str(), score.first, score.second);
        text += format("naturalness %zu/%zu in the band of real people (%s); hard flags %zu -> %s\n", card.inside, card.total,
                       groups.c_str(), card.hardFlags, card.verdict.c_str());
    }
    for (const char* name : {"bilabials", "closure_hit", "closure_hit_soft", "closure_chance", "phoneme_gap_r", "phoneme_gap_lag_ms",
                             "gap_r", "gap_slope", "gap_offset", "id_ref_p50", "id_ref_p95", "sharp_vs_ref", "face_dE_ref"})
        if (const auto value = e.metric(name))
            text += format("%-26s %10.4g\n", name, *value);
    for (const Flag& f : e.flags)
        text += std::string(f.hard ? "FLAG " : "note ") + f.code + ": " + f.message + "\n";
    return text;
}

} // namespace loquor::evaluate
