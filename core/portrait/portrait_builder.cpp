#include "core/portrait/portrait_builder.h"

#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

std::vector<cv::Point2f> ReferenceWork::outline(const std::vector<int>& upper,
                                                const std::vector<int>& lower) const
{
    std::vector<cv::Point2f> out;
    const auto push = [&](int v) {
        const Vector2& p = mesh.xy[static_cast<std::size_t>(v)];
        out.emplace_back(static_cast<float>(p.x()), static_cast<float>(p.y()));
    };
    for (const int v : upper)
        push(v);
    for (auto it = lower.rbegin(); it != lower.rend(); ++it)
        push(*it);
    return out;
}

Eigen::MatrixXd catmullRom(int knots, int subSteps)
{
    const std::vector<float> weights = catmullRomWeights(knots, subSteps);
    const auto rows = static_cast<Eigen::Index>(weights.size()) / knots;
    Eigen::MatrixXd out(rows, knots);
    for (Eigen::Index r = 0; r < rows; ++r)
        for (Eigen::Index c = 0; c < knots; ++c)
            out(r, c) = static_cast<double>(weights[static_cast<std::size_t>(r * knots + c)]);
    return out;
}

namespace {

constexpr double kSmallestU = 6;       // px; below this the contours fall into single pixels
constexpr double kLargestOutside = .3; // u the face's features may stand outside the canvas

Error badLandmarks(const std::string& why)
{
    return Error(ErrorCode::InvalidArgument,
                 "The face cannot be used: " + why + ". Choose a photo that shows the whole face.");
}

Result<void> checkInput(const FaceObservation& face)
{
    const Image& canvas = face.canvas;
    if (canvas.channels != 3 || canvas.width < 16 || canvas.height < 16)
        return fail(ErrorCode::InvalidArgument,
                    "The canvas must be an RGB picture of at least 16x16 px.");
    const Image& mask = face.personMask;
    if (mask.channels != 1 || mask.isEmpty())
        return fail(ErrorCode::InvalidArgument,
                    "The person mask must be a picture with one channel.");
    for (const Point3& p : face.landmarks)
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
            return fail(badLandmarks("a landmark is not a number"));
    return {};
}

// Axes from features that keep their directions whatever the face does.
Result<HeadFrame> findHeadFrame(const ReferenceWork& work)
{
    const auto& lm = work.lm;
    HeadFrame frame;
    frame.u = (lm[landmark::kOuterEyeLeft] - lm[landmark::kOuterEyeRight]).norm();
    if (!(frame.u >= kSmallestU))
        return fail(badLandmarks("the eyes are nearer than 6 px to each other"));
    constexpr std::array<std::array<std::size_t, 2>, 5> kAcross{
        {{263, 33}, {454, 234}, {291, 61}, {300, 70}, {397, 172}}};
    Vector3 ex = Vector3::Zero();
    for (const auto& [left, right] : kAcross) {
        const Vector3 d = lm[left] - lm[right];
        if (d.norm() < .05 * frame.u)
            return fail(badLandmarks("its features coincide"));
        ex += d.normalized();
    }
    Vector3 ey = lm[landmark::kChin] - lm[landmark::kForehead];
    if (ex.norm() < 1 || ey.norm() < .5 * frame.u)
        return fail(badLandmarks("its features coincide"));
    ex.normalize();
    ey -= ex * ey.dot(ex);
    ey.normalize();
    const Vector3 ez = ex.cross(ey);
    if (!(ez.z() > .5))
        return fail(badLandmarks("it is turned too far away from the camera"));
    frame.R.col(0) = ex;
    frame.R.col(1) = ey;
    frame.R.col(2) = ez;
    frame.origin = (lm[landmark::kUpperLipCenter] + lm[landmark::kLowerLipCenter]) / 2;
    return frame;
}

Result<void> checkInside(const ReferenceWork& work)
{
    const double slack = kLargestOutside * work.u();
    for (const int l : {33, 263, 61, 291, 4, 13, 14, 152}) {
        const Vector2 p = work.point(l);
        if (p.x() < -slack || p.y() < -slack || p.x() > work.rgb.cols + slack ||
            p.y() > work.rgb.rows + slack)
            return fail(badLandmarks("part of it lies outside the picture"));
    }
    return {};
}

Vec3 toVec3(const Vector3& v)
{
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

void storeMesh(const ReferenceWork& work)
{
    PortraitModel& model = work.model;
    const Mesh& mesh = work.mesh;
    for (int v = 0; v < mesh.size(); ++v) {
        const Vector3 p = mesh.image(v);
        const Vec3 image = toVec3(p);
        const Vec3 head = toVec3(mesh.head[static_cast<std::size_t>(v)]);
        model.restXY.insert(model.restXY.end(), {image[0], image[1]});
        model.restX0.insert(model.restX0.end(), image.begin(), image.end());
        model.restXH.insert(model.restXH.end(), head.begin(), head.end());
    }
    for (const auto& t : mesh.triangles)
        model.triangles.insert(model.triangles.end(), t.begin(), t.end());
    model.upperInner = mesh.upperInner;
    model.lowerInner = mesh.lowerInner;
    model.landmarkVertex = mesh.landmark;
    model.openMouth = work.open;
    model.smoothStart.push_back(0);
    for (int v = 0; v < mesh.size(); ++v) {
        for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(work.smoothing, v); it;
             ++it) {
            model.smoothIndex.push_back(static_cast<std::int32_t>(it.col()));
            model.smoothWeight.push_back(static_cast<float>(it.value()));
        }
        model.smoothStart.push_back(static_cast<std::int32_t>(model.smoothIndex.size()));
    }
}

void storeFrameAndLips(const ReferenceWork& work)
{
    PortraitModel& model = work.model;
    model.u = static_cast<float>(work.u());
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            model.R[static_cast<std::size_t>(3 * r + c)] = static_cast<float>(work.frame.R(r, c));
    model.M0 = toVec3(work.frame.origin);
    for (std::size_t contour = 0; contour < 4; ++contour)
        for (std::size_t k = 0; k < kLipKnots; ++k) {
            model.refContour[contour][k] = toVec3(work.refLips[contour][k]);
            model.neutralContour[contour][k] = toVec3(work.neutralLips[contour][k]);
        }
}

void storeLayer(const ReferenceWork& work)
{
    std::vector<cv::Mat> channels;
    cv::split(work.layerRgb, channels);
    channels.push_back(work.layerAlpha);
    cv::Mat layer;
    cv::merge(channels, layer);
    work.model.layer = ops::toImage(layer);
}

void addNotes(const ReferenceWork& work)
{
    PortraitModel& model = work.model;
    if (model.openMouth)
        model.notes.push_back(
            "The photo shows parted lips: they are closed for speech, and rounded "
            "vowels may look pinched. A photo with closed lips gives the best result.");
    if (model.glasses)
        model.notes.push_back(
            "Glasses were found: brows and lids move less, so that the frame stays rigid.");
    for (const EyeModel& eye : model.eyes)
        if (eye.gazeLimit < 1) {
            model.notes.push_back("The eyes are narrow or in shadow: gaze moves less.");
            break;
        }
}

} // namespace

