// Who is person and who is background: matte, layer alpha, foreground colours, and the plate
// behind. See "Hair and background" in DESIGN.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/portrait/background_completion.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/reference_work.h"

namespace loquor::portrait {

namespace {

constexpr float kStrayReach = .22f; // u beside the person in which hair may fly

// The face's outline with the part of the head above the forehead that everybody has: in tight
// photos the mask misses it.
std::vector<cv::Point2f> skull(const ReferenceWork& work)
{
    constexpr double kAboveForehead = .18; // u; heads are at least .45 u high there
    const double toEdge = work.point(landmark::kForehead).y() / work.u();
    const double reach = toEdge < .45 ? toEdge + .05 : kAboveForehead;
    std::vector<cv::Point2f> out = work.points(landmark::kOval);
    const Vector2 up = -work.frame.down();
    const Vector2 eyes =
        (work.point(landmark::kOuterEyeRight) + work.point(landmark::kOuterEyeLeft)) / 2;
    const double height =
        std::max(1.0, (work.point(landmark::kForehead) - eyes).dot(up)); // of the forehead
    for (cv::Point2f& p : out) {
        const double above = (Vector2(p.x, p.y) - eyes).dot(up) / height;
        const double shift = reach * work.u() * std::clamp(above, 0.0, 1.0);
        p += cv::Point2f(static_cast<float>(up.x() * shift), static_cast<float>(up.y() * shift));
    }
    return out;
}

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
    ops::fillPolygon(face, skull(work), 255, 0, 0, false);
    matte.setTo(1.f, face);
    return matte;
}

cv::Mat halved(const cv::Mat& m)
{
    cv::Mat out;
    cv::resize(m, out, cv::Size((m.cols + 1) / 2, (m.rows + 1) / 2), 0, 0, cv::INTER_AREA);
    return out;
}

cv::Mat restored(const cv::Mat& m, cv::Size size)
{
    cv::Mat out;
    cv::resize(m, out, size, 0, 0, cv::INTER_LINEAR);
    return out;
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

// What the photo shows around the person, continued behind it: mirrored across the person's edge
// near it (keeps the texture), ever smoother farther in.
struct Fill
{
    cv::Mat color;  // float RGB
    cv::Mat smooth; // float 0..1: how much of the photo's grain was lost
};

// `spread`: unrest of the background. A plain one is mirrored deep; of a busy one only the rim,
// because mirrored objects make shards.
Fill fillBehind(const ReferenceWork& work, const cv::Mat& source, const cv::Mat& spread)
{
    const auto u = static_cast<float>(work.u());
    const cv::Size size = work.size();
    cv::Mat sourceF;
    source.convertTo(sourceF, CV_32F, 1 / 255.0);
    // A ragged mirror line makes shards: mirror across a smoothed one.
    const cv::Mat smoothSource = (ops::blur(sourceF, .12 * u) > .5f) & source;
    Fill fill;
    cv::Mat smooth = ops::pushPull(work.rgbF, sourceF);
    const cv::Mat plain = ops::smoothstep(spread, 16.f, 6.f);
    if (cv::countNonZero((plain < .5f) & (source == 0)) > .1 * cv::countNonZero(source == 0)) {
        const cv::Mat completed = completeBackground(work.rgbF, source, smooth, work.u());
        smooth = ops::mix(completed, smooth, plain);
    }
    if (cv::countNonZero(smoothSource) == 0) {
        fill.color = std::move(smooth);
        fill.smooth = cv::Mat::ones(size, CV_32F);
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
            const bool in =
                mx >= 0 && my >= 0 && mx < static_cast<float>(size.width) &&
                my < static_cast<float>(size.height) &&
                source.at<std::uint8_t>(static_cast<int>(my), static_cast<int>(mx)) != 0;
            inside.at<float>(y, x) = in ? 1.f : 0.f;
        }
    cv::Mat mirror;
    cv::remap(work.rgbF, mirror, mapX, mapY, cv::INTER_NEAREST, cv::BORDER_REFLECT);
    cv::Mat depth(size, CV_32F);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
            const float end = (.10f + .28f * plain.at<float>(y, x)) * u;
            depth.at<float>(y, x) =
                ops::smoothstep(end, .15f * end, nearest.distance.at<float>(y, x));
        }
    const cv::Mat mirrored = ops::blur(inside, 2).mul(depth);
    const cv::Mat softMirror = ops::blur(mirror, .025 * u);
    const cv::Mat softest = restored(ops::blur(halved(mirror), .045 * u), size);
    const cv::Mat softened = ops::smoothstep(nearest.distance, 0.f, .08f * u);
    mirror = ops::mix(mirror, softMirror, softened);
    mirror = ops::mix(mirror, softest, ops::smoothstep(nearest.distance, .06f * u, .25f * u));
    fill.color = ops::mix(smooth, mirror, mirrored);
    fill.smooth = 1.f - mirrored.mul(1.f - softened);
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

// Colours on both sides of the person's edge, smooth, and how far they can be told apart.
struct EdgeColors
{
    cv::Mat background; // float RGB
    cv::Mat foreground; // float RGB
    cv::Mat spread;     // float, deviation of the background around its smooth version
    cv::Mat confidence; // float 0..1: colours decide (1) or the mask alone (0)
};

// |a - b| over the three channels.
cv::Mat distanceOf(const cv::Mat& a, const cv::Mat& b)
{
    cv::Mat out(a.size(), CV_32F);
    for (int y = 0; y < a.rows; ++y) {
        const cv::Vec3f* pa = a.ptr<cv::Vec3f>(y);
        const cv::Vec3f* pb = b.ptr<cv::Vec3f>(y);
        float* po = out.ptr<float>(y);
        for (int x = 0; x < a.cols; ++x) {
            const cv::Vec3f d = pa[x] - pb[x];
            po[x] = std::sqrt(d.dot(d));
        }
    }
    return out;
}

// Smooth colours vary slowly, so half resolution does.
EdgeColors findEdgeColors(const ReferenceWork& work, const cv::Mat& outside,
                          const cv::Mat& depthInside)
{
    const auto u = static_cast<float>(work.u());
    const cv::Mat photo = halved(work.rgbF);
    const cv::Mat source = ops::toFloat(halved(outside) > .08f * u) / 255.f;
    const cv::Mat person = ops::toFloat(halved(depthInside) > .05f * u) / 255.f;
    cv::Mat source3;
    cv::cvtColor(source, source3, cv::COLOR_GRAY2RGB);
    const double sigma = .03 * work.u();
    cv::Mat weight = ops::blur(source, sigma);
    cv::Mat weight3;
    cv::cvtColor(cv::max(weight, 1e-3f), weight3, cv::COLOR_GRAY2RGB);
    cv::Mat local;
    cv::divide(ops::blur(photo.mul(source3), sigma), weight3, local);
    EdgeColors out;
    const cv::Mat background = ops::pushPull(local, source);
    cv::Mat spread = distanceOf(photo, local);
    spread = ops::blur(spread.mul(source), .06 * work.u());
    cv::divide(spread, cv::max(ops::blur(source, .06 * work.u()), 1e-3f), spread);
    spread = ops::pushPull(spread, source);
    const cv::Mat foreground = ops::pushPull(photo, person);
    const cv::Mat span = distanceOf(foreground, background);
    cv::Mat ratio;
    cv::divide(span, spread + 3.f, ratio);
    out.confidence =
        restored(ops::blur(ops::smoothstep(ratio, 2.5f, 6.f), .02 * work.u()), work.size());
    out.background = restored(background, work.size());
    out.foreground = restored(foreground, work.size());
    out.spread = restored(spread, work.size());
    return out;
}

// Opacity by colour where colours tell, by distance from the mask elsewhere (then with a thin
// fringe of the old background, which is what hides a wrong guess best).
cv::Mat layerAlpha(const ReferenceWork& work, const EdgeColors& edge, const cv::Mat& outside,
                   const cv::Mat& depthInside, const cv::Mat& fringeAlpha)
{
    const auto u = static_cast<float>(work.u());
    cv::Mat alpha(work.size(), CV_32F);
    for (int y = 0; y < alpha.rows; ++y) {
        const cv::Vec3f* pixel = work.rgbF.ptr<cv::Vec3f>(y);
        const cv::Vec3f* back = edge.background.ptr<cv::Vec3f>(y);
        const cv::Vec3f* front = edge.foreground.ptr<cv::Vec3f>(y);
        const float* spread = edge.spread.ptr<float>(y);
        const float* confidence = edge.confidence.ptr<float>(y);
        const float* out = outside.ptr<float>(y);
        const float* in = depthInside.ptr<float>(y);
        const float* fringe = fringeAlpha.ptr<float>(y);
        float* a = alpha.ptr<float>(y);
        for (int x = 0; x < alpha.cols; ++x) {
            a[x] = fringe[x];
            if (confidence[x] <= 0 || in[x] > .06f * u || out[x] > .16f * u)
                continue;
            const cv::Vec3f d = pixel[x] - back[x];
            const cv::Vec3f span = front[x] - back[x];
            const float low = 1.5f * spread[x] + 3;
            const float high = std::max(.75f * std::sqrt(span.dot(span)), low + 8);
            float byColor = std::clamp((std::sqrt(d.dot(d)) - low) / (high - low), 0.f, 1.f);
            byColor *= ops::smoothstep(.15f * u, .09f * u, out[x]);
            byColor = std::max(byColor, ops::smoothstep(.015f * u, .055f * u, in[x]));
            a[x] += (byColor - a[x]) * confidence[x];
        }
    }
    return alpha;
}

// Background in the photo's own pixels where little of the person lies over them, filled where much
// does.
cv::Mat composePlate(const ReferenceWork& work, const EdgeColors& edge, const cv::Mat& alpha,
                     const cv::Mat& fill, const cv::Mat& fringeWeight)
{
    cv::Mat plate(work.size(), CV_32FC3);
    // A little wider than the person: halos of sharpening and compression lie just outside. Wider
    // still before a plain background, where the fill cannot be told from the photo.
    const cv::Mat small = halved(alpha);
    const auto widened = [&](double reach) {
        const int r = std::max(1, static_cast<int>(std::lround(.5 * reach * work.u())));
        cv::Mat out;
        cv::dilate(small, out,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(2 * r + 1, 2 * r + 1)));
        return restored(ops::blur(out, .5 * r), work.size());
    };
    const cv::Mat wide =
        ops::mix(widened(.018), widened(.05), ops::smoothstep(edge.spread, 14.f, 5.f));
    for (int y = 0; y < plate.rows; ++y) {
        const cv::Vec3f* pixel = work.rgbF.ptr<cv::Vec3f>(y);
        const cv::Vec3f* front = edge.foreground.ptr<cv::Vec3f>(y);
        const cv::Vec3f* back = edge.background.ptr<cv::Vec3f>(y);
        const cv::Vec3f* filled = fill.ptr<cv::Vec3f>(y);
        const float* spread = edge.spread.ptr<float>(y);
        const float* confidence = edge.confidence.ptr<float>(y);
        const float* fringe = fringeWeight.ptr<float>(y);
        const float* a = alpha.ptr<float>(y);
        const float* covered = wide.ptr<float>(y);
        cv::Vec3f* out = plate.ptr<cv::Vec3f>(y);
        for (int x = 0; x < plate.cols; ++x) {
            const cv::Vec3f byFringe = pixel[x] + (filled[x] - pixel[x]) * fringe[x];
            out[x] = byFringe;
            if (confidence[x] <= 0)
                continue;
            cv::Vec3f bare = pixel[x];
            if (a[x] > 0 && a[x] < .6f) {
                const float reach = 3 * spread[x] + 6;
                for (int c = 0; c < 3; ++c)
                    bare[c] = std::clamp((pixel[x][c] - a[x] * front[x][c]) / (1 - a[x]),
                                         back[x][c] - reach, back[x][c] + reach);
            }
            const float k = ops::smoothstep(.15f, .5f, covered[x]);
            const cv::Vec3f byColor = bare + (filled[x] - bare) * k;
            out[x] = byFringe + (byColor - byFringe) * confidence[x];
        }
    }
    return plate;
}

// The background without what stands out of it, and how far it strays from that by itself.
struct Calm
{
    cv::Mat color; // float RGB
    cv::Mat level; // float
};

cv::Mat weightedMean(const cv::Mat& values, const cv::Mat& weight, double sigma)
{
    cv::Mat total = cv::max(ops::blur(weight, sigma), 1e-3f);
    cv::Mat weights = weight;
    if (values.channels() == 3) {
        cv::cvtColor(total, total, cv::COLOR_GRAY2RGB);
        cv::cvtColor(weight, weights, cv::COLOR_GRAY2RGB);
    }
    cv::Mat out;
    cv::divide(ops::blur(values.mul(weights), sigma), total, out);
    return out;
}

// Twice a local mean, the second time of the pixels that are like the first. At half size.
Calm findCalm(const ReferenceWork& work, const EdgeColors& edge, const cv::Mat& outside)
{
    const auto u = static_cast<float>(work.u());
    const cv::Mat photo = halved(work.rgbF);
    const cv::Mat spread = halved(edge.spread);
    const cv::Mat distance = halved(outside);
    const cv::Mat source = ops::toFloat(distance > .05f * u) / 255.f;
    const cv::Mat far = ops::toFloat(distance > kStrayReach * u) / 255.f;
    const double sigma = .07 * work.u();
    const cv::Mat apart = distanceOf(photo, weightedMean(photo, source, sigma));
    cv::Mat weight = source.clone();
    for (int y = 0; y < weight.rows; ++y)
        for (int x = 0; x < weight.cols; ++x) {
            const float d = apart.at<float>(y, x) / (std::min(spread.at<float>(y, x), 6.f) + 2);
            weight.at<float>(y, x) *= std::exp(-d * d) + 1e-3f;
        }
    const cv::Mat calm = ops::pushPull(weightedMean(photo, weight, sigma), source);
    const cv::Mat level = weightedMean(distanceOf(photo, calm), far, sigma);
    return {restored(calm, work.size()), restored(ops::pushPull(level, far), work.size())};
}

// Before a plain background whatever stands out beside the person is a stray hair or the halo of
// sharpening: it leaves the plate, and so moves with the person.
void removeStrays(const ReferenceWork& work, const EdgeColors& edge, const cv::Mat& outside,
                  const cv::Mat& grain, cv::Mat& plate)
{
    const auto u = static_cast<float>(work.u());
    const Calm calm = findCalm(work, edge, outside);
    for (int y = 0; y < plate.rows; ++y) {
        const cv::Vec3f* bare = calm.color.ptr<cv::Vec3f>(y);
        const float* level = calm.level.ptr<float>(y);
        const float* out = outside.ptr<float>(y);
        const float* noise = grain.ptr<float>(y);
        cv::Vec3f* to = plate.ptr<cv::Vec3f>(y);
        for (int x = 0; x < plate.cols; ++x) {
            const float plain = ops::smoothstep(14.f, 7.f, level[x]) *
                                ops::smoothstep(kStrayReach * u, .7f * kStrayReach * u, out[x]);
            if (plain <= 0)
                continue;
            const cv::Vec3f d = bare[x] - to[x];
            const float low = 1.2f * level[x] + 2;
            const float k = plain * ops::smoothstep(low, low + 8, std::sqrt(d.dot(d)));
            to[x] += (d + cv::Vec3f::all(noise[x])) * k;
        }
    }
}

// Where plate and photo differ outside the person, the layer must carry the difference: as little
// opacity as gives it.
void coverDifferences(const ReferenceWork& work, const cv::Mat& plateBytes, cv::Mat& alphaBytes)
{
    constexpr float kMost = .8f;
    for (int y = 0; y < alphaBytes.rows; ++y)
        for (int x = 0; x < alphaBytes.cols; ++x) {
            std::uint8_t& a = alphaBytes.at<std::uint8_t>(y, x);
            if (a == 255)
                continue;
            const cv::Vec3b p = plateBytes.at<cv::Vec3b>(y, x);
            const cv::Vec3b i = work.rgb.at<cv::Vec3b>(y, x);
            float needed = 0;
            for (int c = 0; c < 3; ++c) {
                const float d = static_cast<float>(i[c]) - static_cast<float>(p[c]);
                const float room =
                    d > 0 ? 255.f - static_cast<float>(p[c]) : static_cast<float>(p[c]);
                needed = std::max(needed, std::abs(d) / std::max(1.f, room));
            }
            if (needed > .004f)
                a = std::max(
                    a, cv::saturate_cast<std::uint8_t>(255 * std::min(kMost, 1.15f * needed)));
        }
}

// Colour of the layer so that layer over plate gives the photo: (photo - (1 - a) plate) / a.
cv::Mat foregroundColors(const ReferenceWork& work, const EdgeColors& edge, const cv::Mat& outside,
                         const cv::Mat& alphaBytes, const cv::Mat& plateBytes)
{
    const auto reach = static_cast<float>(.3 * work.u());
    cv::Mat out = work.rgb.clone();
    for (int y = 0; y < out.rows; ++y)
        for (int x = 0; x < out.cols; ++x) {
            const float a = alphaBytes.at<std::uint8_t>(y, x) / 255.f;
            if (a >= 1 || outside.at<float>(y, x) > reach)
                continue;
            const cv::Vec3b p = plateBytes.at<cv::Vec3b>(y, x);
            const cv::Vec3b i = work.rgb.at<cv::Vec3b>(y, x);
            const cv::Vec3f f = edge.foreground.at<cv::Vec3f>(y, x);
            cv::Vec3b& o = out.at<cv::Vec3b>(y, x);
            for (int c = 0; c < 3; ++c)
                o[c] = cv::saturate_cast<std::uint8_t>(
                    a < .02f ? f[c]
                             : (static_cast<float>(i[c]) - (1 - a) * static_cast<float>(p[c])) / a);
        }
    return out;
}

} // namespace

