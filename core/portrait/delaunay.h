// Delaunay triangulation (Qhull). Internal to core/portrait.
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "core/base/error.h"

namespace loquor::portrait {

// Triangles of distinct points, all with positive area in x right, y down (clockwise on screen).
// Slivers below `minimumArea` are left out. Deterministic.
Result<std::vector<std::array<int, 3>>> delaunay(const std::vector<Eigen::Vector2d>& points,
                                                 double minimumArea);

} // namespace loquor::portrait
