// The cut mesh: contours, landmarks, hexagonal grids, Delaunay, slit or hole at the mouth, depth.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/base/random.h"
#include "core/portrait/delaunay.h"
#include "core/portrait/field_solver.h"
#include "core/portrait/head_depth.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr double kClosedGap = .022;      // lips nearer than this (u) count as closed
constexpr double kMaybeClosedGap = .040; // up to this they do when no teeth show: the landmarks of
                                         // a closed smile stand this far apart
constexpr double kAliasDistance = .012;
constexpr int kLipSteps = 4;
constexpr int kLidSteps = 3;
constexpr int kOvalSteps = 3;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

double signedDistance(const std::vector<cv::Point2f>& polygon, const Vector2& p)
{
    return cv::pointPolygonTest(
        polygon, cv::Point2f(static_cast<float>(p.x()), static_cast<float>(p.y())), true);
}

bool isInside(const std::vector<cv::Point2f>& polygon, const Vector2& p)
{
    return cv::pointPolygonTest(polygon,
                                cv::Point2f(static_cast<float>(p.x()), static_cast<float>(p.y())),
                                false) >= 0;
}

// Nearest-point queries among points that are added one after the other.
class PointGrid
{
public:
    explicit PointGrid(double cell) : m_cell(cell) {}

    void add(const Vector2& p, int index) { m_cells[key(p)].push_back({p, index}); }

    // Index of the nearest point closer than `radius`, else -1.
    int nearest(const Vector2& p, double radius, double* distance = nullptr) const
    {
        const auto reach = static_cast<int>(std::ceil(radius / m_cell));
        double best = radius;
        int found = -1;
        const auto [cx, cy] = cellOf(p);
        for (int y = cy - reach; y <= cy + reach; ++y)
            for (int x = cx - reach; x <= cx + reach; ++x) {
                const auto it = m_cells.find(pack(x, y));
                if (it == m_cells.end())
                    continue;
                for (const Entry& e : it->second)
                    if (const double d = (e.point - p).norm(); d < best) {
                        best = d;
                        found = e.index;
                    }
            }
        if (distance)
            *distance = best;
        return found;
    }

private:
    struct Entry
    {
        Vector2 point;
        int index;
    };
    std::pair<int, int> cellOf(const Vector2& p) const
    {
        return {static_cast<int>(std::floor(p.x() / m_cell)),
                static_cast<int>(std::floor(p.y() / m_cell))};
    }
    static std::int64_t pack(int x, int y) { return static_cast<std::int64_t>(y) * 2000003 + x; }
    std::int64_t key(const Vector2& p) const
    {
        const auto [x, y] = cellOf(p);
        return pack(x, y);
    }

    double m_cell;
    std::unordered_map<std::int64_t, std::vector<Entry>> m_cells;
};

// Collects vertices, then makes the triangles.
class MeshBuilder
{
public:
    explicit MeshBuilder(ReferenceWork& work)
        : m_work(work), m_mesh(work.mesh), m_grid(.05 * work.u()), m_random(0x6d657368)
    {
    }

    Result<void> build();

private:
    int add(const Vector3& p);
    std::vector<int> addCurve(const std::vector<Vector3>& curve);
    std::vector<int> addLower(const std::vector<Vector3>& curve, const std::vector<int>& upper);
    std::vector<Vector3> resample(const std::vector<Vector3>& knots, int steps) const;
    template<class List>
    std::vector<Vector3> landmarks(const List& list) const;

    void addLips();
    void snapSeam(std::vector<Vector3>& seam) const;
    bool teethShow(const std::vector<Vector3>& upper, const std::vector<Vector3>& lower) const;
    void addLids();
    void addOval();
    void addOtherLandmarks();
    void addGrids();
    void addHexGrid(const Vector2& lo, const Vector2& hi, double spacing);
    bool inHole(const Vector2& p, double margin) const;
    Result<void> triangulate();
    void cutSlit(const std::vector<Vector2>& centroids);

    ReferenceWork& m_work;
    Mesh& m_mesh;
    PointGrid m_grid;
    Random m_random;
    std::vector<std::vector<cv::Point2f>> m_holes; // eyes, then the open mouth
    std::set<int> m_used;
};

int MeshBuilder::add(const Vector3& p)
{
    const int index = m_mesh.size();
    m_mesh.xy.push_back(p.head<2>());
    m_mesh.z.push_back(p.z());
    m_grid.add(p.head<2>(), index);
    return index;
}

std::vector<int> MeshBuilder::addCurve(const std::vector<Vector3>& curve)
{
    std::vector<int> out;
    for (const Vector3& p : curve)
        out.push_back(add(p));
    return out;
}

