#include "core/portrait/field_solver.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace loquor::portrait {

void buildOperators(ReferenceWork& work)
{
    const Mesh& mesh = work.mesh;
    const int n = mesh.size();
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(mesh.triangles.size() * 12);
    Eigen::VectorXd mass = Eigen::VectorXd::Zero(n);
    for (const auto& t : mesh.triangles) {
        for (int corner = 0; corner < 3; ++corner) {
            const int i = t[static_cast<std::size_t>(corner)];
            const int j = t[static_cast<std::size_t>((corner + 1) % 3)];
            const int k = t[static_cast<std::size_t>((corner + 2) % 3)];
            const Vector2 a =
                mesh.xy[static_cast<std::size_t>(i)] - mesh.xy[static_cast<std::size_t>(k)];
            const Vector2 b =
                mesh.xy[static_cast<std::size_t>(j)] - mesh.xy[static_cast<std::size_t>(k)];
            const double cross = std::abs(a.x() * b.y() - a.y() * b.x());
            // Bounded, so that slivers neither lock nor tear the field.
            const double w = .5 * std::clamp(a.dot(b) / std::max(cross, 1e-6), .02, 20.0);
            entries.emplace_back(i, j, -w);
            entries.emplace_back(j, i, -w);
            entries.emplace_back(i, i, w);
            entries.emplace_back(j, j, w);
            mass[i] += cross / 6;
        }
    }
    work.laplacian.resize(n, n);
    work.laplacian.setFromTriplets(entries.begin(), entries.end());
    const double u = work.u();
    const Eigen::VectorXd inverseMass =
        mass.unaryExpr([&](double m) { return 1.0 / std::max(m, 4.4e-8 * u * u); });
    const SparseMatrix scaled = inverseMass.asDiagonal() * work.laplacian;
    work.blend = SparseMatrix(work.laplacian * scaled) * (.08 * u * .08 * u) + .15 * work.laplacian;

    Eigen::SparseMatrix<double, Eigen::RowMajor> ring = work.laplacian;
    std::vector<Eigen::Triplet<double>> ones;
    for (int i = 0; i < n; ++i) {
        bool self = false;
        int count = 0;
        for (decltype(ring)::InnerIterator it(ring, i); it; ++it) {
            ++count;
            self = self || it.col() == i;
        }
        const double weight = 1.0 / (count + (self ? 0 : 1));
        for (decltype(ring)::InnerIterator it(ring, i); it; ++it)
            ones.emplace_back(i, static_cast<int>(it.col()), weight);
        if (!self)
            ones.emplace_back(i, i, weight);
    }
    Eigen::SparseMatrix<double, Eigen::RowMajor> mean(n, n);
    mean.setFromTriplets(ones.begin(), ones.end());
    work.smoothing = mean * mean;
}

Eigen::VectorXd vertexAreas(const Mesh& mesh)
{
    Eigen::VectorXd area = Eigen::VectorXd::Zero(mesh.size());
    for (const auto& t : mesh.triangles) {
        const Vector2& o = mesh.xy[static_cast<std::size_t>(t[0])];
        const Vector2 a = mesh.xy[static_cast<std::size_t>(t[1])] - o;
        const Vector2 b = mesh.xy[static_cast<std::size_t>(t[2])] - o;
        for (const int v : t)
            area[v] += std::abs(a.x() * b.y() - a.y() * b.x()) / 6;
    }
    return area;
}

Eigen::MatrixXd solveField(const SparseMatrix& A, const Constraints& constraints,
                           const Eigen::VectorXd& pull)
{
    const int n = static_cast<int>(A.rows());
    const auto& known = constraints.known;
    std::vector<int> column(static_cast<std::size_t>(n), -1);
    std::vector<int> unknown;
    for (int i = 0; i < n; ++i)
        if (!known[static_cast<std::size_t>(i)] && A.coeff(i, i) > 0) {
            column[static_cast<std::size_t>(i)] = static_cast<int>(unknown.size());
            unknown.push_back(i);
        }
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, constraints.value.cols());
    for (int i = 0; i < n; ++i)
        if (known[static_cast<std::size_t>(i)])
            out.row(i) = constraints.value.row(i);
    if (unknown.empty())
        return out;
    const int m = static_cast<int>(unknown.size());
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(m, out.cols());
    for (int j = 0; j < n; ++j) {
        const int cj = column[static_cast<std::size_t>(j)];
        const bool fixed = known[static_cast<std::size_t>(j)] != 0;
        const bool zero = fixed && out.row(j).isZero(0);
        if (zero)
            continue;
        if (cj >= 0 && pull.size() > 0) {
            entries.emplace_back(cj, cj, pull[j]);
            right.row(cj) += pull[j] * constraints.value.row(j);
        }
        for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
            const int ci = column[static_cast<std::size_t>(it.row())];
            if (ci < 0)
                continue;
            if (cj >= 0)
                entries.emplace_back(ci, cj, it.value());
            else if (fixed)
                right.row(ci) -= it.value() * out.row(j);
        }
    }
    SparseMatrix inner(m, m);
    inner.setFromTriplets(entries.begin(), entries.end());
    Eigen::SimplicialLDLT<SparseMatrix> factors(inner);
    if (factors.info() != Eigen::Success) {
        // Only a free part without any constraint is singular; a whisper of identity picks its
        // zero.
        SparseMatrix identity(m, m);
        identity.setIdentity();
        factors.compute(SparseMatrix(inner + identity * 1e-9));
    }
    LOQUOR_CHECK(factors.info() == Eigen::Success);
    const Eigen::MatrixXd solved = factors.solve(right);
    for (int k = 0; k < m; ++k)
        out.row(unknown[static_cast<std::size_t>(k)]) = solved.row(k);
    return out;
}

} // namespace loquor::portrait
