// How each vertex follows lips, jaw, lids, brows, cheeks and head.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/field_solver.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

using LipRow = std::array<double, kLipKnots>;
constexpr LipRow kJawLowerInner{.36, .56, .76, .91, .98, 1, .98, .91, .76, .56, .36};
constexpr LipRow kJawUpperInner{.36, .20, .09, .03, .0, 0, .0, .03, .09, .20, .36};
constexpr LipRow kJawLowerOuter{.36, .58, .80, .93, .99, 1, .99, .93, .80, .58, .36};
constexpr LipRow kJawUpperOuter{.36, .20, .09, .03, .01, 0, .01, .03, .09, .20, .36};

// Cheeks, u
constexpr double kCheekDown = .036;
constexpr double kCheekIn = .016;
constexpr double kCheekRoundDown = .014;
// Under glasses: brows keep this much of their motion, lids move nothing farther up than this (u).
constexpr double kBrowUnderGlasses = .2;
constexpr double kLidReachUnderGlasses = .045;
constexpr double kHoldReach = .45; // u from the picture's edge within which cut-off hair is held

struct LandmarkWeight
{
    int landmark;
    double weight;
};
// clang-format off
constexpr std::array<LandmarkWeight, 23> kJawLine{{
    {152, 1},   {148, 1},   {377, 1},   {176, .98}, {400, .98}, {149, .94}, {378, .94}, {150, .87},
    {379, .87}, {136, .75}, {365, .75}, {172, .55}, {397, .55}, {58, .32},  {288, .32}, {132, .14},
    {361, .14}, {93, 0},    {323, 0},   {175, 1},   {199, 1},   {200, 1},   {18, 1},
}};
// clang-format on
constexpr std::array<LandmarkWeight, 8> kCheek{{
    {50, 1},
    {280, 1},
    {205, 1},
    {425, 1},
    {101, .7},
    {330, .7},
    {36, .7},
    {266, .7},
}};

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

std::vector<float> toFloats(const Eigen::MatrixXd& m)
{
    std::vector<float> out(static_cast<std::size_t>(m.size()));
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c)
            out[static_cast<std::size_t>(r * m.cols() + c)] = static_cast<float>(m(r, c));
    return out;
}

class Fields
{
public:
    explicit Fields(ReferenceWork& work)
        : m_work(work), m_mesh(work.mesh), m_lips(catmullRom(kLipKnots, 4)),
          m_lids(catmullRom(kLidKnots, 3)), m_nose(work.headVertex(landmark::kNoseBase).y()),
          m_noseTip(work.headVertex(landmark::kNoseTip).y()),
          m_chin(work.headVertex(landmark::kChin).y())
    {
    }
    void run();

private:
    double x(int v) const { return m_mesh.head[at(v)].x(); }
    double y(int v) const { return m_mesh.head[at(v)].y(); }
    int vertex(int landmark) const { return m_mesh.landmark[at(landmark)]; }
    // value of a row of knot weights at contour sample i
    double sampled(const LipRow& row, std::size_t i) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < kLipKnots; ++k)
            sum += m_lips(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) * row[k];
        return sum;
    }
    Eigen::MatrixXd lipField() const;
    Eigen::VectorXd jawWeight() const;
    void keepFramesRigid(Constraints& c) const;
    Eigen::MatrixXd eyeField() const;
    Eigen::VectorXd cheekWeight() const;
    Eigen::VectorXd headWeight() const;
    void holdAtFrame();
    void shiftCheeks(const Eigen::VectorXd& cheek);
    void setHinges();

    ReferenceWork& m_work;
    const Mesh& m_mesh;
    Eigen::MatrixXd m_lips, m_lids;
    double m_nose, m_noseTip, m_chin;
};

