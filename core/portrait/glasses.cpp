// Does the person wear glasses? A frame crosses the bridge of the nose and runs below both eyes as
// a steep change of colour where bare skin is smooth.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

// Lab change over .02 u. Bare faces measured 4-7 at the bridge and 8-15 below the eyes; plastic and
// metal frames 40 and 30-45.
constexpr float kBridgeEdge = 14;
constexpr float kRimEdge = 19;
constexpr double kStep = .005; // u between samples across the frame

// Steepest colour change along one line from `from` to `to` (u, downwards) through `center`.
float steepest(const cv::Mat& lab, const Vector2& center, const Vector2& down, double from,
               double to, double u)
{
    float best = 0;
    cv::Vec3f last;
    bool first = true;
    for (double y = from; y <= to; y += kStep) {
        const Vector2 p = center + down * (y * u);
        cv::Vec3f here;
        for (int c = 0; c < 3; ++c) {
            const int ix = std::clamp(static_cast<int>(p.x()), 0, lab.cols - 1);
            const int iy = std::clamp(static_cast<int>(p.y()), 0, lab.rows - 1);
            here[c] = lab.at<cv::Vec3f>(iy, ix)[c];
        }
        if (!first) {
            const cv::Vec3f d = here - last;
            best = std::max(best, std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]));
        }
        last = here;
        first = false;
    }
    return best * static_cast<float>(.02 / kStep);
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
    const Vector2 nose = local((work.point(168) + work.point(6)) / 2);
    for (int i = -3; i <= 3; ++i)
        bridge.push_back(
            steepest(lab, nose + right * (i * .012 * scaledU), down, -.18, .16, scaledU));
    bool found = ops::median(bridge) > kBridgeEdge;
    for (std::size_t eye = 0; eye < 2 && found; ++eye) {
        const Vector2 center = local((work.point(landmark::kUpperLid[eye].front()) +
                                      work.point(landmark::kUpperLid[eye].back())) /
                                     2);
        std::vector<float> rim;
        for (int i = -8; i <= 8; ++i)
            rim.push_back(
                steepest(lab, center + right * (i * .02 * scaledU), down, .10, .42, scaledU));
        found = ops::percentile(rim, .25) > kRimEdge;
    }
    work.model.glasses = found;
}

} // namespace loquor::portrait
