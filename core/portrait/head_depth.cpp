// Depth of what is not a landmark: a skull with its hair, as wide and as high as the person's
// outline, joined to the face. See "Depth of the head" in DESIGN.md.
#include "core/portrait/head_depth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/portrait/field_solver.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr double kMiddleY = -.75;     // of the skull, head frame
constexpr double kBehindEars = .08;   // u that the skull's widest section lies behind the ears
constexpr double kLeastReach = .95;   // u from the middle to the outline
constexpr double kMostReach = 1.9;    // beyond is another person, an arm, a hat's brim
constexpr double kUnseenReach = 1.25; // where the picture ends before the person does
constexpr double kRim = .7;           // 1/2 would be a sphere, whose rim is too steep for a mesh
constexpr double kPull = 80;          // of the skull on the field, per u^2
constexpr double kJoin = .12;         // u around the face within which skin turns into skull

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

// The head as a solid: how far the person reaches from its middle in each direction of the picture,
// and how far it bulges towards the viewer.
class Skull
{
public:
    explicit Skull(const ReferenceWork& work);
    // Image depth of the surface at a canvas position; beside the head, that of its outline.
    double depth(const Vector2& p) const;
    double widest() const { return m_middle.z(); } // image depth of the outline

private:
    static constexpr int kDirections = 72;
    double reachOf(int direction, const cv::Mat& mask) const;
    double radius(const Vector2& p) const; // 0 in the middle, 1 on the outline
    double bulgeAt(double radius) const
    {
        return std::pow(std::max(0.0, 1 - radius * radius), kRim);
    }
    Vector2 direction(int i) const
    {
        const double angle = 2 * std::numbers::pi * i / kDirections;
        return std::cos(angle) * m_work.frame.right() + std::sin(angle) * down();
    }
    Vector2 down() const
    {
        const Vector2 right = m_work.frame.right();
        return {-right.y(), right.x()};
    }

    const ReferenceWork& m_work;
    Vector3 m_middle;
    std::array<double, kDirections> m_reach{}; // px
    double m_bulge = 0;                        // px
};

Skull::Skull(const ReferenceWork& work) : m_work(work)
{
    const double ears =
        (work.headLandmark(landmark::kEarRight).z() + work.headLandmark(landmark::kEarLeft).z()) / 2;
    m_middle = work.frame.toImage({0, kMiddleY, ears + kBehindEars});
    std::array<double, kDirections> raw{};
    const cv::Mat mask = ops::view(work.face.personMask);
    for (int i = 0; i < kDirections; ++i)
        raw[at(i)] = reachOf(i, mask);
    // Heads are round: strands and collars are not followed.
    for (int i = 0; i < kDirections; ++i) {
        double sum = 0;
        double weight = 0;
        for (int k = -6; k <= 6; ++k) {
            const double w = std::exp(-k * k / 12.0);
            sum += w * raw[at((i + k + kDirections) % kDirections)];
            weight += w;
        }
        m_reach[at(i)] = sum / weight;
    }
    std::vector<float> bulges;
    for (const int l : {10, 338, 297, 332, 284, 109, 67, 103, 54})
        if (const double r = radius(work.point(l)); r < .9)
            bulges.push_back(
                static_cast<float>((m_middle.z() - work.lm[at(l)].z()) / bulgeAt(r)));
    m_bulge = bulges.empty() ? .7 * work.u()
                             : std::clamp(static_cast<double>(ops::median(bulges)),
                                          .3 * work.u(), 1.2 * work.u());
}

double Skull::reachOf(int i, const cv::Mat& mask) const
{
    const double u = m_work.u();
    const Vector2 step = direction(i);
    const double kx = static_cast<double>(mask.cols) / m_work.rgb.cols;
    const double ky = static_cast<double>(mask.rows) / m_work.rgb.rows;
    for (double r = kLeastReach; r < kMostReach; r += .02) {
        const Vector2 p = m_middle.head<2>() + r * u * step;
        if (p.x() < 0 || p.y() < 0 || p.x() >= m_work.rgb.cols || p.y() >= m_work.rgb.rows)
            return std::max(r, kUnseenReach) * u;
        if (mask.at<std::uint8_t>(std::min(mask.rows - 1, static_cast<int>(p.y() * ky)),
                                  std::min(mask.cols - 1, static_cast<int>(p.x() * kx))) < 128)
            return r * u;
    }
    return kMostReach * u;
}

