#include "core/stages/reference_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/media/image_loader.h"
#include "core/media/video_reader.h"
#include "core/platform/paths.h"
#include "core/stages/face_measures.h"

namespace loquor::stages {

using portrait::Landmarks;

namespace {

constexpr int kCandidates = 8;        // frames of a clip that are looked at
constexpr double kSearchSeconds = 60; // from its start

// Detail inside the face: mean absolute Laplacian of the green channel, which blur lowers.
double sharpnessOf(const Image& image, const Landmarks& face)
{
    const auto [left, right] = std::minmax({face[234].x, face[454].x});
    const auto [top, bottom] = std::minmax({face[10].y, face[152].y});
    const int x0 = std::max(1, static_cast<int>(left)), x1 = std::min(image.width - 1, static_cast<int>(right));
    const int y0 = std::max(1, static_cast<int>(top)), y1 = std::min(image.height - 1, static_cast<int>(bottom));
    double sum = 0;
    std::int64_t count = 0;
    for (int y = y0; y < y1; ++y) {
        const std::uint8_t *up = image.row(y - 1), *row = image.row(y), *down = image.row(y + 1);
        for (int x = x0; x < x1; ++x, ++count) {
            const int i = 3 * x + 1;
            sum += std::abs(4 * row[i] - row[i - 3] - row[i + 3] - up[i] - down[i]);
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

struct Candidate
{
    double seconds = 0, sharpness = 0;
    FaceMeasures measures;
};

// Looks at frames spread over the clip; frames without a face are passed over.
Result<std::vector<Candidate>> lookThrough(media::VideoReader& reader, FaceAnalysis& analysis,
                                           const CancelToken& cancel)
{
    const double length = std::min(kSearchSeconds, std::max(0.0, reader.facts().durationSeconds));
    std::vector<Candidate> out;
    for (int i = 0; i < kCandidates; ++i) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const media::TimedFrame frame, reader.frameAt(length * (i + .5) / kCandidates));
        const bool again = !out.empty() && std::abs(out.back().seconds - frame.seconds()) < 1e-9;
        if (again) // a clip with fewer frames
            continue;
        LQ_TRY(const std::vector<Landmarks> faces, analysis.findFaces(frame.image, cancel));
        if (!faces.empty())
            out.push_back({frame.seconds(), sharpnessOf(frame.image, faces[0]), measureFace(faces[0])});
    }
    return out;
}

const Candidate& best(const std::vector<Candidate>& candidates)
{
    double sharpest = 0;
    for (const Candidate& one : candidates)
        sharpest = std::max(sharpest, one.sharpness);
    return *std::max_element(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        return suitability(a.measures, a.sharpness, sharpest) < suitability(b.measures, b.sharpness, sharpest);
    });
}

Result<ReferencePicture> readClip(const std::filesystem::path& file, FaceAnalysis& analysis,
                                  const CancelToken& cancel)
{
    LQ_TRY(media::VideoReader reader, media::VideoReader::open(file));
    LQ_TRY(const std::vector<Candidate> candidates, lookThrough(reader, analysis, cancel));
    if (candidates.empty())
        return fail(ErrorCode::NoFace, "No face was found in the clip " + platform::quotedPath(file) +
                                           ". Use one that shows a person from the front.");
    const media::VideoFacts& facts = reader.facts();
    ReferencePicture out;
    out.kind = "video";
    out.details = facts.codec + ", " + facts.frameRate.toString() + " frames a second";
    out.fileWidth = facts.width;
    out.fileHeight = facts.height;
    out.seconds = facts.durationSeconds;
    out.frameSeconds = best(candidates).seconds;
    out.frame = static_cast<int>(std::lround(out.frameSeconds * std::max(1.0, facts.frameRate.toDouble())));
    LQ_TRY(media::TimedFrame frame, reader.frameAt(out.frameSeconds));
    out.image = std::move(frame.image);
    out.warnings = reader.warnings();
    char text[160];
    std::snprintf(text, sizeof text, "The clip is used as a photo: its frame %d (at %.2f s) suits best.", out.frame,
                  out.frameSeconds);
    out.warnings.emplace_back(text);
    LQ_TRY(out.faces, analysis.findFaces(out.image, cancel));
    return out;
}

Result<ReferencePicture> fromPhoto(media::LoadedImage loaded, FaceAnalysis& analysis, const CancelToken& cancel)
{
    ReferencePicture out;
    out.kind = "image";
    out.details = loaded.info.describe();
    out.fileWidth = loaded.info.width;
    out.fileHeight = loaded.info.height;
    out.warnings = std::move(loaded.info.warnings);
    out.image = std::move(loaded.image);
    LQ_TRY(out.faces, analysis.findFaces(out.image, cancel));
    return out;
}

} // namespace

Result<ReferencePicture> readReference(const std::filesystem::path& file, FaceAnalysis& analysis,
                                       const CancelToken& cancel)
{
    auto loaded = media::loadImage(file);
    if (loaded)
        return fromPhoto(std::move(*loaded), analysis, cancel);
    if (loaded.error().code() != ErrorCode::Unsupported)
        return fail(std::move(loaded).error());
    return readClip(file, analysis, cancel);
}

} // namespace loquor::stages