// The lower curve of a pair: the ends are the upper one's.
std::vector<int> MeshBuilder::addLower(const std::vector<Vector3>& curve,
                                       const std::vector<int>& upper)
{
    std::vector<int> out{upper.front()};
    for (std::size_t i = 1; i + 1 < curve.size(); ++i)
        out.push_back(add(curve[i]));
    out.push_back(upper.back());
    return out;
}

std::vector<Vector3> MeshBuilder::resample(const std::vector<Vector3>& knots, int steps) const
{
    const Eigen::MatrixXd weights = catmullRom(static_cast<int>(knots.size()), steps);
    std::vector<Vector3> out(at(static_cast<int>(weights.rows())), Vector3::Zero());
    for (Eigen::Index row = 0; row < weights.rows(); ++row)
        for (std::size_t k = 0; k < knots.size(); ++k)
            out[static_cast<std::size_t>(row)] +=
                weights(row, static_cast<Eigen::Index>(k)) * knots[k];
    return out;
}

template<class List>
std::vector<Vector3> MeshBuilder::landmarks(const List& list) const
{
    std::vector<Vector3> out;
    for (const int l : list)
        out.push_back(m_work.lm[at(l)]);
    return out;
}

// Closed lips: every knot but the corners moves across the lips to the darkest line, which is what
// a viewer takes for the seam; the landmarks miss it by a pixel or two.
void MeshBuilder::snapSeam(std::vector<Vector3>& seam) const
{
    const double u = m_work.u();
    const Vector2 down = m_work.frame.down();
    const cv::Mat soft = ops::blur(m_work.gray, std::max(.4, .008 * u));
    constexpr int kSteps = 41;
    std::array<double, kLipKnots> offset{};
    for (int k = 1; k + 1 < kLipKnots; ++k) {
        double best = 1e9;
        const Vector2 base = seam[at(k)].head<2>();
        const double up = (m_work.point(landmark::kUpperOuter[at(k)]) - base).dot(down);
        const double low = (m_work.point(landmark::kLowerOuter[at(k)]) - base).dot(down);
        for (int i = 0; i < kSteps; ++i) {
            const double r = (-.05 + .1 * i / (kSteps - 1)) * u;
            if (r < up + .012 * u || r > low - .012 * u)
                continue; // never onto the outer contour of thin lips
            const Vector2 p = base + r * down;
            const double cost = ops::sample1(soft, p.x(), p.y()) + std::abs(r) / u * 300;
            if (cost < best) {
                best = cost;
                offset[at(k)] = r;
            }
        }
    }
    std::array<double, kLipKnots> steady = offset;
    for (int k = 1; k + 1 < kLipKnots; ++k) {
        std::array<double, 3> three{offset[at(k - 1)], offset[at(k)], offset[at(k + 1)]};
        std::sort(three.begin(), three.end());
        steady[at(k)] = three[1];
    }
    for (int k = 1; k + 1 < kLipKnots; ++k) {
        const double d = .25 * steady[at(k - 1)] + .5 * steady[at(k)] + .25 * steady[at(k + 1)];
        seam[at(k)].head<2>() += d * down;
    }
}

// Something between the lips that is clearly less red than they are.
bool MeshBuilder::teethShow(const std::vector<Vector3>& upper,
                            const std::vector<Vector3>& lower) const
{
    const auto whiteness = [&](const Vector2& p) {
        const cv::Vec3f c = ops::sample(m_work.rgb, p.x(), p.y());
        return 2 * c[1] - c[0];
    };
    std::vector<float> lips;
    std::vector<float> between;
    for (std::size_t k = 2; k < 9; ++k) {
        lips.push_back(whiteness(m_work.point(landmark::kUpperOuter[k])));
        lips.push_back(whiteness(m_work.point(landmark::kLowerOuter[k])));
        for (int i = 1; i < 6; ++i)
            between.push_back(whiteness((upper[k] + (lower[k] - upper[k]) * (i / 6.0)).head<2>()));
    }
    return ops::percentile(between, .75) > ops::median(lips) + 25;
}

void MeshBuilder::addLips()
{
    std::vector<Vector3> upper = landmarks(landmark::kUpperInner);
    std::vector<Vector3> lower = landmarks(landmark::kLowerInner);
    const double gap =
        (m_work.lm[landmark::kLowerLipCenter] - m_work.lm[landmark::kUpperLipCenter]).norm();
    m_work.open = gap > kMaybeClosedGap * m_work.u() ||
                  (gap > kClosedGap * m_work.u() && teethShow(upper, lower));
    if (m_work.open) {
        m_mesh.upperInner = addCurve(resample(upper, kLipSteps));
        m_mesh.lowerInner = addLower(resample(lower, kLipSteps), m_mesh.upperInner);
    } else {
        for (std::size_t k = 0; k < upper.size(); ++k)
            upper[k] = (upper[k] + lower[k]) / 2; // they may cross in the network's output
        snapSeam(upper);
        m_mesh.upperInner = addCurve(resample(upper, kLipSteps));
    }
    for (std::size_t k = 0; k < upper.size(); ++k)
        m_mesh.landmark[at(landmark::kUpperInner[k])] = m_mesh.upperInner[k * kLipSteps];
    m_used.insert(landmark::kUpperInner.begin(), landmark::kUpperInner.end());
    m_used.insert(landmark::kLowerInner.begin(), landmark::kLowerInner.end());
}

