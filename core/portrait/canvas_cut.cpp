// Where the photo is cut, and the one resampling between photo and canvas.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/media/face_framing.h"
#include "core/portrait/image_ops.h"
#include "core/portrait/landmark_groups.h"
#include "core/portrait/portrait_builder.h"

namespace loquor::portrait {

namespace {

double eyeDistance(const Landmarks& l)
{
    const Point3& a = l[landmark::kOuterEyeRight];
    const Point3& b = l[landmark::kOuterEyeLeft];
    return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) +
                     (a.z - b.z) * (a.z - b.z));
}

struct Bounds
{
    double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
    void add(const Point3& p)
    {
        x0 = std::min<double>(x0, p.x);
        y0 = std::min<double>(y0, p.y);
        x1 = std::max<double>(x1, p.x);
        y1 = std::max<double>(y1, p.y);
    }
    double width() const { return std::max(1.0, x1 - x0); }
    double height() const { return std::max(1.0, y1 - y0); }
};

media::FaceExtent extentOf(const Landmarks& onPhoto)
{
    media::FaceExtent out;
    out.eyeDistance = eyeDistance(onPhoto);
    Bounds box;
    for (std::size_t i = 0; i < 468; ++i) {
        out.centreX += onPhoto[i].x / 468.0;
        out.centreY += onPhoto[i].y / 468.0;
        box.add(onPhoto[i]);
    }
    out.width = box.width();
    out.height = box.height();
    return out;
}

std::string inventedNote(double share, bool sides)
{
    const auto percent = std::max(1l, std::lround(100 * share));
    return "The photo does not fill the picture: about " + std::to_string(percent) + " % of it, " +
           (sides ? "left and right" : "at the bottom") +
           ", is a blurred continuation of the photo. " +
           (sides ? "A square or portrait format" : "A wider format") +
           ", or a photo with more room around the head, shows only the photo.";
}

} // namespace

CanvasCut planCanvas(const Landmarks& onPhoto, int photoWidth, int photoHeight, int canvasWidth,
                     int canvasHeight)
{
    const media::PhotoCut planned = media::cutAroundFace(extentOf(onPhoto), photoWidth, photoHeight,
                                                         canvasWidth, canvasHeight);
    CanvasCut cut{planned.scale, planned.x0, planned.y0, planned.width, planned.height, planned.invented, {}};
    if (cut.invented > 0)
        cut.notes.push_back(inventedNote(cut.invented, planned.inventedSides));
    return cut;
}