Result<PortraitModelPtr> buildPortrait(const FaceObservation& face, const CancelToken& cancel)
{
    LQ_CHECKED(checkInput(face));
    auto model = std::make_shared<PortraitModel>();
    ReferenceWork work(face, *model);
    work.rgb = ops::view(face.canvas);
    work.rgbF = ops::toFloat(work.rgb);
    cv::cvtColor(work.rgbF, work.gray, cv::COLOR_RGB2GRAY);
    for (std::size_t i = 0; i < work.lm.size(); ++i)
        work.lm[i] = Vector3(face.landmarks[i].x, face.landmarks[i].y, face.landmarks[i].z);
    LQ_TRY(work.frame, findHeadFrame(work));
    LQ_CHECKED(checkInside(work));
    model->width = face.canvas.width;
    model->height = face.canvas.height;
    model->photoScale = face.scale;
    model->landmarks = face.landmarks;
    model->canvas = face.canvas;
    model->notes = face.notes;

    LQ_CHECKED(makeMesh(work));
    using Step = void (*)(ReferenceWork&);
    for (const Step step : {makeMatteAndPlate, findTeeth, makeNeutralLips, findGlasses, cleanPhoto,
                            makeLidTexture, makeWrinkles, makeFields, fitLight, makeEyes, makeMouth}) {
        if (cancel.isCancelled())
            return cancelled();
        step(work);
    }
    storeMesh(work);
    storeFrameAndLips(work);
    storeLayer(work);
    addNotes(work);
    return PortraitModelPtr(std::move(model));
}

} // namespace loquor::portrait
