#include "core/evaluate/face_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "core/evaluate/face_points.h"

namespace loquor::evaluate {

namespace {

constexpr float kChip = 128;

// x' = a x - b y + tx, y' = b x + a y + ty
struct Similarity
{
    double a = 1, b = 0, tx = 0, ty = 0;

    cv::Point2d operator()(const cv::Point2d& p) const
    {
        return {a * p.x - b * p.y + tx, b * p.x + a * p.y + ty};
    }
};

using Points = std::array<cv::Point2d, 4>;

// Least squares over the chosen pairs.
Similarity fit(const Points& from, const Points& to, const std::array<bool, 4>& use)
{
    cv::Point2d centreFrom, centreTo;
    double n = 0;
    for (std::size_t i = 0; i < 4; ++i)
        if (use[i]) {
            centreFrom += from[i];
            centreTo += to[i];
            n += 1;
        }
    centreFrom /= n;
    centreTo /= n;
    double size = 0, real = 0, imaginary = 0;
    for (std::size_t i = 0; i < 4; ++i)
        if (use[i]) {
            const cv::Point2d p = from[i] - centreFrom;
            const cv::Point2d q = to[i] - centreTo;
            size += p.dot(p);
            real += p.dot(q);
            imaginary += p.cross(q);
        }
    Similarity out;
    out.a = real / size;
    out.b = imaginary / size;
    const cv::Point2d moved = out(centreFrom);
    out.tx = centreTo.x - moved.x;
    out.ty = centreTo.y - moved.y;
    return out;
}

std::array<double, 4> errors(const Similarity& t, const Points& from, const Points& to)
{
    std::array<double, 4> out{};
    for (std::size_t i = 0; i < 4; ++i) {
        const cv::Point2d d = t(from[i]) - to[i];
        out[i] = d.dot(d);
    }
    return out;
}

// Least median of squares over all pairs, then least squares over what fits: one bad point does not count.
Similarity robustFit(const Points& from, const Points& to)
{
    double best = INFINITY;
    std::array<double, 4> bestErrors{};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = i + 1; k < 4; ++k) {
            std::array<bool, 4> pair{};
            pair[i] = pair[k] = true;
            const auto each = errors(fit(from, to, pair), from, to);
            auto sorted = each;
            std::sort(sorted.begin(), sorted.end());
            const double middle = (sorted[1] + sorted[2]) / 2;
            if (middle < best) {
                best = middle;
                bestErrors = each;
            }
        }
    const double limit = std::max(2.5 * 1.4826 * (1 + 5.0 / 2) * std::sqrt(best), 0.001);
    std::array<bool, 4> use{};
    for (std::size_t i = 0; i < 4; ++i)
        use[i] = bestErrors[i] <= limit * limit;
    return std::count(use.begin(), use.end(), true) >= 2 ? fit(from, to, use) : fit(from, to, {true, true, true, true});
}

} // namespace

cv::Mat viewOf(const Image& image)
{
    // OpenCV has no read-only matrix; the callers only read.
    return cv::Mat(image.height, image.width, CV_8UC(image.channels), const_cast<std::uint8_t*>(image.data.data()));
}

cv::Rect faceBox(const Landmarks& face, const cv::Size& picture)
{
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (std::size_t p = 0; p < 468; ++p) {
        left = std::min(left, face[p][0]);
        right = std::max(right, face[p][0]);
        top = std::min(top, face[p][1]);
        bottom = std::max(bottom, face[p][1]);
    }
    const cv::Point begin(std::max(static_cast<int>(left), 0), std::max(static_cast<int>(top), 0));
    const cv::Point end(std::min(static_cast<int>(right), picture.width), std::min(static_cast<int>(bottom), picture.height));
    return end.x > begin.x && end.y > begin.y ? cv::Rect(begin, end) : cv::Rect();
}

Box identityBox(const Landmarks& face)
{
    const auto [left, right] = std::minmax_element(face.begin(), face.begin() + 468, [](const auto& a, const auto& b) { return a[0] < b[0]; });
    const auto [top, bottom] = std::minmax_element(face.begin(), face.begin() + 468, [](const auto& a, const auto& b) { return a[1] < b[1]; });
    const double y0 = (*top)[1] + 0.10 * ((*bottom)[1] - (*top)[1]);
    const int x = static_cast<int>((*left)[0]);
    const int y = static_cast<int>(y0);
    return {x, y, std::max(1, static_cast<int>((*right)[0]) - x), std::max(1, static_cast<int>((*bottom)[1]) - y)};
}

std::optional<Lab> skinColour(const cv::Mat& rgb, const Landmarks& face)
{
    const cv::Rect box = faceBox(face, rgb.size());
    if (box.empty())
        return std::nullopt;
    std::vector<cv::Point> outline;
    for (const int p : kSkinOutline) {
        const Point3& at = face[static_cast<std::size_t>(p)];
        outline.emplace_back(static_cast<int>(at[0]), static_cast<int>(at[1]));
    }
    cv::Mat mask = cv::Mat::zeros(rgb.size(), CV_8U);
    cv::fillPoly(mask, std::vector{outline}, cv::Scalar(255));
    mask = mask(box);
    if (cv::countNonZero(mask) == 0)
        return std::nullopt;
    cv::Mat lab;
    cv::cvtColor(rgb(box), lab, cv::COLOR_RGB2Lab);
    const cv::Scalar m = cv::mean(lab, mask);
    return Lab{m[0], m[1], m[2]};
}

std::optional<cv::Mat> upperFace(const cv::Mat& grey, const Landmarks& face)
{
    const auto at = [&](std::size_t p) { return cv::Point2d(face[p][0], face[p][1]); };
    const Points from = {(at(33) + at(133)) / 2, (at(362) + at(263)) / 2, at(168), at(6)};
    const Points to = {cv::Point2d(0.32, 0.40) * kChip, cv::Point2d(0.68, 0.40) * kChip,
                       cv::Point2d(0.5, 0.38) * kChip, cv::Point2d(0.5, 0.45) * kChip};
    const Similarity t = robustFit(from, to);
    if (!std::isfinite(t.a + t.b + t.tx + t.ty))
        return std::nullopt;
    const cv::Matx23d matrix(t.a, -t.b, t.tx, t.b, t.a, t.ty);
    cv::Mat chip, out;
    cv::warpAffine(grey, chip, matrix, cv::Size(static_cast<int>(kChip), static_cast<int>(kChip)), cv::INTER_LINEAR, cv::BORDER_REFLECT);
    chip(cv::Rect(28, 24, 72, 64)).convertTo(out, CV_32F);
    return out;
}

double sharpnessOf(const cv::Mat& upper)
{
    cv::Mat edges;
    cv::Laplacian(upper, edges, CV_32F);
    cv::Scalar middle, edgeDeviation, deviation;
    cv::meanStdDev(edges, middle, edgeDeviation);
    cv::meanStdDev(upper, middle, deviation);
    return edgeDeviation[0] * edgeDeviation[0] / (deviation[0] * deviation[0] + 25);
}

} // namespace loquor::evaluate
