// Triangle set-up of the tile kernels, in exact integers. Included by both kernel files: all names
// are local to the including file, so that no code built for AVX2 is ever shared with the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/portrait/tile_kernel.h"

namespace loquor::portrait {
namespace {

// One attribute over the triangle: value at the tile's first pixel centre and steps. Wraps modulo
// 2^32 like the sums in the loops: inside the triangle the true value always fits.
struct Plane
{
    std::uint32_t origin, stepX, stepY;
};

struct TriangleSetup
{
    std::int32_t edge[3], edgeX[3], edgeY[3]; // inside: all >= 0; at the tile's first pixel centre
    std::int32_t xBegin, xEnd, yBegin, yEnd;  // pixels of the tile
    Plane u, v, gain;                          // 16.16 texels, 16.16 texels, 16.8 gain
};

inline std::int64_t lowest(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t highest(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
inline std::uint32_t toFixed(double value)
{
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(value + (value < 0 ? -.5 : .5)));
}

// Far-away edges only need their sign: the change over a tile stays below 2^30 for triangles up to
// kLongestEdge, so a clamped value keeps its sign over the whole tile.
constexpr std::int64_t kEdgeClamp = std::int64_t{1} << 30;
constexpr std::int64_t kLongestEdge = std::int64_t{4000} * kSubpixels;

inline Plane makePlane(double a, double b, double c, double scale, const double* bary)
{
    // bary: weights of b and c at the tile's first pixel centre, then their steps in x and y.
    const double p = (b - a) * scale, q = (c - a) * scale;
    return {toFixed(a * scale + p * bary[0] + q * bary[1]), toFixed(p * bary[2] + q * bary[3]),
            toFixed(p * bary[4] + q * bary[5])};
}

// False when the triangle covers no pixel centre of the tile's box.
inline bool setUp(const TileJob& job, const std::int32_t* triangle, TriangleSetup& out)
{
    const GridVertex* a = job.vertices + triangle[0];
    const GridVertex* b = job.vertices + triangle[1];
    const GridVertex* c = job.vertices + triangle[2];
    const std::int64_t bx = std::int64_t{b->x} - a->x, by = std::int64_t{b->y} - a->y;
    std::int64_t cx = std::int64_t{c->x} - a->x, cy = std::int64_t{c->y} - a->y;
    std::int64_t area = bx * cy - by * cx;
    if (area == 0)
        return false;
    if (area < 0) { // seen from behind: turn it round
        const GridVertex* t = b;
        b = c;
        c = t;
        area = -area;
    }
    const std::int64_t ox = std::int64_t{job.x0} * kSubpixels + kSubpixels / 2;
    const std::int64_t oy = std::int64_t{job.y0} * kSubpixels + kSubpixels / 2;
    const std::int64_t left = lowest(a->x, lowest(b->x, c->x)) - ox;
    const std::int64_t right = highest(a->x, highest(b->x, c->x)) - ox;
    const std::int64_t top = lowest(a->y, lowest(b->y, c->y)) - oy;
    const std::int64_t bottom = highest(a->y, highest(b->y, c->y)) - oy;
    if (right - left > kLongestEdge || bottom - top > kLongestEdge || right < 0 || bottom < 0 ||
        left > std::int64_t{job.width} * kSubpixels || top > std::int64_t{job.height} * kSubpixels)
        return false;
    out.xBegin = static_cast<std::int32_t>(highest(0, (left + kSubpixels - 1) / kSubpixels));
    out.xEnd = static_cast<std::int32_t>(lowest(job.width, right / kSubpixels + 1));
    out.yBegin = static_cast<std::int32_t>(highest(0, (top + kSubpixels - 1) / kSubpixels));
    out.yEnd = static_cast<std::int32_t>(lowest(job.height, bottom / kSubpixels + 1));
    if (out.xBegin >= out.xEnd || out.yBegin >= out.yEnd)
        return false;

    const GridVertex* corner[3] = {a, b, c};
    std::int64_t raw[3];
    std::int64_t stepX[3], stepY[3];
    for (int i = 0; i < 3; ++i) {
        // Edge opposite corner i, positive inside.
        const GridVertex* p = corner[(i + 1) % 3];
        const GridVertex* q = corner[(i + 2) % 3];
        const std::int64_t dx = std::int64_t{q->x} - p->x, dy = std::int64_t{q->y} - p->y;
        raw[i] = dx * (oy - p->y) - dy * (ox - p->x);
        stepX[i] = -dy * kSubpixels;
        stepY[i] = dx * kSubpixels;
        // A shared edge belongs to one side only.
        const std::int64_t bias = (dy < 0 || (dy == 0 && dx > 0)) ? 0 : -1;
        out.edge[i] = static_cast<std::int32_t>(
            lowest(kEdgeClamp, highest(-kEdgeClamp, raw[i] + bias)));
        out.edgeX[i] = static_cast<std::int32_t>(stepX[i]);
        out.edgeY[i] = static_cast<std::int32_t>(stepY[i]);
    }
    const double inverse = 1. / static_cast<double>(area);
    double bary[6];
    for (int i = 0; i < 2; ++i) {
        bary[i] = static_cast<double>(raw[1 + i]) * inverse;
        bary[2 + i] = static_cast<double>(stepX[1 + i]) * inverse;
        bary[4 + i] = static_cast<double>(stepY[1 + i]) * inverse;
    }
    // photo px p -> texel scale (p - 1/2), in 16.16
    const double perUnit = job.texture.scale * 65536. / kSubpixels;
    out.u = makePlane(a->u, b->u, c->u, perUnit, bary);
    out.v = makePlane(a->v, b->v, c->v, perUnit, bary);
    out.gain = makePlane(a->gain, b->gain, c->gain, 256., bary);
    out.u.origin -= static_cast<std::uint32_t>(job.texture.scale * 32768);
    out.v.origin -= static_cast<std::uint32_t>(job.texture.scale * 32768);
    return true;
}

} // namespace
} // namespace loquor::portrait