// Columns: upper inner 0..10, lower inner interior 11..19, upper outer 20..30, lower outer interior
// 31..39. The corners belong to the upper contours.
Eigen::MatrixXd Fields::lipField() const
{
    const Vector3 centre = (m_work.neutralLips[0][5] + m_work.neutralLips[1][5]) / 2;
    const double up = std::max(std::abs(m_nose - centre.y()) * .98 * 1.25, .2);
    const double down = std::max((m_chin - centre.y()) * .92, .2);
    Constraints c(m_mesh.size(), kLipHandles);
    for (int v = 0; v < m_mesh.size(); ++v) {
        const double dx = x(v) / .80;
        const double dy = (y(v) - centre.y()) / (y(v) < centre.y() ? up : down);
        if (dx * dx + dy * dy > 1 || (y(v) < m_nose + .015 && std::abs(x(v)) < .27))
            c.fix(v);
    }
    for (int i = 0; i < kLipSamples; ++i) {
        Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kLipHandles);
        row.head(kLipKnots) = m_lips.row(i);
        c.setRow(m_mesh.upperInner[at(i)], row);
        if (i == 0 || i + 1 == kLipSamples)
            continue;
        row.setZero();
        row[0] = m_lips(i, 0);
        row[10] = m_lips(i, 10);
        row.segment(11, 9) = m_lips.row(i).segment(1, 9);
        c.setRow(m_mesh.lowerInner[at(i)], row);
    }
    for (int k = 0; k < kLipKnots; ++k) {
        Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kLipHandles);
        row[20 + k] = 1;
        c.setRow(vertex(landmark::kUpperOuter[at(k)]), row);
        if (k == 0 || k + 1 == kLipKnots)
            continue;
        row.setZero();
        row[30 + k] = 1;
        c.setRow(vertex(landmark::kLowerOuter[at(k)]), row);
    }
    return solveField(m_work.blend, c);
}

Eigen::VectorXd Fields::jawWeight() const
{
    Constraints c(m_mesh.size(), 1);
    for (int v = 0; v < m_mesh.size(); ++v)
        if (y(v) < m_nose || y(v) > m_chin + .5 || std::abs(x(v)) > 1.0)
            c.fix(v);
    for (const LandmarkWeight& w : kJawLine)
        c.set(vertex(w.landmark), w.weight);
    for (std::size_t i = 0; i < kLipSamples; ++i) {
        c.set(m_mesh.upperInner[i], sampled(kJawUpperInner, i));
        c.set(m_mesh.lowerInner[i], sampled(kJawLowerInner, i));
    }
    for (std::size_t k = 0; k < kLipKnots; ++k) {
        c.set(vertex(landmark::kUpperOuter[k]), kJawUpperOuter[k]);
        c.set(vertex(landmark::kLowerOuter[k]), kJawLowerOuter[k]);
    }
    return solveField(m_work.blend, c).col(0).cwiseMax(0.0).cwiseMin(1.05);
}

// Nothing moves between lids and brows or beside the eyes but the lids themselves.
void Fields::keepFramesRigid(Constraints& c) const
{
    for (int e = 0; e < 2; ++e) {
        for (const auto& list : {landmark::kBrowUpper[at(e)], landmark::kBrowLower[at(e)]})
            for (const int l : list)
                c.value.row(vertex(l)) *= kBrowUnderGlasses;
        for (const int l : landmark::kLidCrease[at(e)])
            c.setRow(vertex(l), Eigen::RowVectorXd::Zero(kEyeHandles));
    }
    for (int v = 0; v < m_mesh.size(); ++v) {
        if (c.known[at(v)])
            continue;
        double nearest = 1e9;
        for (std::size_t e = 0; e < 2; ++e)
            for (const auto* chain : {&m_mesh.upperLid[e], &m_mesh.lowerLid[e]})
                for (const int i : *chain)
                    nearest = std::min(nearest, (m_mesh.xy[at(i)] - m_mesh.xy[at(v)]).norm());
        bool aboveBrow = true;
        for (std::size_t e = 0; e < 2; ++e)
            for (const int l : landmark::kBrowLower[e])
                aboveBrow = aboveBrow && y(v) < y(vertex(l));
        if (nearest > kLidReachUnderGlasses * m_work.u() && !aboveBrow)
            c.setRow(v, Eigen::RowVectorXd::Zero(kEyeHandles));
    }
}

