#include "core/portrait/image_ops.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/random.h"

namespace loquor::portrait::ops {

cv::Mat smoothstep(const cv::Mat& x, float a, float b)
{
    cv::Mat out(x.size(), CV_32F);
    for (int y = 0; y < x.rows; ++y) {
        const float* in = x.ptr<float>(y);
        float* o = out.ptr<float>(y);
        for (int i = 0; i < x.cols; ++i)
            o[i] = smoothstep(a, b, in[i]);
    }
    return out;
}

cv::Mat view(const Image& image)
{
    return cv::Mat(image.height, image.width, CV_8UC(image.channels),
                   const_cast<std::uint8_t*>(image.data.data()));
}

Image toImage(const cv::Mat& bytes)
{
    LOQUOR_CHECK(bytes.depth() == CV_8U);
    Image out(bytes.cols, bytes.rows, bytes.channels());
    for (int y = 0; y < bytes.rows; ++y)
        std::copy_n(bytes.ptr<std::uint8_t>(y), out.stride(), out.row(y));
    return out;
}

Texture toTexture(const cv::Mat& floats)
{
    LOQUOR_CHECK(floats.depth() == CV_32F);
    Texture out;
    out.width = floats.cols;
    out.height = floats.rows;
    out.channels = floats.channels();
    const std::size_t stride =
        static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.channels);
    out.data.resize(stride * static_cast<std::size_t>(out.height));
    for (int y = 0; y < floats.rows; ++y)
        std::copy_n(floats.ptr<float>(y), stride,
                    out.data.data() + stride * static_cast<std::size_t>(y));
    return out;
}

cv::Mat toFloat(const cv::Mat& m)
{
    cv::Mat out;
    m.convertTo(out, CV_32F);
    return out;
}

cv::Mat toBytes(const cv::Mat& m)
{
    cv::Mat out;
    m.convertTo(out, CV_8U);
    return out;
}

cv::Mat blur(const cv::Mat& m, double sigma)
{
    if (sigma < .05)
        return m.clone();
    cv::Mat out;
    cv::GaussianBlur(m, out, cv::Size(0, 0), sigma, sigma, cv::BORDER_REPLICATE);
    return out;
}

cv::Mat mix(const cv::Mat& a, const cv::Mat& b, const cv::Mat& k)
{
    const int channels = a.channels();
    cv::Mat out(a.size(), a.type());
    for (int y = 0; y < a.rows; ++y) {
        const float* pa = a.ptr<float>(y);
        const float* pb = b.ptr<float>(y);
        const float* pk = k.ptr<float>(y);
        float* po = out.ptr<float>(y);
        for (int x = 0; x < a.cols; ++x)
            for (int c = 0; c < channels; ++c, ++pa, ++pb, ++po)
                *po = *pa + (*pb - *pa) * pk[x];
    }
    return out;
}

cv::Mat pushPull(const cv::Mat& image, const cv::Mat& known)
{
    const int channels = image.channels();
    struct Level
    {
        cv::Mat color, weight; // colour premultiplied by the weight
    };
    std::vector<Level> levels(1);
    levels[0].weight = known;
    levels[0].color = mix(cv::Mat::zeros(image.size(), image.type()), image, known);
    while (std::min(levels.back().weight.rows, levels.back().weight.cols) > 2) {
        Level next;
        cv::pyrDown(levels.back().color, next.color);
        cv::pyrDown(levels.back().weight, next.weight);
        levels.push_back(std::move(next));
    }
    cv::Mat up;
    for (std::size_t i = levels.size(); i-- > 0;) {
        Level& level = levels[i];
        if (!up.empty()) {
            cv::Mat finer;
            cv::pyrUp(up, finer, level.weight.size());
            up = finer;
        } else {
            up = cv::Mat::zeros(level.weight.size(), image.type());
        }
        const bool coarsest = i + 1 == levels.size();
        for (int y = 0; y < level.weight.rows; ++y) {
            const float* w = level.weight.ptr<float>(y);
            float* c = level.color.ptr<float>(y);
            const float* u = up.ptr<float>(y);
            for (int x = 0; x < level.weight.cols; ++x)
                for (int k = 0; k < channels; ++k, ++c, ++u) {
                    const float weight = std::min(1.f, w[x]);
                    if (coarsest)
                        *c = w[x] > 1e-6f ? *c / w[x] : 128.f;
                    else
                        *c = (w[x] > 1e-3f ? *c / w[x] * weight : 0.f) + *u * (1 - weight);
                }
        }
        up = level.color;
    }
    for (int y = 0; y < up.rows; ++y) {
        const float* w = known.ptr<float>(y);
        const float* in = image.ptr<float>(y);
        float* o = up.ptr<float>(y);
        for (int x = 0; x < up.cols; ++x)
            if (w[x] > .99f)
                std::copy_n(in + x * channels, channels, o + x * channels);
    }
    return up;
}

cv::Mat guidedFilter(const cv::Mat& guide, const cv::Mat& p, int radius, float eps)
{
    const cv::Size window(2 * radius + 1, 2 * radius + 1);
    const auto mean = [&](const cv::Mat& m) {
        cv::Mat out;
        cv::boxFilter(m, out, CV_32F, window, cv::Point(-1, -1), true, cv::BORDER_REFLECT);
        return out;
    };
    const cv::Mat meanI = mean(guide);
    const cv::Mat meanP = mean(p);
    const cv::Mat cov = mean(guide.mul(p)) - meanI.mul(meanP);
    const cv::Mat var = mean(guide.mul(guide)) - meanI.mul(meanI);
    cv::Mat a;
    cv::divide(cov, var + eps, a);
    const cv::Mat b = meanP - a.mul(meanI);
    return mean(a).mul(guide) + mean(b);
}

