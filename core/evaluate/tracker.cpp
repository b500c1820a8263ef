#include "core/evaluate/tracker.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <opencv2/imgproc.hpp>

#include "core/base/check.h"
#include "core/evaluate/face_identity.h"
#include "core/evaluate/face_picture.h"
#include "core/media/image_ops.h"
#include "core/modules/face_networks.h"

namespace loquor::evaluate {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kAnalysedSize = 1280; // longest side
constexpr int kSmallWidth = 192;

Landmarks landmarksOf(const modules::MeshResult& mesh)
{
    Landmarks out;
    std::transform(mesh.points.begin(), mesh.points.end(), out.begin(), [](const modules::MeshPoint& p) {
        return Point3{p.x, p.y, p.z};
    });
    return out;
}

double meanDifference(const cv::Mat& a, const cv::Mat& b)
{
    return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(a.total());
}

double medianOf(const cv::Mat& values)
{
    std::vector<float> all(values.begin<float>(), values.end<float>());
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return (static_cast<double>(*middle) + static_cast<double>(*std::max_element(all.begin(), middle))) / 2;
}

} // namespace

struct Tracker::Impl
{
    TrackerOptions options;
    std::unique_ptr<modules::FaceDetector> detector;
    std::unique_ptr<modules::FaceMesh> mesh;
    std::unique_ptr<FaceIdentity> identity; // null: not installed
    Track track;
    std::size_t identityStep = 1;

    // State of the last frame.
    std::optional<modules::MeshResult> last;
    std::size_t lostFor = 0;
    Image lastPicture;
    cv::Mat lastGrey, lastSmallGrey;
    std::vector<cv::Mat> lastUpper; // of the last two frames
    bool lastHadFace = false;

    Result<std::optional<modules::MeshResult>> findFace(const Image& rgb, const std::optional<Box>& region);
    Result<std::optional<modules::MeshResult>> follow(const Image& rgb);
    void measureWhole(const cv::Mat& rgb, FrameTrack& frame);
    void measureFace(const cv::Mat& rgb, FrameTrack& frame);
};

// Detects, then looks twice: the second look starts from the first one's landmarks.
Result<std::optional<modules::MeshResult>> Tracker::Impl::findFace(const Image& rgb, const std::optional<Box>& region)
{
    LQ_TRY(const auto faces, detector->detect(rgb));
    for (const modules::DetectedFace& face : faces) {
        const float x = face.x + face.width / 2;
        const float y = face.y + face.height / 2;
        if (region && (x < static_cast<float>(region->x) || y < static_cast<float>(region->y) ||
                       x > static_cast<float>(region->x + region->width) || y > static_cast<float>(region->y + region->height)))
            continue;
        LQ_TRY(const auto first, mesh->run(rgb, modules::FaceMesh::regionFromDetection(face)));
        if (first.faceScore < 0.5f)
            continue;
        LQ_TRY(const auto second, mesh->run(rgb, modules::FaceMesh::regionFromMesh(first)));
        if (second.faceScore >= 0.5f)
            return std::optional(second);
    }
    return std::optional<modules::MeshResult>();
}

Result<std::optional<modules::MeshResult>> Tracker::Impl::follow(const Image& rgb)
{
    if (last) {
        LQ_TRY(const auto next, mesh->run(rgb, modules::FaceMesh::regionFromMesh(*last)));
        if (next.faceScore >= 0.5f) {
            lostFor = 0;
            return std::optional(next);
        }
    }
    // A search takes long: it is not repeated for every frame of a long stretch without a face.
    ++lostFor;
    if (lostFor > 5 && lostFor % 8 != 0)
        return std::optional<modules::MeshResult>();
    std::optional<Box> region = options.region;
    if (region)
        for (int* v : {&region->x, &region->y, &region->width, &region->height})
            *v = static_cast<int>(*v * track.scale);
    LQ_TRY(auto found, findFace(rgb, region));
    if (found)
        lostFor = 0;
    return found;
}

void Tracker::Impl::measureWhole(const cv::Mat& rgb, FrameTrack& frame)
{
    SmallPictures& small = track.small;
    cv::Mat picture, grey, edges, lab;
    cv::resize(rgb, picture, cv::Size(small.width, small.height), 0, 0, cv::INTER_AREA);
    cv::cvtColor(picture, grey, cv::COLOR_RGB2GRAY);
    frame.change = lastSmallGrey.empty() ? kNan : meanDifference(grey, lastSmallGrey);
    lastSmallGrey = grey;
    cv::Laplacian(grey, edges, CV_16S);
    frame.detail = cv::norm(edges, cv::NORM_L1) / static_cast<double>(edges.total());
    if (track.frames.size() % small.step == 0) {
        cv::cvtColor(picture, lab, cv::COLOR_RGB2Lab);
        small.frames.emplace_back(lab.datastart, lab.dataend);
    }
}

