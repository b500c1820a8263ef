// Teeth in the photo, and where the lips meet when a smiling mouth closes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr double kUnSmileWidth = .55; // share of the smile's extra width that is taken back
constexpr double kUnSmileDrop = .52;  // share of the way the corners come down
// Share of the way to the seam that the outer lips go with the inner ones: a smile stretches lips
// thin, so the closed mouth gives them back some height.
constexpr double kUpperFollows = .32;
constexpr double kLowerFollows = .42;
constexpr double kCornerBelow = .014; // corners of a closed neutral mouth below the seam's middle

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

// Lip corners and edges of the photo in the head frame, from the mesh.
void readReference(ReferenceWork& work)
{
    const Mesh& mesh = work.mesh;
    for (std::size_t k = 0; k < kLipKnots; ++k) {
        work.refLips[0][k] = mesh.head[at(mesh.upperInner[4 * k])];
        work.refLips[1][k] = mesh.head[at(mesh.lowerInner[4 * k])];
        work.refLips[2][k] = work.headVertex(landmark::kUpperOuter[k]);
        work.refLips[3][k] = work.headVertex(landmark::kLowerOuter[k]);
    }
}

// Tooth-like pixels: green over red separates teeth from lips and gums.
struct ToothPixels
{
    cv::Mat value; // float, 2 G - R
    float threshold = 0;
    bool found = false;
};

bool isGrey(const ReferenceWork& work)
{
    std::vector<float> chroma;
    for (const int l : {50, 280, 205, 425, 101, 330, 9, 4, 5, 195, 36, 266}) {
        const cv::Vec3f c = ops::sample(work.rgb, work.point(l).x(), work.point(l).y());
        chroma.push_back(std::max({c[0], c[1], c[2]}) - std::min({c[0], c[1], c[2]}));
    }
    return ops::median(std::move(chroma)) < 6;
}

ToothPixels separateTeeth(const ReferenceWork& work)
{
    ToothPixels out;
    std::vector<cv::Mat> channels;
    cv::split(work.rgbF, channels);
    out.value = 2 * channels[1] - channels[0];
    std::vector<float> inside;
    for (int y = 0; y < out.value.rows; ++y)
        for (int x = 0; x < out.value.cols; ++x)
            if (work.mouthMask.at<std::uint8_t>(y, x) > 128)
                inside.push_back(out.value.at<float>(y, x));
    const double area = .0022 * work.u() * work.u(); // 50 px at u = 150
    if (static_cast<double>(inside.size()) < std::max(12.0, area))
        return out;
    cv::Mat bytes(static_cast<int>(inside.size()), 1, CV_32F, inside.data());
    bytes = ops::toBytes(bytes);
    cv::Mat binary;
    out.threshold = static_cast<float>(cv::threshold(bytes, binary, 0, 255, cv::THRESH_OTSU));
    std::vector<float> teeth;
    std::copy_if(inside.begin(), inside.end(), std::back_inserter(teeth),
                 [&](float v) { return v > out.threshold; });
    std::vector<float> lips;
    for (std::size_t k = 2; k < 9; ++k)
        for (const int l : {landmark::kUpperOuter[k], landmark::kLowerOuter[k]})
            lips.push_back(ops::sample1(out.value, work.point(l).x(), work.point(l).y()));
    std::vector<float> gaps;
    std::copy_if(inside.begin(), inside.end(), std::back_inserter(gaps),
                 [&](float v) { return v <= out.threshold; });
    // Black and white photos tell teeth by brightness alone: lips may be as bright, so the dark
    // between the teeth decides.
    const float lip = ops::median(lips);
    const float tooth = ops::median(teeth);
    const bool separated = isGrey(work) ? tooth >= lip + 4 && tooth >= 1.4f * ops::median(gaps)
                                        : tooth >= lip + 25;
    out.found = separated &&
                static_cast<double>(teeth.size()) > .2 * static_cast<double>(inside.size());
    return out;
}

