// Smooth fields on the cut mesh. Internal to core/portrait.
#pragma once

#include <vector>

#include "core/portrait/reference_work.h"

namespace loquor::portrait {

// Builds laplacian, blend and smoothing of the work from its mesh.
void buildOperators(ReferenceWork& work);

// Values and where they are given; the rest is solved for.
struct Constraints
{
    std::vector<std::uint8_t> known;
    Eigen::MatrixXd value; // vertices x columns; only known rows count

    Constraints(int vertices, int columns)
        : known(static_cast<std::size_t>(vertices), 0),
          value(Eigen::MatrixXd::Zero(vertices, columns))
    {
    }
    void fix(int vertex) { known[static_cast<std::size_t>(vertex)] = 1; }
    void set(int vertex, double v)
    {
        fix(vertex);
        value.row(vertex).setConstant(v);
    }
    template<class Row>
    void setRow(int vertex, const Row& row)
    {
        fix(vertex);
        value.row(vertex) = row;
    }
};

// Minimises x' A x + sum_i pull_i (x_i - value_i)^2 with the known rows fixed; no pull where it is
// empty. Vertices without neighbours become 0.
Eigen::MatrixXd solveField(const SparseMatrix& A, const Constraints& constraints,
                           const Eigen::VectorXd& pull = {});

// A third of the triangles around each vertex, px^2.
Eigen::VectorXd vertexAreas(const Mesh& mesh);

} // namespace loquor::portrait