void Tracker::Impl::measureFace(const cv::Mat& rgb, FrameTrack& frame)
{
    cv::Mat grey;
    cv::cvtColor(rgb, grey, cv::COLOR_RGB2GRAY);
    if (const auto colour = skinColour(rgb, frame.landmarks))
        frame.faceLab = *colour;
    const cv::Rect box = faceBox(frame.landmarks, rgb.size());
    if (lastHadFace && !box.empty())
        frame.faceChange = meanDifference(grey(box), lastGrey(box));
    lastGrey = grey;
    const auto upper = upperFace(grey, frame.landmarks);
    if (!upper)
        return;
    frame.sharpness = sharpnessOf(*upper);
    if (lastUpper.size() == 2) {
        cv::Scalar middle, deviation;
        cv::meanStdDev(*upper, middle, deviation);
        const cv::Mat bend = cv::abs(*upper - 2 * lastUpper[1] + lastUpper[0]);
        frame.boil = medianOf(bend) / (deviation[0] + 5);
        lastUpper.erase(lastUpper.begin());
    }
    lastUpper.push_back(*upper);
}

Tracker::Tracker() : m(std::make_unique<Impl>()) {}
Tracker::~Tracker() = default;

Result<std::unique_ptr<Tracker>> Tracker::create(const TrackerOptions& options)
{
    std::unique_ptr<Tracker> tracker(new Tracker);
    Impl& m = *tracker->m;
    m.options = options;
    LQ_TRY(m.detector, modules::FaceDetector::load(options.faceModels));
    LQ_TRY(m.mesh, modules::FaceMesh::load(options.faceModels));
    auto identity = FaceIdentity::load(options.identityModels);
    if (identity)
        m.identity = std::move(*identity);
    else if (identity.error().code() != ErrorCode::NotFound)
        return fail(std::move(identity).error());
    const double seconds = static_cast<double>(options.expectedFrames) / options.fps;
    const double every = std::max(seconds < 6 ? 0.5 : 1.0, seconds / 90);
    m.identityStep = static_cast<std::size_t>(std::max(1.0, std::round(options.fps * every)));
    m.track.small.step = options.expectedFrames / 3000 + 1;
    return tracker;
}

Result<void> Tracker::add(const Image& frame)
{
    LOQUOR_CHECK(frame.channels == 3 && !frame.isEmpty(), "the tracker looks at RGB frames");
    Track& track = m->track;
    if (track.frames.empty()) {
        track.scale = std::min(1.0, static_cast<double>(kAnalysedSize) / std::max(frame.width, frame.height));
        const auto even = [&](int v) { return track.scale == 1 ? v : std::max(2, static_cast<int>(v * track.scale) / 2 * 2); };
        track.width = even(frame.width);
        track.height = even(frame.height);
        track.small.width = kSmallWidth;
        track.small.height = std::max(2, static_cast<int>(std::lround(static_cast<double>(track.height) * kSmallWidth / track.width)));
    }
    Image picture = track.scale == 1 ? frame : media::scaledDown(frame, track.width, track.height);
    if (picture.width != track.width || picture.height != track.height)
        return fail(ErrorCode::Unsupported, "the size of the picture changes within the video");
    FrameTrack out;
    out.faceLab = {kNan, kNan, kNan};
    out.faceChange = out.sharpness = out.boil = kNan;
    const cv::Mat rgb = viewOf(picture);
    out.identical = picture.data == m->lastPicture.data;
    m->measureWhole(rgb, out);
    LQ_TRY(m->last, m->follow(picture));
    out.found = m->last.has_value();
    if (out.found) {
        out.landmarks = landmarksOf(*m->last);
        m->measureFace(rgb, out);
        if (m->identity && track.frames.size() % m->identityStep == 0)
            track.identities.push_back({track.frames.size(), m->identity->embed(picture, identityBox(out.landmarks))});
    } else {
        m->lastUpper.clear();
    }
    m->lastHadFace = out.found;
    m->lastPicture = std::move(picture);
    track.frames.push_back(out);
    return {};
}

Track Tracker::take()
{
    return std::move(m->track);
}

Result<ReferenceFace> Tracker::measureReference(const Image& photo)
{
    const auto size = media::fittingSize(photo.width, photo.height, kAnalysedSize, kAnalysedSize);
    const Image picture = size.width < photo.width ? media::scaledDown(photo, size.width, size.height) : photo;
    LQ_TRY(const auto mesh, m->findFace(picture, std::nullopt));
    ReferenceFace out;
    if (!mesh)
        return out;
    const Landmarks face = landmarksOf(*mesh);
    const cv::Mat rgb = viewOf(picture);
    cv::Mat grey;
    cv::cvtColor(rgb, grey, cv::COLOR_RGB2GRAY);
    const auto colour = skinColour(rgb, face);
    const auto upper = upperFace(grey, face);
    if (!colour || !upper)
        return out;
    out.found = true;
    out.lab = *colour;
    out.sharpness = sharpnessOf(*upper);
    if (m->identity) {
        out.hasEmbedding = true;
        out.embedding = m->identity->embed(picture, identityBox(face));
    }
    return out;
}

bool Tracker::measuresIdentity() const
{
    return m->identity != nullptr;
}

} // namespace loquor::evaluate
