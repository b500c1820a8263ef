#include "core/portrait/paint.h"

#include "core/portrait/vector_math.h"

namespace loquor::portrait {

Box boundsOf(std::span<const Point2> points, float margin, int width, int height)
{
    float x0 = 1e9f, x1 = -1e9f, y0 = 1e9f, y1 = -1e9f;
    for (const Point2& p : points) {
        x0 = std::min(x0, p.x);
        x1 = std::max(x1, p.x);
        y0 = std::min(y0, p.y);
        y1 = std::max(y1, p.y);
    }
    auto clip = [](float value, int size) {
        return static_cast<int>(std::clamp(value, 0.f, static_cast<float>(size)));
    };
    return {clip(std::floor(x0 - margin), width), clip(std::floor(y0 - margin), height),
            clip(std::ceil(x1 + margin), width), clip(std::ceil(y1 + margin), height)};
}

void Patch::load(const Image& image, const Box& area)
{
    box = area;
    rgb.resize(3 * static_cast<std::size_t>(box.width()) * static_cast<std::size_t>(box.height()));
    for (int y = 0; y < box.height(); ++y) {
        const std::uint8_t* in = image.row(box.top + y) + 3 * box.left;
        float* out = row(y);
        for (int i = 0; i < 3 * box.width(); ++i)
            out[i] = static_cast<float>(in[i]);
    }
}

void Patch::store(Image& image) const
{
    for (int y = 0; y < box.height(); ++y) {
        const float* in = rgb.data() + 3 * static_cast<std::size_t>(y * box.width());
        std::uint8_t* out = image.row(box.top + y) + 3 * box.left;
        for (int i = 0; i < 3 * box.width(); ++i)
            out[i] = static_cast<std::uint8_t>(std::clamp(in[i], 0.f, 255.f) + .5f); // NOLINT(bugprone-incorrect-roundings): never negative
    }
}

void Mask::reset(const Box& area)
{
    box = area;
    value.assign(static_cast<std::size_t>(box.width()) * static_cast<std::size_t>(box.height()),
                 0.f);
}

namespace {

// Adds one polygon edge to a row of coverage differences; x already clamped to [0, width].
void addSpan(float* row, int width, float xa, float xb, float area)
{
    const float x0 = std::min(xa, xb), x1 = std::max(xa, xb);
    const int first = static_cast<int>(x0), last = static_cast<int>(std::ceil(x1));
    auto add = [&](int x, float v) {
        if (x < width)
            row[x] += v;
    };
    if (last <= first + 1) {
        const float mean = .5f * (x0 + x1) - static_cast<float>(first);
        add(first, area - area * mean);
        add(first + 1, area * mean);
        return;
    }
    const float slope = 1.f / (x1 - x0);
    const float head = 1.f - (x0 - static_cast<float>(first));
    const float a0 = .5f * slope * head * head;
    const float tail = x1 - static_cast<float>(last) + 1.f;
    const float am = .5f * slope * tail * tail;
    add(first, area * a0);
    if (last == first + 2) {
        add(first + 1, area * (1.f - a0 - am));
    } else {
        const float a1 = slope * (1.5f - (x0 - static_cast<float>(first)));
        add(first + 1, area * (a1 - a0));
        for (int x = first + 2; x < last - 1; ++x)
            add(x, area * slope);
        const float a2 = a1 + static_cast<float>(last - first - 3) * slope;
        add(last - 1, area * (1.f - a2 - am));
    }
    add(last, area * am);
}

void addEdge(Point2 p, Point2 q, Mask& mask)
{
    if (p.y == q.y)
        return;
    const float direction = p.y < q.y ? 1.f : -1.f;
    if (p.y > q.y)
        std::swap(p, q);
    const auto width = static_cast<float>(mask.box.width());
    const float slope = (q.x - p.x) / (q.y - p.y);
    const int firstRow = std::max(0, static_cast<int>(std::floor(p.y)));
    const int lastRow = std::min(mask.box.height(), static_cast<int>(std::ceil(q.y)));
    for (int y = firstRow; y < lastRow; ++y) {
        const float top = std::max(static_cast<float>(y), p.y);
        const float bottom = std::min(static_cast<float>(y + 1), q.y);
        if (bottom <= top)
            continue;
        const float xa = std::clamp(p.x + (top - p.y) * slope, 0.f, width);
        const float xb = std::clamp(p.x + (bottom - p.y) * slope, 0.f, width);
        addSpan(mask.row(y), mask.box.width(), xa, xb, direction * (bottom - top));
    }
}

} // namespace

void fillPolygon(std::span<const Point2> polygon, Mask& mask)
{
    const Point2 origin{static_cast<float>(mask.box.left), static_cast<float>(mask.box.top)};
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point2& a = polygon[i];
        const Point2& b = polygon[(i + 1) % polygon.size()];
        addEdge({a.x - origin.x, a.y - origin.y}, {b.x - origin.x, b.y - origin.y}, mask);
    }
    for (int y = 0; y < mask.box.height(); ++y) {
        float sum = 0;
        float* row = mask.row(y);
        for (int x = 0; x < mask.box.width(); ++x) {
            sum += row[x];
            row[x] = std::min(1.f, std::abs(sum));
        }
    }
}