void MeshBuilder::addLids()
{
    for (std::size_t e = 0; e < 2; ++e) {
        m_mesh.upperLid[e] = addCurve(resample(landmarks(landmark::kUpperLid[e]), kLidSteps));
        m_mesh.lowerLid[e] =
            addLower(resample(landmarks(landmark::kLowerLid[e]), kLidSteps), m_mesh.upperLid[e]);
        m_holes.push_back(m_work.outline(m_mesh.upperLid[e], m_mesh.lowerLid[e]));
        for (std::size_t k = 0; k < kLidKnots; ++k) {
            m_mesh.landmark[at(landmark::kUpperLid[e][k])] = m_mesh.upperLid[e][k * kLidSteps];
            m_mesh.landmark[at(landmark::kLowerLid[e][k])] = m_mesh.lowerLid[e][k * kLidSteps];
        }
        m_used.insert(landmark::kUpperLid[e].begin(), landmark::kUpperLid[e].end());
        m_used.insert(landmark::kLowerLid[e].begin(), landmark::kLowerLid[e].end());
    }
    if (m_work.open)
        m_holes.push_back(m_work.outline(m_mesh.upperInner, m_mesh.lowerInner));
}

void MeshBuilder::addOval()
{
    std::vector<Vector3> knots = landmarks(landmark::kOval);
    knots.push_back(knots.front());
    std::vector<Vector3> curve = resample(knots, kOvalSteps);
    curve.pop_back();
    const std::vector<int> index = addCurve(curve);
    for (std::size_t k = 0; k < landmark::kOval.size(); ++k)
        m_mesh.landmark[at(landmark::kOval[k])] = index[k * kOvalSteps];
    m_used.insert(landmark::kOval.begin(), landmark::kOval.end());
}

bool MeshBuilder::inHole(const Vector2& p, double margin) const
{
    return std::any_of(m_holes.begin(), m_holes.end(),
                       [&](const auto& hole) { return signedDistance(hole, p) > -margin; });
}

void MeshBuilder::addOtherLandmarks()
{
    const double u = m_work.u();
    std::set<int> outer(landmark::kUpperOuter.begin(), landmark::kUpperOuter.end());
    outer.insert(landmark::kLowerOuter.begin(), landmark::kLowerOuter.end());
    const Vector2 mouth =
        (m_work.point(landmark::kUpperLipCenter) + m_work.point(landmark::kLowerLipCenter)) / 2;
    for (int l = 0; l < 468; ++l) {
        if (m_used.count(l) != 0)
            continue;
        Vector3 p = m_work.lm[at(l)];
        const int near = m_grid.nearest(p.head<2>(), kAliasDistance * u);
        if (outer.count(l) != 0) {
            // Each outer-lip knot is a handle of its own: on paper-thin lips it steps aside.
            if (m_grid.nearest(p.head<2>(), .003 * u) >= 0)
                p.head<2>() += (p.head<2>() - mouth).normalized() * (.006 * u);
            m_mesh.landmark[at(l)] = add(p);
        } else if (near >= 0) {
            m_mesh.landmark[at(l)] = near;
        } else if (inHole(p.head<2>(), 0)) {
            m_mesh.landmark[at(l)] = m_grid.nearest(p.head<2>(), u);
        } else {
            m_mesh.landmark[at(l)] = add(p);
        }
    }
}

void MeshBuilder::addHexGrid(const Vector2& lo, const Vector2& hi, double spacing)
{
    std::vector<Vector2> accepted;
    int row = 0;
    for (double y = lo.y(); y < hi.y() + spacing * .87; y += spacing * .87, ++row)
        for (double x = lo.x() + (row % 2) * spacing / 2; x < hi.x() + spacing; x += spacing) {
            // A little jitter: exact hexagons have six points on a circle, a tie for Delaunay.
            const double jitter = .01 * spacing;
            const Vector2 p(x + m_random.uniform(-jitter, jitter),
                            y + m_random.uniform(-jitter, jitter));
            if (m_grid.nearest(p, .72 * spacing) < 0 && !inHole(p, .5 * spacing))
                accepted.push_back(p);
        }
    for (const Vector2& p : accepted)
        add({p.x(), p.y(), kUnknown});
}