void makeMatteAndPlate(ReferenceWork& work)
{
    const cv::Mat matte = makeMatte(work);
    const float fringe = std::max(2.f, static_cast<float>(.05 * work.u()));
    cv::Mat outside;
    cv::Mat depthInside;
    cv::distanceTransform(matte < .08f, outside, cv::DIST_L2, cv::DIST_MASK_5);
    cv::distanceTransform(matte >= .5f, depthInside, cv::DIST_L2, cv::DIST_MASK_5);
    const cv::Mat source = outside > fringe;
    if (cv::countNonZero(source) < static_cast<int>(.01 * static_cast<double>(source.total())))
        work.model.notes.push_back("The person fills the picture; there is almost no background to "
                                   "show when the head moves.");
    const EdgeColors edge = findEdgeColors(work, outside, depthInside);
    const Fill fill = fillBehind(work, source, edge.spread);
    const float level = 1.3f * grainLevel(work, source);
    const cv::Mat noise = ops::grain(work.size(), 0x706c6174) * level;
    const cv::Mat grain = noise.mul(fill.smooth);
    cv::Mat grainRgb;
    cv::cvtColor(grain, grainRgb, cv::COLOR_GRAY2RGB);

    const cv::Mat alpha = layerAlpha(work, edge, outside, depthInside,
                                     ops::smoothstep(outside, 1.2f * fringe, .8f * fringe));
    cv::Mat bare = composePlate(work, edge, alpha, fill.color + grainRgb,
                                ops::smoothstep(outside, .8f * fringe, .45f * fringe));
    removeStrays(work, edge, outside, noise, bare);
    const cv::Mat plate = ops::toBytes(bare);
    work.layerAlpha = ops::toBytes(alpha * 255.f);
    coverDifferences(work, plate, work.layerAlpha);
    work.layerRgb = foregroundColors(work, edge, outside, work.layerAlpha, plate);
    work.model.plate = ops::toImage(plate);
    work.model.matte = ops::toImage(ops::toBytes(matte * 255.f));
}

} // namespace loquor::portrait