namespace {

// The part of the photo the cut needs, reduced by a whole factor when it is much too large.
struct Source
{
    cv::Mat pixels;        // 8-bit RGB
    double x0 = 0, y0 = 0; // photo px of its origin
    double step = 1;       // photo px per source px
};

Source takeSource(const cv::Mat& photo, const CanvasCut& cut)
{
    Source source;
    const int factor = std::max(1, static_cast<int>(std::floor(.5 / cut.scale)));
    const double margin = 6.0 * factor + 4.0 / cut.scale;
    const auto clampTo = [](double v, int hi) {
        return static_cast<int>(std::clamp(std::floor(v), 0.0, static_cast<double>(hi)));
    };
    int left = clampTo(cut.x0 - margin, photo.cols - 1);
    int top = clampTo(cut.y0 - margin, photo.rows - 1);
    int right = clampTo(cut.x0 + cut.width / cut.scale + margin, photo.cols);
    int bottom = clampTo(cut.y0 + cut.height / cut.scale + margin, photo.rows);
    right = std::max(right, left + 1);
    bottom = std::max(bottom, top + 1);
    cv::Mat part = photo(cv::Rect(left, top, right - left, bottom - top));
    source.x0 = left;
    source.y0 = top;
    if (factor > 1 && part.cols >= factor && part.rows >= factor) {
        const cv::Size size(part.cols / factor, part.rows / factor);
        cv::resize(part(cv::Rect(0, 0, size.width * factor, size.height * factor)), source.pixels,
                   size, 0, 0, cv::INTER_AREA);
        source.step = factor;
    } else {
        source.pixels = std::move(part);
    }
    const double k = cut.scale * source.step;
    if (k < .9)
        source.pixels = ops::blur(source.pixels, .45 / k);
    return source;
}

cv::Mat resample(const Source& source, const CanvasCut& cut, int interpolation)
{
    // canvas index i -> photo coordinate -> source index, pixel centres at +.5 on all sides
    const double k = cut.scale * source.step;
    const double dx = (cut.x0 + .5 / cut.scale - source.x0) / source.step - .5;
    const double dy = (cut.y0 + .5 / cut.scale - source.y0) / source.step - .5;
    const cv::Mat map = (cv::Mat_<double>(2, 3) << 1 / k, 0, dx, 0, 1 / k, dy);
    cv::Mat out;
    cv::warpAffine(source.pixels, out, map, cv::Size(cut.width, cut.height),
                   interpolation | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
    return out;
}

// Noise of the source: median absolute difference from its own smooth version.
float noiseOf(const cv::Mat& luminance)
{
    const cv::Mat high = cv::abs(luminance - ops::blur(luminance, 1.0));
    std::vector<float> values;
    for (int y = 0; y < high.rows; y += 3)
        for (int x = 0; x < high.cols; x += 3)
            values.push_back(high.at<float>(y, x));
    return ops::median(std::move(values));
}

// How much detail an enlargement may be given back, 0..1: photos that are soft by themselves gain,
// those whose pixels are already hard (sharpened, printed, noisy) would only show their raster.
float roomForDetail(const cv::Mat& luminance)
{
    const cv::Rect middle(luminance.cols / 4, luminance.rows / 6, std::max(1, luminance.cols / 2),
                          std::max(1, luminance.rows * 2 / 3));
    const cv::Mat part = luminance(middle);
    const cv::Mat fine = cv::abs(part - ops::blur(part, 1));
    const cv::Mat coarse = cv::abs(part - ops::blur(part, 3));
    // Only where there is structure; flat walls say nothing.
    const float threshold =
        ops::percentile(std::vector<float>(coarse.begin<float>(), coarse.end<float>()), .7);
    const cv::Mat structure = coarse > threshold;
    const double hardness =
        cv::mean(fine, structure)[0] / std::max(.1, cv::mean(coarse, structure)[0]);
    return static_cast<float>(std::clamp((.40 - hardness) / .06, .25, 1.0));
}

cv::Mat luminanceOf(const cv::Mat& rgb)
{
    cv::Mat gray;
    cv::cvtColor(ops::toFloat(rgb), gray, cv::COLOR_RGB2GRAY);
    return gray;
}

// Takes back the softness of an enlargement, on luminance: first the picture is made consistent
// with the photo (shrunk again it must give the photo: iterative back-projection), then edges that
// rise above the noise are steepened, never beyond the values around them, and grain is added,
// because skin without any looks like plastic.
cv::Mat restoreDetail(const Source& source, const CanvasCut& cut, const cv::Mat& enlarged)
{
    const double k = cut.scale;
    const cv::Mat photo = luminanceOf(source.pixels);
    const cv::Mat start = luminanceOf(enlarged);
    const float noise = noiseOf(photo);
    cv::Mat detail = start.clone();
    Source residual = source;
    // source index j -> canvas index
    const double dx = ((source.x0 + .5 - cut.x0) * k) - .5;
    const double dy = ((source.y0 + .5 - cut.y0) * k) - .5;
    const cv::Mat down = (cv::Mat_<double>(2, 3) << k, 0, dx, 0, k, dy);
    for (int round = 0; round < 3; ++round) {
        cv::Mat again;
        cv::warpAffine(ops::blur(detail, .42 * k), again, down, photo.size(),
                       cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
        cv::Mat difference = photo - again;
        for (int y = 0; y < difference.rows; ++y) {
            float* d = difference.ptr<float>(y);
            for (int x = 0; x < difference.cols; ++x) {
                const float over = std::max(0.f, std::abs(d[x]) - .5f * noise);
                d[x] = std::clamp(std::copysign(over, d[x]), -40.f, 40.f);
            }
        }
        residual.pixels = difference;
        detail += .8 * resample(residual, cut, cv::INTER_CUBIC);
    }
    const int reach = 2 * std::max(1, static_cast<int>(std::lround(.6 * k))) + 1;
    const cv::Mat window = cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(reach, reach));
    cv::Mat lowest;
    cv::Mat highest;
    cv::erode(start, lowest, window);
    cv::dilate(start, highest, window);
    const cv::Mat mask = detail - ops::blur(detail, .55 * k);
    const float threshold = 1.5f * noise + .5f;
    cv::Mat change(start.size(), CV_32F);
    for (int y = 0; y < start.rows; ++y) {
        const float* d = detail.ptr<float>(y);
        const float* m = mask.ptr<float>(y);
        const float* lo = lowest.ptr<float>(y);
        const float* hi = highest.ptr<float>(y);
        const float* s = start.ptr<float>(y);
        float* o = change.ptr<float>(y);
        for (int x = 0; x < start.cols; ++x) {
            const float edge = ops::smoothstep(threshold, 4 * threshold, hi[x] - lo[x]);
            const float slack = 2 + .08f * (hi[x] - lo[x]);
            const float sharp = std::clamp(d[x] + .9f * edge * m[x], lo[x] - slack, hi[x] + slack);
            o[x] = sharp - s[x];
        }
    }
    const float amount = static_cast<float>(std::clamp((k - 1.1) / .6, 0.0, 1.0));
    const float strength = .85f * amount * roomForDetail(photo);
    const float grainLevel = .8f * std::min(noise, 2.5f) * amount;
    return change * strength + ops::grain(start.size(), 0x6772) * grainLevel;
}

// Continues the picture beyond the photo's edges.
void fillOutside(cv::Mat& canvas, const CanvasCut& cut, const cv::Size& photo)
{
    const double left = -cut.x0 * cut.scale;
    const double top = -cut.y0 * cut.scale;
    const double right = left + photo.width * cut.scale;
    const double bottom = top + photo.height * cut.scale;
    cv::Mat known = cv::Mat::zeros(canvas.size(), CV_32F);
    const cv::Rect inside = cv::Rect(cv::Point(cvCeil(left - .01), cvCeil(top - .01)),
                                     cv::Point(cvFloor(right + .01), cvFloor(bottom + .01))) &
                            cv::Rect(cv::Point(0, 0), canvas.size());
    if (inside.size() == canvas.size() || inside.empty())
        return;
    known(inside) = 1.f;
    cv::Mat filled = ops::pushPull(ops::toFloat(canvas), known);
    const float noise = noiseOf(luminanceOf(canvas(inside)));
    const cv::Mat grain = ops::grain(canvas.size(), 0x6f75) * (1.3f * noise);
    for (int y = 0; y < canvas.rows; ++y)
        for (int x = 0; x < canvas.cols; ++x)
            if (known.at<float>(y, x) < .5f)
                filled.at<cv::Vec3f>(y, x) += cv::Vec3f::all(grain.at<float>(y, x));
    canvas = ops::toBytes(filled);
}

} // namespace

Image cutCanvas(const Image& photo, const CanvasCut& cut)
{
    LOQUOR_CHECK(photo.channels == 3 && photo.width > 0 && photo.height > 0);
    LOQUOR_CHECK(cut.width > 0 && cut.height > 0 && cut.scale > 0);
    const cv::Mat pixels = ops::view(photo);
    const Source source = takeSource(pixels, cut);
    cv::Mat canvas = resample(source, cut, cv::INTER_LANCZOS4);
    if (cut.scale > 1.1) {
        cv::Mat change;
        cv::cvtColor(restoreDetail(source, cut, canvas), change, cv::COLOR_GRAY2RGB);
        canvas = ops::toBytes(ops::toFloat(canvas) + change);
    }
    fillOutside(canvas, cut, pixels.size());
    return ops::toImage(canvas);
}

} // namespace loquor::portrait
