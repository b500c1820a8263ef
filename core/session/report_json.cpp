#include "core/session/report_json.h"

#include <cmath>

#include "core/base/json.h"
#include "core/pipeline/face_choice.h"
#include "core/platform/paths.h"

using nlohmann::ordered_json;

namespace loquor::session {

namespace {

std::string dumped(const ordered_json& j)
{
    return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

// Enough digits to compare, few enough to read.
double rounded(double value)
{
    return std::round(value * 1e6) / 1e6;
}

ordered_json toObject(const ChunkReport& chunk)
{
    // clang-format off
    return {{"kind", chunk.kind},     {"index", chunk.index},   {"line", chunk.line},
            {"frames", chunk.frames}, {"cached", chunk.cached}, {"seconds", rounded(chunk.seconds)}};
    // clang-format on
}

ordered_json toObject(const FaceInfo& face)
{
    ordered_json outline = ordered_json::array();
    for (const auto& point : face.outline)
        outline.push_back({rounded(static_cast<double>(point[0])), rounded(static_cast<double>(point[1]))});
    const auto number = [](float value) { return rounded(static_cast<double>(value)); };
    return {{"index", face.index},
            {"box", {number(face.x), number(face.y), number(face.width), number(face.height)}},
            {"eye_distance_px", number(face.eyeDistancePx)},
            {"yaw", number(face.yawDegrees)},
            {"pitch", number(face.pitchDegrees)},
            {"roll", number(face.rollDegrees)},
            {"mouth_open", face.mouthOpen},
            {"outline", outline}};
}

} // namespace

std::string toJson(const RenderReport& report)
{
    ordered_json stages = ordered_json::object();
    for (const auto& [name, cost] : report.stages)
        stages[name] = {{"wall_s", rounded(cost.wallSeconds)},
                        {"cpu_s", rounded(cost.cpuSeconds)},
                        {"count", cost.count}};
    ordered_json chunks = ordered_json::array();
    for (const ChunkReport& chunk : report.chunks)
        chunks.push_back(toObject(chunk));
    const auto givenUp = [](const std::vector<RenderReport::FailedLine>& all) {
        ordered_json out = ordered_json::array();
        for (const RenderReport::FailedLine& one : all)
            out.push_back({{"line", one.line}, {"reason", one.reason}});
        return out;
    };
    return dumped({{"format", 1},
                   {"output", report.output},
                   {"frames", report.frames},
                   {"fps", rounded(report.fps.toDouble())},
                   {"fps_exact", report.fps.toString()},
                   {"width", report.width},
                   {"height", report.height},
                   {"duration_s", rounded(report.durationSeconds)},
                   {"audio_s", rounded(report.audioSeconds)},
                   {"first_frame_s", rounded(report.firstFrameSeconds)},
                   {"total_s", rounded(report.totalSeconds)},
                   {"realtime_factor", rounded(report.realtimeFactor)},
                   {"peak_rss_mb", rounded(report.peakRssMb)},
                   {"engine_cpu_s", rounded(report.engineCpuSeconds)},
                   {"encoder_cpu_s", rounded(report.encoderCpuSeconds)},
                   {"seed", std::to_string(report.seed)},
                   {"pack", report.pack},
                   {"voice", report.voice},
                   {"stages", stages},
                   {"chunks", chunks},
                   {"failed_lines", givenUp(report.failedLines)},
                   {"failed_joins", givenUp(report.failedJoins)},
                   {"stream_copied", report.streamCopied},
                   {"warnings", report.warnings}});
}

std::string toJson(const CheckReport& report)
{
    ordered_json faces = ordered_json::array();
    const std::vector<std::string> places = pipeline::facePlaces(report.faces);
    for (std::size_t i = 0; i < report.faces.size(); ++i) {
        faces.push_back(toObject(report.faces[i]));
        faces.back()["place"] = places[i];
    }
    ordered_json out = {{"file", report.file.string()},
                        {"kind", report.kind},
                        {"usable", report.usable},
                        {"details", report.details},
                        {"width", report.width},
                        {"height", report.height},
                        {"duration_s", rounded(report.durationSeconds)},
                        {"faces", faces},
                        {"problems", report.problems},
                        {"warnings", report.warnings}};
    if (report.bestFrame >= 0) {
        out["best_frame"] = report.bestFrame;
        out["best_frame_s"] = rounded(report.bestFrameSeconds);
    }
    return dumped(out);
}

} // namespace loquor::session