cv::Mat grain(cv::Size size, std::uint64_t seed)
{
    // One tile repeated: a period of 256 px cannot be seen in noise.
    constexpr int kTile = 256;
    Random random(seed);
    cv::Mat tile(kTile, kTile, CV_32F);
    for (int y = 0; y < kTile; ++y)
        for (int x = 0; x < kTile; ++x)
            tile.at<float>(y, x) = static_cast<float>(random.normal());
    cv::Mat padded;
    cv::copyMakeBorder(tile, padded, 4, 4, 4, 4, cv::BORDER_WRAP);
    const cv::Mat soft = blur(padded, .7);
    cv::Mat out(size, CV_32F);
    for (int y = 0; y < size.height; ++y) {
        const float* in = soft.ptr<float>(4 + y % kTile) + 4;
        float* o = out.ptr<float>(y);
        for (int x = 0; x < size.width; ++x)
            o[x] = in[x % kTile];
    }
    return out;
}

namespace {

struct Bilinear
{
    int x0, x1, y0, y1;
    float fx, fy;
};

Bilinear bilinear(cv::Size size, double x, double y)
{
    const double ix = std::clamp(x - .5, 0.0, size.width - 1.0);
    const double iy = std::clamp(y - .5, 0.0, size.height - 1.0);
    Bilinear b{};
    b.x0 = static_cast<int>(ix);
    b.y0 = static_cast<int>(iy);
    b.x1 = std::min(b.x0 + 1, size.width - 1);
    b.y1 = std::min(b.y0 + 1, size.height - 1);
    b.fx = static_cast<float>(ix - b.x0);
    b.fy = static_cast<float>(iy - b.y0);
    return b;
}

} // namespace

cv::Vec3f sample(const cv::Mat& bytes3, double x, double y)
{
    const Bilinear b = bilinear(bytes3.size(), x, y);
    const auto at = [&](int yy, int xx) { return cv::Vec3f(bytes3.at<cv::Vec3b>(yy, xx)); };
    const cv::Vec3f top = at(b.y0, b.x0) * (1 - b.fx) + at(b.y0, b.x1) * b.fx;
    const cv::Vec3f bottom = at(b.y1, b.x0) * (1 - b.fx) + at(b.y1, b.x1) * b.fx;
    return top * (1 - b.fy) + bottom * b.fy;
}

float sample1(const cv::Mat& floats, double x, double y)
{
    const Bilinear b = bilinear(floats.size(), x, y);
    const float top =
        floats.at<float>(b.y0, b.x0) * (1 - b.fx) + floats.at<float>(b.y0, b.x1) * b.fx;
    const float bottom =
        floats.at<float>(b.y1, b.x0) * (1 - b.fx) + floats.at<float>(b.y1, b.x1) * b.fx;
    return top * (1 - b.fy) + bottom * b.fy;
}

namespace {

std::vector<cv::Point> fixedPoint(const std::vector<cv::Point2f>& points, float x0, float y0)
{
    std::vector<cv::Point> out;
    out.reserve(points.size());
    for (const cv::Point2f& p : points)
        out.emplace_back(cvRound((p.x - x0 - .5f) * 16), cvRound((p.y - y0 - .5f) * 16));
    return out;
}

} // namespace

void fillPolygon(cv::Mat& bytes, const std::vector<cv::Point2f>& polygon, double value, float x0,
                 float y0, bool smoothEdge)
{
    const std::vector<std::vector<cv::Point>> shapes{fixedPoint(polygon, x0, y0)};
    cv::fillPoly(bytes, shapes, cv::Scalar::all(value), smoothEdge ? cv::LINE_AA : cv::LINE_8, 4);
}

void drawPath(cv::Mat& m, const std::vector<cv::Point2f>& path, double value, int thickness)
{
    const std::vector<std::vector<cv::Point>> lines{fixedPoint(path, 0, 0)};
    cv::polylines(m, lines, false, cv::Scalar::all(value), std::max(1, thickness), cv::LINE_8, 4);
}

float percentile(std::vector<float> values, double p)
{
    if (values.empty())
        return 0;
    const auto at =
        static_cast<std::ptrdiff_t>(std::clamp(std::floor(p * static_cast<double>(values.size())),
                                               0.0, static_cast<double>(values.size()) - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

cv::Rect boxAround(const std::vector<cv::Point2f>& points, float margin, cv::Size clip)
{
    float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
    for (const cv::Point2f& p : points) {
        x0 = std::min(x0, p.x);
        y0 = std::min(y0, p.y);
        x1 = std::max(x1, p.x);
        y1 = std::max(y1, p.y);
    }
    const auto lo = [](float v) {
        return static_cast<int>(std::floor(std::clamp(v, -1e6f, 1e6f)));
    };
    const cv::Rect box(cv::Point(lo(x0 - margin), lo(y0 - margin)),
                       cv::Point(lo(x1 + margin) + 1, lo(y1 + margin) + 1));
    return box & cv::Rect(cv::Point(0, 0), clip);
}

} // namespace loquor::portrait::ops
