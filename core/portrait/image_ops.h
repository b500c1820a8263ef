// Image arithmetic of the reference stage on OpenCV matrices. Internal to core/portrait.
// Matrices are integer-centred like OpenCV's: continuous canvas coordinate c is index c - 0.5.
#pragma once

#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/media/image.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait::ops {

inline float smoothstep(float a, float b, float x)
{
    const float t = std::min(1.f, std::max(0.f, (x - a) / (b - a)));
    return t * t * (3 - 2 * t);
}
cv::Mat smoothstep(const cv::Mat& x, float a, float b);

// A view of the image's pixels (no copy; the caller keeps the image alive and does not write).
cv::Mat view(const Image& image);
Image toImage(const cv::Mat& bytes);
Texture toTexture(const cv::Mat& floats);
// float32 copy
cv::Mat toFloat(const cv::Mat& m);
// Rounded and saturated to 8 bits.
cv::Mat toBytes(const cv::Mat& m);
cv::Mat blur(const cv::Mat& m, double sigma);
// a * (1 - k) + b * k; a, b float with 1..4 channels, k float with 1.
cv::Mat mix(const cv::Mat& a, const cv::Mat& b, const cv::Mat& k);

// Fills where `known` (float 0..1) is not 1, smoothly from the known pixels (push-pull pyramid).
// `image` is float with 1..3 channels.
cv::Mat pushPull(const cv::Mat& image, const cv::Mat& known);

// Edge-aware smoothing of `p` guided by `guide` (float, 0..1).
cv::Mat guidedFilter(const cv::Mat& guide, const cv::Mat& p, int radius, float eps);

// Gaussian grain of unit deviation before the slight blur that film and sensors show; float, 1
// channel.
cv::Mat grain(cv::Size size, std::uint64_t seed);

// Value at continuous coordinates, clamped to the image.
cv::Vec3f sample(const cv::Mat& bytes3, double x, double y);
float sample1(const cv::Mat& floats, double x, double y);

// Polygon in continuous coordinates of a matrix whose origin lies at (x0, y0).
void fillPolygon(cv::Mat& bytes, const std::vector<cv::Point2f>& polygon, double value,
                 float x0 = 0, float y0 = 0, bool smoothEdge = true);
void drawPath(cv::Mat& m, const std::vector<cv::Point2f>& path, double value, int thickness);

// p in 0..1; 0 for an empty list.
float percentile(std::vector<float> values, double p);
inline float median(std::vector<float> values)
{
    return percentile(std::move(values), .5);
}

// Rectangle around the points grown by `margin`, clipped to the size (may be empty).
cv::Rect boxAround(const std::vector<cv::Point2f>& points, float margin, cv::Size clip);

} // namespace loquor::portrait::ops
