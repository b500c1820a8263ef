#include "core/portrait/portrait_builder.h"

#include <algorithm>
#include <cmath>

#include "core/portrait/image_ops.h"

namespace loquor::portrait {

namespace {

constexpr double kNear = 1.35, kFar = 2.6;      // from the face's middle to the sides, u: beyond most hair
constexpr double kAbove = -2.0, kBelow = .5;    // around the eyes, u: shoulders begin lower
constexpr int kEyeDistance = 60;                // pixels at which it is measured
constexpr double kLocal = .25;                  // u: what is smooth over this is no detail
constexpr std::size_t kOuterRight = 33, kOuterLeft = 263;

} // namespace

float backgroundUnrest(const Image& photo, const Landmarks& onPhoto)
{
    const Point3 &right = onPhoto[kOuterRight], &left = onPhoto[kOuterLeft];
    const double u = std::max(1.0, std::hypot(double(left.x - right.x), double(left.y - right.y), double(left.z - right.z)));
    const double x = .5 * (left.x + right.x), y = .5 * (left.y + right.y);
    const double scale = std::min(1.0, kEyeDistance / u);
    const auto clamped = [](double value, int end) { return std::clamp(static_cast<int>(std::lround(value)), 0, end); };
    std::vector<float> found;
    for (const int side : {-1, 1}) {
        const int x0 = clamped(std::min(x + side * kNear * u, x + side * kFar * u), photo.width);
        const int x1 = clamped(std::max(x + side * kNear * u, x + side * kFar * u), photo.width);
        const int y0 = clamped(y + kAbove * u, photo.height), y1 = clamped(y + kBelow * u, photo.height);
        if (x1 - x0 < .3 * u || y1 - y0 < .3 * u) // the photo ends beside the head
            continue;
        cv::Mat part;
        cv::resize(ops::view(photo)(cv::Rect(x0, y0, x1 - x0, y1 - y0)), part, {}, scale, scale, cv::INTER_AREA);
        const cv::Mat fine = ops::toFloat(part);
        const cv::Mat apart = fine - ops::blur(fine, kLocal * u * scale);
        for (int row = 0; row < apart.rows; ++row) {
            for (int column = 0; column < apart.cols; ++column) {
                const auto& d = apart.at<cv::Vec3f>(row, column);
                found.push_back(std::sqrt(d.dot(d)));
            }
        }
    }
    return ops::percentile(std::move(found), .75);
}

} // namespace loquor::portrait