void strokeSegment(Point2 a, Point2 b, float halfWidth, float strength, Mask& mask)
{
    const Point2 ends[2] = {a, b};
    Box box = boundsOf(ends, halfWidth + 1.f, mask.box.right, mask.box.bottom);
    box.left = std::max(box.left, mask.box.left);
    box.top = std::max(box.top, mask.box.top);
    const float dx = b.x - a.x, dy = b.y - a.y;
    const float inverse = 1.f / std::max(1e-9f, dx * dx + dy * dy);
    for (int y = box.top; y < box.bottom; ++y) {
        float* row = mask.row(y - mask.box.top);
        for (int x = box.left; x < box.right; ++x) {
            const float px = static_cast<float>(x) + .5f - a.x;
            const float py = static_cast<float>(y) + .5f - a.y;
            const float t = std::clamp((px * dx + py * dy) * inverse, 0.f, 1.f);
            const float ex = px - t * dx, ey = py - t * dy;
            const float inside =
                std::clamp(halfWidth + .5f - std::sqrt(ex * ex + ey * ey), 0.f, 1.f) *
                std::min(1.f, 2.f * halfWidth);
            float& value = row[x - mask.box.left];
            value = std::max(value, inside * strength);
        }
    }
}

void blur(std::vector<float>& pixels, int width, int height, int channels, float sigma)
{
    if (sigma < .15f || width <= 0 || height <= 0)
        return;
    const int radius = std::max(1, static_cast<int>(std::ceil(2.6f * sigma)));
    std::vector<float> kernel(static_cast<std::size_t>(radius) + 1);
    float sum = 0;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        const float x = static_cast<float>(i) / sigma;
        kernel[i] = std::exp(-.5f * x * x);
        sum += i == 0 ? kernel[i] : 2 * kernel[i];
    }
    for (float& k : kernel)
        k /= sum;
    const auto pitch = static_cast<std::size_t>(width * channels);
    std::vector<float> line(pitch * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) { // down the columns
        float* out = line.data() + pitch * static_cast<std::size_t>(y);
        for (int k = -radius; k <= radius; ++k) {
            const auto from = static_cast<std::size_t>(std::clamp(y + k, 0, height - 1));
            const float w = kernel[static_cast<std::size_t>(std::abs(k))];
            const float* in = pixels.data() + pitch * from;
            for (std::size_t i = 0; i < pitch; ++i)
                out[i] += w * in[i];
        }
    }
    for (int y = 0; y < height; ++y) { // along the rows
        const float* in = line.data() + pitch * static_cast<std::size_t>(y);
        float* out = pixels.data() + pitch * static_cast<std::size_t>(y);
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < channels; ++c) {
                float value = 0;
                for (int k = -radius; k <= radius; ++k)
                    value += kernel[static_cast<std::size_t>(std::abs(k))] *
                             in[std::clamp(x + k, 0, width - 1) * channels + c];
                out[x * channels + c] = value;
            }
    }
}

