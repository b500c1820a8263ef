// Does the person wear glasses? A frame crosses the bridge of the nose, runs below both eyes and from
// their outer corners to the ears, as a steep change of colour where bare skin is smooth.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

// Lab change over .02 u. Bare faces measured 4-14 at the bridge, 4-28 below the eyes (wrinkles, bags,
// make-up) and 2-27 beside them; plastic and metal frames 55-72, 29-74 and 42-78.
constexpr float kBridgeEdge = 14;
constexpr float kPlainBridge = 50; // needs no side pieces
constexpr float kRimEdge = 19;
constexpr float kSideLine = 20;
// Wire without rims that show: a line across the bridge and one beside each eye.
constexpr float kWireBridge = 15;
constexpr float kWireSide = 13;
constexpr double kStep = .005; // u between samples across the frame

// Colours along one line from `from` to `to` (u, downwards) through `center`.
std::vector<cv::Vec3f> alongLine(const cv::Mat& lab, const Vector2& center, const Vector2& down,
                                 double from, double to, double u)
{
    std::vector<cv::Vec3f> out;
    for (double y = from; y <= to; y += kStep) {
        const Vector2 p = center + down * (y * u);
        const int ix = std::clamp(static_cast<int>(p.x()), 0, lab.cols - 1);
        const int iy = std::clamp(static_cast<int>(p.y()), 0, lab.rows - 1);
        out.push_back(lab.at<cv::Vec3f>(iy, ix));
    }
    return out;
}

float sizeOf(const cv::Vec3f& d)
{
    return std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
}

float steepest(const std::vector<cv::Vec3f>& line)
{
    float best = 0;
    for (std::size_t i = 1; i < line.size(); ++i)
        best = std::max(best, sizeOf(line[i] - line[i - 1]));
    return best * static_cast<float>(.02 / kStep);
}

// How far the clearest thin line across this one stands out from both its sides.
float thinLine(const std::vector<cv::Vec3f>& line)
{
    constexpr std::size_t kReach = 4; // .02 u
    float best = 0;
    for (std::size_t i = kReach; i + kReach < line.size(); ++i)
        best = std::max(best, sizeOf(2 * line[i] - line[i - kReach] - line[i + kReach]));
    return best;
}

} // namespace

void findGlasses(ReferenceWork& work)
{
    const double u = work.u();
    const cv::Rect box = ops::boxAround(work.points(std::array{33, 263, 168, 50, 280, 70, 300}),
                                        static_cast<float>(.2 * u), work.size());
    if (box.empty())
        return;
    // Enlarged to at least 200 px per u, so that a step is a pixel.
    const double scale = std::max(1.0, 1 / (kStep * u));
    cv::Mat part;
    cv::resize(work.rgbF(box) / 255.f, part, cv::Size(), scale, scale, cv::INTER_LINEAR);
    cv::Mat lab;
    cv::cvtColor(ops::blur(part, .008 * u * scale), lab, cv::COLOR_RGB2Lab);
    const auto local = [&](const Vector2& p) -> Vector2 {
        return (p - Vector2(box.x, box.y)) * scale;
    };
    const Vector2 down = work.frame.down();
    const Vector2 right = work.frame.right();
    const double scaledU = u * scale;

    std::vector<float> bridge;
    std::vector<cv::Vec3f> bridgeLine;
    const Vector2 nose = local((work.point(168) + work.point(6)) / 2);
    constexpr int kColumns = 3; // to each side
    for (int i = -kColumns; i <= kColumns; ++i) {
        const auto line =
            alongLine(lab, nose + right * (i * .012 * scaledU), down, -.18, .16, scaledU);
        bridge.push_back(steepest(line));
        bridgeLine.resize(line.size());
        for (std::size_t k = 0; k < line.size(); ++k)
            bridgeLine[k] += line[k] * (1.f / (2 * kColumns + 1));
    }
    float rims = 1e9f;
    float sides = 1e9f;
    for (std::size_t eye = 0; eye < 2; ++eye) {
        const Vector2 outer = local(work.point(landmark::kUpperLid[eye].front()));
        const Vector2 center = (outer + local(work.point(landmark::kUpperLid[eye].back()))) / 2;
        std::vector<float> rim;
        for (int i = -8; i <= 8; ++i)
            rim.push_back(steepest(
                alongLine(lab, center + right * (i * .02 * scaledU), down, .10, .42, scaledU)));
        rims = std::min(rims, ops::percentile(std::move(rim), .25));
        std::vector<float> side;
        for (int i = 0; i < 10; ++i) {
            const double out = (.10 + .01 * i) * (eye == 0 ? -1 : 1);
            side.push_back(thinLine(
                alongLine(lab, outer + right * (out * scaledU), down, -.16, .14, scaledU)));
        }
        sides = std::min(sides, ops::median(std::move(side)));
    }
    const float edge = ops::median(std::move(bridge));
    const bool framed =
        edge > kBridgeEdge && rims > kRimEdge && (edge > kPlainBridge || sides > kSideLine);
    const bool wire = thinLine(bridgeLine) > kWireBridge && sides > kWireSide;
    work.model.glasses = framed || wire;
}

} // namespace loquor::portrait