double Skull::radius(const Vector2& p) const
{
    const Vector2 d = p - m_middle.head<2>();
    // Below the middle the head goes straight down.
    const double x = d.dot(m_work.frame.right());
    const double y = std::min(0.0, d.dot(down()));
    const double turn = std::atan2(y, x) / (2 * std::numbers::pi) * kDirections + kDirections;
    const int i = static_cast<int>(turn);
    const double t = turn - i;
    const double reach =
        (1 - t) * m_reach[at(i % kDirections)] + t * m_reach[at((i + 1) % kDirections)];
    return std::hypot(x, y) / reach;
}

double Skull::depth(const Vector2& p) const
{
    // Below the ears is neck, or hair beside it.
    const double below = (p - m_middle.head<2>()).dot(down()) / m_work.u();
    const double upper = static_cast<double>(ops::smoothstep(.65f, .15f, static_cast<float>(below)));
    return m_middle.z() - m_bulge * upper * bulgeAt(radius(p));
}

} // namespace

void solveDepth(ReferenceWork& work)
{
    Mesh& mesh = work.mesh;
    const double u = work.u();
    const Skull skull(work);
    const double chin = work.headLandmark(landmark::kChin).y();
    Constraints c(mesh.size(), 1);
    Eigen::VectorXd pull = Eigen::VectorXd::Zero(mesh.size());
    for (int i = 0; i < mesh.size(); ++i) {
        if (!std::isnan(mesh.z[at(i)])) {
            c.set(i, mesh.z[at(i)]);
            continue;
        }
        const Vector2& p = mesh.xy[at(i)];
        const Vector2 q = (p - work.frame.origin.head<2>()) / u;
        const double outside = -mesh.insideOval[at(i)];
        c.value(i, 0) = skull.depth(p);
        if ((outside > 3 * kJoin && q.y() < chin - .2) || std::abs(q.x()) > 1.15 || q.y() > 1.0) {
            c.fix(i);
            continue;
        }
        // The neck comes out from under the chin without a step.
        const double besideJaw =
            static_cast<double>(ops::smoothstep(.0f, -.35f, static_cast<float>(q.y() - chin)));
        pull[i] = kPull * besideJaw *
                  static_cast<double>(
                      ops::smoothstep(0, static_cast<float>(kJoin), static_cast<float>(outside)));
    }
    Eigen::VectorXd z =
        solveField(work.blend, c, pull.cwiseProduct(vertexAreas(mesh)) / (u * u)).col(0);
    // Cheeks fall off steeply towards the ears; nothing goes on falling behind them.
    const double deepest = std::max({skull.widest(), work.lm[landmark::kEarRight].z(),
                                     work.lm[landmark::kEarLeft].z()});
    z = z.cwiseMin(deepest);
    // The outline of the face must be smooth in depth, or the silhouette scallops when the head
    // turns.
    Eigen::VectorXd near(mesh.size());
    for (int i = 0; i < mesh.size(); ++i)
        near[i] =
            ops::smoothstep(.16f, .04f, static_cast<float>(std::abs(mesh.insideOval[at(i)] + .02)));
    const auto smoothed = [&](Eigen::VectorXd field) {
        for (int round = 0; round < 3; ++round) {
            const Eigen::VectorXd soft = work.smoothing * field;
            field += near.cwiseProduct(soft - field);
        }
        return field;
    };
    // Smoothing alone would draw the ears to the cheeks: what it took goes back, smooth.
    const Eigen::VectorXd soft = smoothed(z);
    z = soft + near.cwiseProduct(smoothed(z - soft));
    for (int i = 0; i < mesh.size(); ++i)
        mesh.z[at(i)] = z[i];
}

} // namespace loquor::portrait