void columnHeights(std::span<const Point2> contour, int left, std::span<float> heights)
{
    const bool forward = contour.front().x <= contour.back().x;
    const Point2 first = forward ? contour.front() : contour.back();
    const Point2 last = forward ? contour.back() : contour.front();
    for (std::size_t i = 0; i < heights.size(); ++i) {
        const float x = static_cast<float>(left) + static_cast<float>(i) + .5f;
        heights[i] = x <= .5f * (first.x + last.x) ? first.y : last.y;
    }
    for (std::size_t i = 0; i + 1 < contour.size(); ++i) {
        Point2 a = contour[i], b = contour[i + 1];
        if (a.x > b.x)
            std::swap(a, b);
        const float size = static_cast<float>(heights.size());
        const float origin = static_cast<float>(left) + .5f;
        const int from = static_cast<int>(std::ceil(std::clamp(a.x - origin, 0.f, size)));
        const int to = static_cast<int>(std::floor(std::clamp(b.x - origin, -1.f, size - 1)));
        for (int x = from; x <= to; ++x) {
            const float t = (static_cast<float>(x) + origin - a.x) / std::max(1e-6f, b.x - a.x);
            heights[static_cast<std::size_t>(x)] = mix(a.y, b.y, t);
        }
    }
}

void columnSamples(std::span<const Point2> contour, int left, std::span<float> samples)
{
    std::vector<Point2> ramp(contour.begin(), contour.end());
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[i].y = static_cast<float>(i);
    columnHeights(ramp, left, samples);
}

namespace {

// Start of row y and the offsets of columns, both kept on the texture.
const float* textureRow(const Texture& t, int y)
{
    const int kept = std::clamp(y, 0, t.height - 1);
    return t.data.data() + static_cast<std::size_t>(t.channels) * static_cast<std::size_t>(kept) *
                               static_cast<std::size_t>(t.width);
}
int columnOffset(const Texture& t, int x)
{
    return std::clamp(x, 0, t.width - 1) * t.channels;
}

struct Position
{
    int x, y;
    float wx, wy;
};
Position positionOf(const Texture& t, float x, float y)
{
    // Kept near the texture so that whole numbers fit.
    x = std::clamp(x - .5f, -4.f, static_cast<float>(t.width) + 4.f);
    y = std::clamp(y - .5f, -4.f, static_cast<float>(t.height) + 4.f);
    const int ix = static_cast<int>(x + 8.f) - 8, iy = static_cast<int>(y + 8.f) - 8;
    return {ix, iy, x - static_cast<float>(ix), y - static_cast<float>(iy)};
}

} // namespace

void sampleLinear(const Texture& texture, float x, float y, float* out)
{
    const Position p = positionOf(texture, x, y);
    const float* top = textureRow(texture, p.y);
    const float* bottom = textureRow(texture, p.y + 1);
    const int left = columnOffset(texture, p.x), right = columnOffset(texture, p.x + 1);
    for (int k = 0; k < texture.channels; ++k)
        out[k] = mix(mix(top[left + k], top[right + k], p.wx),
                     mix(bottom[left + k], bottom[right + k], p.wx), p.wy);
}

void sampleCubic(const Texture& texture, float x, float y, float* out)
{
    const Position p = positionOf(texture, x, y);
    auto weights = [](float t, float* w) {
        const float t2 = t * t, t3 = t2 * t;
        w[0] = -.5f * t + t2 - .5f * t3;
        w[1] = 1 - 2.5f * t2 + 1.5f * t3;
        w[2] = .5f * t + 2 * t2 - 1.5f * t3;
        w[3] = -.5f * t2 + .5f * t3;
    };
    float wx[4], wy[4], sum[4] = {};
    weights(p.wx, wx);
    weights(p.wy, wy);
    int column[4];
    for (int i = 0; i < 4; ++i)
        column[i] = columnOffset(texture, p.x + i - 1);
    for (int j = 0; j < 4; ++j) {
        const float* row = textureRow(texture, p.y + j - 1);
        for (int i = 0; i < 4; ++i) {
            const float w = wx[i] * wy[j];
            for (int k = 0; k < texture.channels; ++k)
                sum[k] += w * row[column[i] + k];
        }
    }
    for (int k = 0; k < texture.channels; ++k)
        out[k] = std::clamp(sum[k], 0.f, 255.f);
}

Affine Affine::fromCorners(float w, float h, Point2 origin, Point2 right, Point2 down)
{
    return {(right.x - origin.x) / w, (down.x - origin.x) / h, origin.x,
            (right.y - origin.y) / w, (down.y - origin.y) / h, origin.y};
}

Affine Affine::inverse() const
{
    const float det = a * e - b * d;
    if (std::abs(det) < 1e-9f)
        return {0, 0, -1e6f, 0, 0, -1e6f};
    const float k = 1.f / det;
    return {e * k, -b * k, (b * f - c * e) * k, -d * k, a * k, (c * d - a * f) * k};
}

} // namespace loquor::portrait