void MeshBuilder::addGrids()
{
    const double u = m_work.u();
    const auto grid = [&](const Vector2& c, double left, double up, double right, double down,
                          double h) {
        addHexGrid(c - Vector2(left, up) * u, c + Vector2(right, down) * u, h * u);
    };
    grid((m_work.point(13) + m_work.point(14)) / 2, .5, .35, .5, .4, .035);
    grid((m_work.point(33) + m_work.point(133)) / 2, .3, .25, .3, .2, .03);
    grid((m_work.point(263) + m_work.point(362)) / 2, .3, .25, .3, .2, .03);
    Vector2 centre = Vector2::Zero();
    for (int l = 0; l < 468; ++l)
        centre += m_work.point(l) / 468;
    grid(centre, 1.1, 1.3, 1.1, 1.7, .065);
    const double margin = .27 * u;
    addHexGrid({-margin, -margin}, {m_work.rgb.cols + margin, m_work.rgb.rows + margin}, .16 * u);
}

// Closed lips: the seam is doubled and the triangles below it take the copies.
void MeshBuilder::cutSlit(const std::vector<Vector2>& centroids)
{
    const std::vector<int>& seam = m_mesh.upperInner;
    std::unordered_map<int, int> copy;
    m_mesh.lowerInner = {seam.front()};
    for (std::size_t i = 1; i + 1 < seam.size(); ++i) {
        const int original = seam[i];
        const int index = m_mesh.size();
        m_mesh.xy.push_back(m_mesh.xy[at(original)]);
        m_mesh.z.push_back(m_mesh.z[at(original)]);
        copy[original] = index;
        m_mesh.lowerInner.push_back(index);
    }
    m_mesh.lowerInner.push_back(seam.back());
    const Vector2 right = m_work.frame.right();
    const Vector2 down(-right.y(), right.x());
    std::vector<double> sx;
    std::vector<double> sy;
    for (const int v : seam) {
        sx.push_back(m_mesh.xy[at(v)].dot(right));
        sy.push_back(m_mesh.xy[at(v)].dot(down));
    }
    const auto seamAt = [&](double x) {
        if (x <= sx.front())
            return sy.front();
        for (std::size_t i = 1; i < sx.size(); ++i)
            if (x <= sx[i]) {
                const double t = (x - sx[i - 1]) / std::max(1e-9, sx[i] - sx[i - 1]);
                return sy[i - 1] + t * (sy[i] - sy[i - 1]);
            }
        return sy.back();
    };
    for (std::size_t t = 0; t < m_mesh.triangles.size(); ++t) {
        auto& triangle = m_mesh.triangles[t];
        const bool touches = std::any_of(triangle.begin(), triangle.end(),
                                         [&](int v) { return copy.count(v) != 0; });
        if (!touches || centroids[t].dot(down) <= seamAt(centroids[t].dot(right)))
            continue;
        for (int& v : triangle)
            if (const auto it = copy.find(v); it != copy.end())
                v = it->second;
    }
}

Result<void> MeshBuilder::triangulate()
{
    const double u = m_work.u();
    LQ_TRY(m_mesh.triangles, delaunay(m_mesh.xy, 1e-7 * u * u));
    const auto centroid = [&](const std::array<int, 3>& t) -> Vector2 {
        return (m_mesh.xy[at(t[0])] + m_mesh.xy[at(t[1])] + m_mesh.xy[at(t[2])]) / 3;
    };
    std::erase_if(m_mesh.triangles, [&](const auto& t) {
        const Vector2 c = centroid(t);
        return std::any_of(m_holes.begin(), m_holes.end(),
                           [&](const auto& hole) { return isInside(hole, c); });
    });
    if (!m_work.open) {
        std::vector<Vector2> centroids;
        for (const auto& t : m_mesh.triangles)
            centroids.push_back(centroid(t));
        cutSlit(centroids);
    }
    for (std::size_t k = 0; k < kLipKnots; ++k)
        m_mesh.landmark[at(landmark::kLowerInner[k])] = m_mesh.lowerInner[k * kLipSteps];
    return {};
}

Result<void> MeshBuilder::build()
{
    m_mesh.landmark.fill(-1);
    addLips();
    addLids();
    addOval();
    addOtherLandmarks();
    addGrids();
    return triangulate();
}

} // namespace

Result<void> makeMesh(ReferenceWork& work)
{
    MeshBuilder builder(work);
    LQ_CHECKED(builder.build());
    Mesh& mesh = work.mesh;
    const std::vector<cv::Point2f> oval = work.points(landmark::kOval);
    for (const Vector2& p : mesh.xy)
        mesh.insideOval.push_back(signedDistance(oval, p) / work.u());
    buildOperators(work);
    solveDepth(work);
    for (int i = 0; i < mesh.size(); ++i)
        mesh.head.push_back(work.frame.toHead(mesh.image(i)));
    return {};
}

} // namespace loquor::portrait