// Columns per eye: upper lid 9, lower lid 9; then brows 5 + 5.
Eigen::MatrixXd Fields::eyeField() const
{
    constexpr int kPerEye = 2 * kLidKnots;
    constexpr int kBrows = 2 * kPerEye;
    Constraints c(m_mesh.size(), kEyeHandles);
    const double top = m_work.headVertex(landmark::kForehead).y() + .02;
    for (int v = 0; v < m_mesh.size(); ++v)
        if (y(v) > m_noseTip - .12 || std::abs(x(v)) > .85 || y(v) < top)
            c.fix(v);
    for (const int l : {168, 6, 197, 195, 5})
        c.setRow(vertex(l), Eigen::RowVectorXd::Zero(kEyeHandles));
    for (int e = 0; e < 2; ++e)
        for (int side = 0; side < 2; ++side) {
            const auto& chain = side == 0 ? m_mesh.upperLid[at(e)] : m_mesh.lowerLid[at(e)];
            for (int i = 0; i < kLidSamples; ++i) {
                Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kEyeHandles);
                row.segment(e * kPerEye + side * kLidKnots, kLidKnots) = m_lids.row(i);
                c.setRow(chain[at(i)], row);
            }
        }
    for (int e = 0; e < 2; ++e)
        for (const auto& list : {landmark::kBrowUpper[at(e)], landmark::kBrowLower[at(e)]})
            for (int k = 0; k < 5; ++k) {
                Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kEyeHandles);
                row[kBrows + 5 * e + k] = 1;
                c.setRow(vertex(list[at(k)]), row);
            }
    if (m_work.model.glasses)
        keepFramesRigid(c);
    // The lid crease follows lid and brow a little.
    for (int e = 0; e < 2 && !m_work.model.glasses; ++e)
        for (const int l : landmark::kLidCrease[at(e)]) {
            const int v = vertex(l);
            int lid = 0;
            int brow = 0;
            for (int k = 1; k < kLidKnots; ++k)
                if (std::abs(x(m_mesh.upperLid[at(e)][at(3 * k)]) - x(v)) <
                    std::abs(x(m_mesh.upperLid[at(e)][at(3 * lid)]) - x(v)))
                    lid = k;
            for (int k = 1; k < 5; ++k)
                if (std::abs(x(vertex(landmark::kBrowUpper[at(e)][at(k)])) - x(v)) <
                    std::abs(x(vertex(landmark::kBrowUpper[at(e)][at(brow)])) - x(v)))
                    brow = k;
            Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kEyeHandles);
            row[e * kPerEye + lid] = .22;
            row[kBrows + 5 * e + brow] = .35;
            c.setRow(v, row);
        }
    return solveField(m_work.blend, c);
}

Eigen::VectorXd Fields::cheekWeight() const
{
    Constraints c(m_mesh.size(), 1);
    for (int v = 0; v < m_mesh.size(); ++v)
        if (y(v) < m_noseTip - .3 || y(v) > m_chin - .1 || std::abs(x(v)) > .85 ||
            std::abs(x(v)) < .12)
            c.fix(v);
    for (const LandmarkWeight& w : kCheek)
        c.set(vertex(w.landmark), w.weight);
    for (const auto* chain : {&m_mesh.upperInner, &m_mesh.lowerInner})
        for (const int v : *chain)
            c.set(v, 0);
    for (const auto* list : {&landmark::kUpperOuter, &landmark::kLowerOuter})
        for (const int l : *list)
            c.set(vertex(l), 0);
    return solveField(m_work.blend, c).col(0);
}

// A smile lifts the cheeks: every frame takes that back. Rounded lips draw the cheeks in and down.
void Fields::shiftCheeks(const Eigen::VectorXd& cheek)
{
    PortraitModel& model = m_work.model;
    model.neutralShift.assign(at(3 * m_mesh.size()), 0.f);
    model.roundShift.assign(at(3 * m_mesh.size()), 0.f);
    for (int v = 0; v < m_mesh.size(); ++v) {
        const double w = cheek[v];
        const double side = std::clamp(x(v) / .2, -1.0, 1.0);
        const auto set = [&](std::vector<float>& shift, double dx, double dy, double dz) {
            shift[at(3 * v)] = static_cast<float>(dx * w);
            shift[at(3 * v + 1)] = static_cast<float>(dy * w);
            shift[at(3 * v + 2)] = static_cast<float>(dz * w);
        };
        set(model.neutralShift, 0, kCheekDown * m_work.smile, .012 * m_work.smile);
        set(model.roundShift, -kCheekIn * side, kCheekRoundDown * (.5 + .5 * m_work.smile), 0);
    }
}

