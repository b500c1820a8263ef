#include "core/portrait/delaunay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace loquor::portrait {

namespace {

// Qhull's state and its message file, freed whatever happens. Qhull reports through a FILE only.
class Hull
{
public:
    Hull() : m_messages(std::tmpfile()) { qh_zero(&m_state, m_messages ? m_messages : stderr); }
    ~Hull()
    {
        qh_freeqhull(&m_state, !qh_ALL);
        int longs = 0;
        int total = 0;
        qh_memfreeshort(&m_state, &longs, &total);
        if (m_messages)
            std::fclose(m_messages);
    }
    Hull(const Hull&) = delete;
    Hull& operator=(const Hull&) = delete;

    qhT* state() { return &m_state; }
    FILE* messages() { return m_messages; }

private:
    qhT m_state{};
    FILE* m_messages;
};

} // namespace

Result<std::vector<std::array<int, 3>>> delaunay(const std::vector<Eigen::Vector2d>& points,
                                                 double minimumArea)
{
    std::vector<coordT> coordinates;
    coordinates.reserve(points.size() * 2);
    for (const Eigen::Vector2d& p : points) {
        coordinates.push_back(p.x());
        coordinates.push_back(p.y());
    }
    Hull hull;
    if (!hull.messages())
        return fail(ErrorCode::Internal, "No temporary file for the triangulation could be made.");
    char options[] = "qhull d Qbb Qc Qt Q12";
    const int code =
        qh_new_qhull(hull.state(), 2, static_cast<int>(points.size()), coordinates.data(), False,
                     options, hull.messages(), hull.messages());
    if (code != 0)
        return fail(ErrorCode::InvalidArgument,
                    "The face mesh cannot be triangulated; the landmarks are degenerate.");
    std::vector<std::array<int, 3>> triangles;
    qhT* qh = hull.state(); // the name the macros of Qhull expect
    facetT* facet = nullptr;
    FORALLfacets
    {
        if (facet->upperdelaunay)
            continue;
        std::array<int, 3> t{};
        int count = 0;
        vertexT* vertex = nullptr;
        vertexT** vertexp = nullptr;
        FOREACHvertex_(facet->vertices)
        {
            if (count < 3)
                t[static_cast<std::size_t>(count)] = qh_pointid(qh, vertex->point);
            ++count;
        }
        if (count != 3)
            continue;
        const auto at = [&](int i) {
            return points[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
        };
        const Eigen::Vector2d e1 = at(1) - at(0);
        const Eigen::Vector2d e2 = at(2) - at(0);
        const double area = .5 * (e1.x() * e2.y() - e1.y() * e2.x());
        if (std::abs(area) < minimumArea)
            continue;
        if (area < 0)
            std::swap(t[1], t[2]);
        triangles.push_back(t);
    }
    return triangles;
}

} // namespace loquor::portrait