// The lowest tooth pixel of a column across the opening, NaN without teeth.
double incisalOfColumn(const ReferenceWork& work, const Vector3& upper, const Vector3& lower)
{
    constexpr int kSteps = 60;
    int count = 0;
    double last = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i < kSteps; ++i) {
        const Vector3 p = upper + (lower - upper) * (static_cast<double>(i) / (kSteps - 1));
        const Vector3 q = work.frame.toImage({p.x(), p.y(), (upper.z() + lower.z()) / 2});
        if (ops::sample1(work.toothMask, q.x(), q.y()) > .45f) {
            ++count;
            last = p.y();
        }
    }
    return count > 3 ? last : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> fillGapsAndSmooth(std::vector<double> values)
{
    const int n = static_cast<int>(values.size());
    std::vector<double> filled(values.size());
    for (int i = 0; i < n; ++i) {
        int left = i;
        int right = i;
        while (left >= 0 && std::isnan(values[at(left)]))
            --left;
        while (right < n && std::isnan(values[at(right)]))
            ++right;
        if (left < 0)
            filled[at(i)] = values[at(right)];
        else if (right >= n)
            filled[at(i)] = values[at(left)];
        else
            filled[at(i)] = left == right
                                ? values[at(i)]
                                : values[at(left)] + (values[at(right)] - values[at(left)]) *
                                                         (i - left) / (right - left);
    }
    std::vector<double> out(values.size());
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int d = -2; d <= 2; ++d)
            sum += filled[at(std::clamp(i + d, 0, n - 1))];
        out[at(i)] = sum / 5;
    }
    return out;
}

} // namespace

void findTeeth(ReferenceWork& work)
{
    readReference(work);
    const Mesh& mesh = work.mesh;
    work.mouthMask = cv::Mat::zeros(work.size(), CV_8U);
    if (!work.open)
        return;
    ops::fillPolygon(work.mouthMask, work.outline(mesh.upperInner, mesh.lowerInner), 255);
    const ToothPixels teeth = separateTeeth(work);
    if (!teeth.found)
        return;
    const cv::Mat mask = (teeth.value > teeth.threshold) & (work.mouthMask > 100);
    work.toothMask = ops::blur(ops::toFloat(mask) / 255.f, .8);
    std::vector<double> edge;
    for (std::size_t i = 0; i < kLipSamples; ++i)
        edge.push_back(incisalOfColumn(work, mesh.head[at(mesh.upperInner[i])],
                                       mesh.head[at(mesh.lowerInner[i])]));
    if (std::all_of(edge.begin(), edge.end(), [](double v) { return std::isnan(v); }))
        return;
    work.photoTeeth = true;
    work.incisalY = fillGapsAndSmooth(std::move(edge));
    for (const int v : mesh.upperInner)
        work.incisalX.push_back(mesh.head[at(v)].x());
    std::vector<float> centre(work.incisalY.begin() + 17, work.incisalY.begin() + 24);
    work.incisal = ops::median(std::move(centre));
}

void makeNeutralLips(ReferenceWork& work)
{
    work.neutralLips = work.refLips;
    if (!work.open)
        return;
    auto& lips = work.neutralLips;
    const auto& ui = work.refLips[0];
    const auto& li = work.refLips[1];
    const auto& uo = work.refLips[2];
    const double gap = li[5].y() - ui[5].y();
    const double width = uo[10].x() - uo[0].x();
    work.smile = std::clamp((width - .58) / .20, 0.0, 1.0);
    const double narrow = 1 - std::clamp((width - .60) / .60, 0.0, .20) * kUnSmileWidth;
    const double wanted = work.photoTeeth ? work.incisal - .055 : ui[5].y() + .45 * gap;
    const double centre = std::clamp(wanted, ui[5].y() + .30 * gap, ui[5].y() + .52 * gap);
    const double corner = (ui[0].y() + ui[10].y()) / 2;
    const double cornerDown =
        corner + kUnSmileDrop * std::clamp(centre + kCornerBelow - corner, 0.0, .2);
    const double half = (std::abs(ui[0].x()) + std::abs(ui[10].x())) / 2;
    for (std::size_t k = 0; k < kLipKnots; ++k) {
        const double s = std::abs(ui[k].x() / half);
        const double seam = cornerDown + (centre - cornerDown) * (1 - std::pow(s, 2.2));
        const bool isCorner = k == 0 || k + 1 == kLipKnots;
        lips[2][k].y() += (seam - ui[k].y()) * (isCorner ? 1 : kUpperFollows);
        lips[3][k].y() += (seam - li[k].y()) * (isCorner ? 1 : kLowerFollows);
        lips[0][k].y() = seam;
        lips[1][k].y() = seam;
    }
    for (auto& contour : lips)
        for (Vector3& p : contour)
            p.x() *= narrow;
    for (const std::size_t k : {std::size_t{0}, std::size_t{10}}) {
        lips[2][k] = uo[k] + (lips[0][k] - ui[k]);
        lips[3][k] = lips[2][k];
    }
    for (std::size_t k = 0; k < kLipKnots; ++k) {
        const double z = (lips[0][k].z() + lips[1][k].z()) / 2;
        lips[0][k].z() = z;
        lips[1][k].z() = z;
        // Both contours are one line when the mouth is closed.
        lips[0][k].x() = lips[1][k].x() = (lips[0][k].x() + lips[1][k].x()) / 2;
    }
}

} // namespace loquor::portrait
