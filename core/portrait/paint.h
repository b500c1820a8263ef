// Small float picture helpers of the painters (eyes, lashes, mouth): patches of the output, soft
// masks of polygons, blur and sampling. Canvas convention: pixel (i, j) has its centre at +0.5.
#pragma once

#include <span>
#include <vector>

#include "core/media/image.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

// Pixel rectangle, right and bottom excluded.
struct Box
{
    int left = 0, top = 0, right = 0, bottom = 0;
    bool isEmpty() const { return left >= right || top >= bottom; }
    int width() const { return right - left; }
    int height() const { return bottom - top; }
};

struct Point2
{
    float x = 0, y = 0;
};

// Grown by `margin` px and cut to the canvas; empty when the points lie outside.
Box boundsOf(std::span<const Point2> points, float margin, int width, int height);

// A rectangle of the picture in float RGB.
struct Patch
{
    Box box;
    std::vector<float> rgb;
    void load(const Image& image, const Box& area);
    void store(Image& image) const; // rounds and clamps
    float* row(int y) { return rgb.data() + 3 * static_cast<std::size_t>(y * box.width()); }
};

// One float a pixel of a box.
struct Mask
{
    Box box;
    std::vector<float> value;
    void reset(const Box& area);
    float* row(int y) { return value.data() + static_cast<std::size_t>(y * box.width()); }
    const float* row(int y) const
    {
        return value.data() + static_cast<std::size_t>(y * box.width());
    }
};

// Exact area coverage 0..1 of a closed polygon.
void fillPolygon(std::span<const Point2> polygon, Mask& mask);
// Raises the mask to `strength` along the segment, with antialiased edges.
void strokeSegment(Point2 a, Point2 b, float halfWidth, float strength, Mask& mask);
// Separable Gauss, edges repeated. `channels` floats a pixel.
void blur(std::vector<float>& pixels, int width, int height, int channels, float sigma);

// y of a contour over the pixel columns [left, left + count): nearest end beyond the contour.
void columnHeights(std::span<const Point2> contour, int left, std::span<float> heights);
// The same for the position along the contour: index of the contour's points, fractional.
void columnSamples(std::span<const Point2> contour, int left, std::span<float> samples);

// Bilinear, edges repeated; x, y in texture pixels (centres at +0.5). `out` gets texture.channels.
void sampleLinear(const Texture& texture, float x, float y, float* out);
// Catmull-Rom, edges repeated.
void sampleCubic(const Texture& texture, float x, float y, float* out);

// (x, y) -> (a x + b y + c, d x + e y + f)
struct Affine
{
    float a = 1, b = 0, c = 0, d = 0, e = 1, f = 0;
    Point2 operator()(float x, float y) const { return {a * x + b * y + c, d * x + e * y + f}; }
    // Maps (0,0), (w,0), (0,h) to the three points.
    static Affine fromCorners(float w, float h, Point2 origin, Point2 right, Point2 down);
    Affine inverse() const; // singular: maps everything to a far away point
};

} // namespace loquor::portrait
