#include "core/evaluate/alignment.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <opencv2/core.hpp>

#include "core/base/check.h"
#include "core/evaluate/face_points.h"

namespace loquor::evaluate {

namespace {

using Matrix = cv::Matx33d;
using Vector = cv::Vec3d;
using Rigid = std::array<Vector, kRigidPoints.size()>;

Vector vector(const Point3& p)
{
    return {p[0], p[1], p[2]};
}

Vector centreOf(const Rigid& points)
{
    Vector sum{};
    for (const Vector& p : points)
        sum += p;
    return sum / static_cast<double>(points.size());
}

Rigid rigidPoints(const Landmarks& face)
{
    Rigid out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = vector(face[static_cast<std::size_t>(kRigidPoints[i])]);
    return out;
}

Rigid centred(Rigid points)
{
    const Vector centre = centreOf(points);
    for (Vector& p : points)
        p -= centre;
    return points;
}

// Rotation and scale that take `from` closest to `to` (Kabsch); both centred.
std::pair<Matrix, double> similarity(const Rigid& from, const Rigid& to)
{
    Matrix covariance = Matrix::zeros();
    double size = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        covariance += to[i] * from[i].t();
        size += from[i].dot(from[i]);
    }
    cv::Vec3d s;
    Matrix u, vt;
    cv::SVD::compute(covariance, s, u, vt);
    const double sign = cv::determinant(u * vt) < 0 ? -1 : 1;
    const Matrix rotation = u * Matrix::diag({1, 1, sign}) * vt;
    return {rotation, (s[0] + s[1] + sign * s[2]) / size};
}

Landmarks medianFace(const std::vector<Landmarks>& frames, std::size_t samples)
{
    samples = std::min(samples, frames.size());
    Landmarks out;
    Series values(samples);
    for (std::size_t p = 0; p < kLandmarks; ++p)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t i = 0; i < samples; ++i) {
                const double at = samples > 1 ? static_cast<double>(i) * static_cast<double>(frames.size() - 1) /
                                                    static_cast<double>(samples - 1)
                                              : 0;
                values[i] = frames[static_cast<std::size_t>(at)][p][axis];
            }
            out[p][axis] = median(values);
        }
    return out;
}

// The clip's mean face: rigid points, centred, eye distance 1.
Rigid meanRigid(const std::vector<Landmarks>& frames)
{
    Rigid face = centred(rigidPoints(medianFace(frames, 60)));
    const std::size_t samples = std::min<std::size_t>(frames.size(), 100);
    for (int round = 0; round < 2; ++round) {
        Rigid sum{};
        for (std::size_t i = 0; i < samples; ++i) {
            const std::size_t at = samples > 1 ? i * (frames.size() - 1) / (samples - 1) : 0;
            const Rigid frame = centred(rigidPoints(frames[at]));
            const auto [rotation, scale] = similarity(frame, face);
            for (std::size_t k = 0; k < frame.size(); ++k)
                sum[k] += scale * (rotation * frame[k]);
        }
        for (std::size_t k = 0; k < face.size(); ++k)
            face[k] = sum[k] / static_cast<double>(samples);
    }
    const auto position = [](int point) {
        return static_cast<std::size_t>(std::find(kRigidPoints.begin(), kRigidPoints.end(), point) - kRigidPoints.begin());
    };
    const double eyes = cv::norm(face[position(263)] - face[position(33)]);
    for (Vector& p : face)
        p /= eyes;
    return face;
}

// Rows: to the right, up, out of the face.
Matrix faceAxes(const Landmarks& face)
{
    Vector right = vector(face[263]) - vector(face[33]);
    right /= cv::norm(right);
    Vector up = vector(face[10]) - (vector(face[33]) + vector(face[263])) / 2;
    up -= right * up.dot(right);
    up /= cv::norm(up);
    const Vector out = right.cross(up);
    return {right[0], right[1], right[2], up[0], up[1], up[2], out[0], out[1], out[2]};
}

// Yaw, pitch, roll in degrees.
std::array<double, 3> anglesOf(const Matrix& q)
{
    const auto degrees = [](double v) { return v * 180 / std::numbers::pi; };
    return {degrees(std::asin(std::clamp(q(0, 2), -1.0, 1.0))), degrees(std::atan2(-q(1, 2), q(2, 2))),
            degrees(std::atan2(-q(0, 1), q(0, 0)))};
}

} // namespace

Alignment alignRigid(const std::vector<Landmarks>& frames)
{
    LOQUOR_CHECK(!frames.empty(), "alignment needs frames");
    const Rigid face = meanRigid(frames);
    Alignment out;
    std::vector<Matrix> rotations;
    std::array<Series, 2> centres;
    for (const Landmarks& frame : frames) {
        const Rigid points = rigidPoints(frame);
        const Vector centre = centreOf(points);
        const Rigid local = centred(points);
        const auto [rotation, scale] = similarity(local, face);
        double error = 0;
        for (std::size_t k = 0; k < face.size(); ++k) {
            const Vector d = scale * (rotation * local[k]) - face[k];
            error += d.dot(d);
        }
        Landmarks aligned;
        for (std::size_t p = 0; p < kLandmarks; ++p) {
            const Vector v = scale * (rotation * (vector(frame[p]) - centre));
            aligned[p] = {v[0], v[1], v[2]};
        }
        out.points.push_back(aligned);
        out.residual.push_back(std::sqrt(error / static_cast<double>(face.size())));
        out.scale.push_back(scale);
        rotations.push_back(rotation);
        centres[0].push_back(centre[0]);
        centres[1].push_back(centre[1]);
    }
    const Matrix axes = faceAxes(medianFace(out.points, out.points.size()));
    for (Landmarks& frame : out.points)
        for (Point3& p : frame) {
            const Vector v = axes * vector(p);
            p = {v[0], v[1], v[2]};
        }
    for (const Matrix& rotation : rotations) {
        const auto angles = anglesOf(axes * rotation.t() * axes.t());
        for (std::size_t k = 0; k < 3; ++k)
            out.angles[k].push_back(angles[k]);
    }
    const double size = median(out.scale);
    for (std::size_t k = 0; k < 2; ++k)
        for (const double c : centres[k])
            out.shift[k].push_back(c * size);
    out.meanPose = anglesOf(Matrix::diag({1, -1, -1}) * axes.t());
    return out;
}

} // namespace loquor::evaluate
