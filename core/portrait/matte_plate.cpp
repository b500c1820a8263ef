// Who is person and who is background: matte, layer alpha, and the plate behind the person.
#include <algorithm>
#include <cmath>

#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

// Person probability, edges snapped to the photo's, never cut inside the face.
cv::Mat makeMatte(const ReferenceWork& work)
{
    cv::Mat mask;
    cv::resize(ops::toFloat(ops::view(work.face.personMask)) / 255.f, mask, work.size(), 0, 0,
               cv::INTER_CUBIC);
    const int radius = std::max(1, static_cast<int>(work.u() * .06));
    cv::Mat matte = ops::guidedFilter(work.gray / 255.f, mask, radius, 2e-4f);
    matte = (matte - .12f) / .76f;
    cv::min(matte, 1.f, matte);
    cv::max(matte, 0.f, matte);
    cv::Mat face = cv::Mat::zeros(work.size(), CV_8U);
    ops::fillPolygon(face, work.points(landmark::kOval), 255, 0, 0, false);
    matte.setTo(1.f, face);
    return matte;
}

// Distance to the nearest source pixel and that pixel, for every pixel.
struct Nearest
{
    cv::Mat distance; // float
    cv::Mat x, y;     // float, index of the nearest source pixel
};

Nearest nearestSource(const cv::Mat& source)
{
    Nearest out;
    cv::Mat labels;
    cv::distanceTransform(source == 0, out.distance, labels, cv::DIST_L2, cv::DIST_MASK_5,
                          cv::DIST_LABEL_PIXEL);
    std::vector<cv::Point> where(1);
    for (int y = 0; y < source.rows; ++y)
        for (int x = 0; x < source.cols; ++x)
            if (source.at<std::uint8_t>(y, x)) {
                const auto label = static_cast<std::size_t>(labels.at<int>(y, x));
                if (where.size() <= label)
                    where.resize(label + 1);
                where[label] = cv::Point(x, y);
            }
    out.x.create(source.size(), CV_32F);
    out.y.create(source.size(), CV_32F);
    for (int y = 0; y < source.rows; ++y)
        for (int x = 0; x < source.cols; ++x) {
            const cv::Point p = where[static_cast<std::size_t>(labels.at<int>(y, x))];
            out.x.at<float>(y, x) = static_cast<float>(p.x);
            out.y.at<float>(y, x) = static_cast<float>(p.y);
        }
    return out;
}

// What the photo shows around the person, continued behind it: mirrored across the person's edge near
// it (keeps the texture), smooth farther in. `mirrored` says how much of the first there is.
struct Fill
{
    cv::Mat color;    // float RGB
    cv::Mat mirrored; // float 0..1
};

Fill fillBehind(const ReferenceWork& work, const cv::Mat& source)
{
    const auto u = static_cast<float>(work.u());
    const cv::Size size = work.size();
    cv::Mat sourceF;
    source.convertTo(sourceF, CV_32F, 1 / 255.0);
    // A ragged mirror line makes shards: mirror across a smoothed one.
    const cv::Mat smoothSource = (ops::blur(sourceF, .12 * u) > .5f) & source;
    Fill fill;
    const cv::Mat smooth = ops::pushPull(work.rgbF, sourceF);
    if (cv::countNonZero(smoothSource) == 0) {
        fill.color = smooth;
        fill.mirrored = cv::Mat::zeros(size, CV_32F);
        return fill;
    }
    const Nearest nearest = nearestSource(smoothSource);
    cv::Mat mapX(size, CV_32F);
    cv::Mat mapY(size, CV_32F);
    cv::Mat inside(size, CV_32F);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
            const float mx = 2 * nearest.x.at<float>(y, x) - static_cast<float>(x);
            const float my = 2 * nearest.y.at<float>(y, x) - static_cast<float>(y);
            mapX.at<float>(y, x) = mx;
            mapY.at<float>(y, x) = my;
            const bool in = mx >= 0 && my >= 0 && mx < static_cast<float>(size.width) &&
                            my < static_cast<float>(size.height) &&
                            source.at<std::uint8_t>(static_cast<int>(my), static_cast<int>(mx)) != 0;
            inside.at<float>(y, x) = in ? 1.f : 0.f;
        }
    cv::Mat mirror;
    cv::remap(work.rgbF, mirror, mapX, mapY, cv::INTER_NEAREST, cv::BORDER_REFLECT);
    fill.mirrored = ops::blur(inside, 2).mul(ops::smoothstep(nearest.distance, .17f * u, .02f * u));
    const cv::Mat softMirror = ops::blur(mirror, .025 * u);
    mirror = ops::mix(mirror, softMirror, ops::smoothstep(nearest.distance, 0.f, .08f * u));
    fill.color = ops::mix(smooth, mirror, fill.mirrored);
    return fill;
}

float grainLevel(const ReferenceWork& work, const cv::Mat& source)
{
    const cv::Mat high = cv::abs(work.gray - ops::blur(work.gray, 1.5));
    std::vector<float> values;
    for (int y = 0; y < high.rows; y += 2)
        for (int x = 0; x < high.cols; x += 2)
            if (source.at<std::uint8_t>(y, x))
                values.push_back(high.at<float>(y, x));
    return values.empty() ? 1.f : ops::median(std::move(values));
}

} // namespace

void makeMatteAndPlate(ReferenceWork& work)
{
    const cv::Mat matte = makeMatte(work);
    work.model.matte = ops::toImage(ops::toBytes(matte * 255.f));
    // The layer is the person and a thin fringe of what is around it. Its alpha is 1 wherever the
    // plate differs from the photo, so the rest frame is the photo.
    const float fringe = std::max(2.f, static_cast<float>(.05 * work.u()));
    cv::Mat distance;
    cv::distanceTransform(matte < .08f, distance, cv::DIST_L2, cv::DIST_MASK_5);
    work.layerAlpha = ops::toBytes(ops::smoothstep(distance, 1.2f * fringe, .8f * fringe) * 255.f);
    const cv::Mat source = distance > fringe;
    if (cv::countNonZero(source) < static_cast<int>(.01 * static_cast<double>(source.total())))
        work.model.notes.push_back("The person fills the picture; there is almost no background to "
                                   "show when the head moves.");
    const Fill fill = fillBehind(work, source);
    const float level = 1.3f * grainLevel(work, source);
    const cv::Mat grain = ops::grain(work.size(), 0x706c6174).mul(1.f - fill.mirrored) * level;
    cv::Mat grainRgb;
    cv::cvtColor(grain, grainRgb, cv::COLOR_GRAY2RGB);
    const cv::Mat weight = ops::smoothstep(distance, .8f * fringe, .45f * fringe);
    const cv::Mat plate = ops::mix(work.rgbF, fill.color + grainRgb, weight);
    work.model.plate = ops::toImage(ops::toBytes(plate));
}

} // namespace loquor::portrait
