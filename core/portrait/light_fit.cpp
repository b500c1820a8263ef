// Normals at rest and the light of the photo: I ~ c0 (1 + l . n), fitted on the skin.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

std::vector<Vector3> smoothNormals(const ReferenceWork& work)
{
    const Mesh& mesh = work.mesh;
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(mesh.size(), 3);
    for (const auto& t : mesh.triangles) {
        // Triangles have positive area with y down, so the cross product looks away from the
        // viewer.
        const Vector3 n =
            (mesh.image(t[1]) - mesh.image(t[0])).cross(mesh.image(t[2]) - mesh.image(t[0]));
        for (const int v : t)
            sum.row(v) -= n.transpose();
    }
    sum = work.smoothing * sum;
    std::vector<Vector3> out;
    for (int v = 0; v < mesh.size(); ++v) {
        const Vector3 n = sum.row(v).transpose();
        out.push_back(n.norm() > 1e-12 ? Vector3(n.normalized()) : Vector3(0, 0, -1));
    }
    return out;
}

} // namespace

void fitLight(ReferenceWork& work)
{
    work.normals = smoothNormals(work);
    for (const Vector3& n : work.normals)
        for (int c = 0; c < 3; ++c)
            work.model.normals0.push_back(static_cast<float>(n[c]));

    std::set<int> skip;
    const auto leaveOut = [&](const auto& list) { skip.insert(list.begin(), list.end()); };
    leaveOut(landmark::kUpperInner);
    leaveOut(landmark::kLowerInner);
    leaveOut(landmark::kUpperOuter);
    leaveOut(landmark::kLowerOuter);
    for (std::size_t e = 0; e < 2; ++e) {
        leaveOut(landmark::kUpperLid[e]);
        leaveOut(landmark::kLowerLid[e]);
    }
    const cv::Mat soft = ops::blur(work.gray, .02 * work.u());
    std::vector<int> vertices;
    for (int l = 0; l < 468; ++l)
        if (skip.count(l) == 0)
            vertices.push_back(work.mesh.landmark[static_cast<std::size_t>(l)]);
    const auto n = static_cast<Eigen::Index>(vertices.size());
    Eigen::MatrixXd basis(n, 4);
    Eigen::VectorXd luminance(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto v = static_cast<std::size_t>(vertices[static_cast<std::size_t>(i)]);
        basis.row(i) << 1, work.normals[v].transpose();
        luminance[i] = ops::sample1(soft, work.mesh.xy[v].x(), work.mesh.xy[v].y());
    }
    Eigen::VectorXd weight = Eigen::VectorXd::Ones(n);
    Eigen::Vector4d fit = Eigen::Vector4d::Zero();
    const Eigen::Matrix4d ridge = Eigen::Vector4d(.1, 2, 2, 2).asDiagonal();
    for (int round = 0; round < 8; ++round) {
        const Eigen::MatrixXd weighted = weight.asDiagonal() * basis;
        fit = (weighted.transpose() * basis + ridge).ldlt().solve(weighted.transpose() * luminance);
        const Eigen::VectorXd residual = (luminance - basis * fit).cwiseAbs();
        std::vector<float> sizes;
        for (const double r : residual)
            sizes.push_back(static_cast<float>(r));
        const double scale = .5 * ops::median(std::move(sizes)) + 1;
        weight = residual.unaryExpr([&](double r) { return 1 / (1 + (r / scale) * (r / scale)); });
    }
    for (int c = 0; c < 3; ++c)
        work.model.light[static_cast<std::size_t>(c)] =
            std::abs(fit[0]) > 1e-3 ? static_cast<float>(fit[c + 1] / fit[0]) : 0.f;
}

} // namespace loquor::portrait