Eigen::VectorXd Fields::headWeight() const
{
    constexpr double kMouth = .1;
    Constraints c(m_mesh.size(), 1);
    for (int v = 0; v < m_mesh.size(); ++v) {
        const bool head = (y(v) < kMouth && std::abs(x(v)) < 1.6) || y(v) < -.3;
        const bool body = y(v) > m_chin + .75 || (std::abs(x(v)) > 1.05 && y(v) > m_chin - .15);
        // Regions, not points: constraining only the outline scallops the jaw.
        if (m_mesh.insideOval[at(v)] > -.03)
            c.set(v, 1);
        else if (head || body)
            c.set(v, y(v) < kMouth ? 1 : 0);
    }
    Eigen::VectorXd w = solveField(m_work.laplacian, c).col(0).cwiseMax(0.0).cwiseMin(1.0);
    for (int round = 0; round < 4; ++round)
        w = m_work.smoothing * w;
    return w;
}

// Hair that the picture's edge cuts off slides along it and stretches: if it moved away, it would end
// in the air.
void Fields::holdAtFrame()
{
    const cv::Mat& alpha = m_work.layerAlpha;
    const double u = m_work.u();
    // How much person there is along each edge, smooth.
    const auto along = [&](const cv::Mat& line) {
        cv::Mat touched = ops::toFloat(line.reshape(1, 1) > 200) / 255.f;
        return ops::blur(touched, .10 * u);
    };
    const cv::Mat top = along(alpha.row(0).clone());
    const cv::Mat left = along(alpha.col(0).clone());
    const cv::Mat right = along(alpha.col(alpha.cols - 1).clone());
    const auto held = [&](const cv::Mat& line, double position, double distance) {
        const int i = std::clamp(cvFloor(position), 0, line.cols - 1);
        const double near = static_cast<double>(
            ops::smoothstep(static_cast<float>(kHoldReach * u), 0.f, static_cast<float>(distance)));
        return static_cast<double>(line.at<float>(0, i)) * near;
    };
    for (int v = 0; v < m_mesh.size(); ++v) {
        const Vector2& p = m_mesh.xy[at(v)];
        // The face itself stays free, unless the edge runs through it.
        const double edge = std::min({p.x(), p.y(), alpha.cols - p.x()}) / u;
        const double outside =
            std::max(std::clamp(-m_mesh.insideOval[at(v)] / .15, 0.0, 1.0),
                     std::clamp((.12 - edge) / .12, 0.0, 1.0));
        const double sides =
            std::max(held(left, p.y(), p.x()), held(right, p.y(), alpha.cols - p.x()));
        m_work.model.frameHold.push_back(static_cast<float>(outside * sides));
        m_work.model.frameHold.push_back(static_cast<float>(outside * held(top, p.x(), p.y())));
    }
}

void Fields::setHinges()
{
    PortraitModel& model = m_work.model;
    // Of the landmarks, not of their vertices, whose depth is smoothed with what lies around.
    const Vector3 ears =
        (m_work.headLandmark(landmark::kEarRight) + m_work.headLandmark(landmark::kEarLeft)) / 2;
    const Vector3 tmj(0, ears.y() + .05, ears.z() - .10);
    const Vector3 pivot = m_work.frame.toImage({0, m_chin + .15, ears.z()});
    for (int i = 0; i < 3; ++i) {
        model.tmj[at(i)] = static_cast<float>(tmj[i]);
        model.pivot[at(i)] = static_cast<float>(pivot[i]);
    }
    model.chinY = static_cast<float>(m_chin);
    for (std::size_t k = 0; k < kLipKnots; ++k) {
        model.lipJawWeight[0][k] = static_cast<float>(kJawUpperInner[k]);
        model.lipJawWeight[1][k] = static_cast<float>(kJawLowerInner[k]);
        model.lipJawWeight[2][k] = static_cast<float>(kJawUpperOuter[k]);
        model.lipJawWeight[3][k] = static_cast<float>(kJawLowerOuter[k]);
    }
}

void Fields::run()
{
    PortraitModel& model = m_work.model;
    model.lipField = toFloats(lipField());
    model.jawWeight = toFloats(jawWeight());
    model.eyeField = toFloats(eyeField());
    const Eigen::VectorXd cheek = cheekWeight();
    model.cheekWeight = toFloats(cheek);
    shiftCheeks(cheek);
    model.headWeight = toFloats(headWeight());
    holdAtFrame();
    for (const double d : m_mesh.insideOval)
        model.lightWeight.push_back(ops::smoothstep(-.12f, .12f, static_cast<float>(d)));
    setHinges();
}

} // namespace

void makeFields(ReferenceWork& work)
{
    Fields(work).run();
}

} // namespace loquor::portrait
