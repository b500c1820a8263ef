#include "core/portrait/tile_kernel.h"
#include "core/portrait/tile_setup.h"

namespace loquor::portrait {
namespace {

struct TilePlanes
{
    std::uint32_t u[kTileSize * kTileSize];
    std::uint32_t v[kTileSize * kTileSize];
    std::uint32_t gain[kTileSize * kTileSize]; // 0 = no triangle here
};

void rasterise(const TriangleSetup& t, TilePlanes& planes)
{
    for (std::int32_t y = t.yBegin; y < t.yEnd; ++y) {
        std::int32_t e0 = t.edge[0] + y * t.edgeY[0] + t.xBegin * t.edgeX[0];
        std::int32_t e1 = t.edge[1] + y * t.edgeY[1] + t.xBegin * t.edgeX[1];
        std::int32_t e2 = t.edge[2] + y * t.edgeY[2] + t.xBegin * t.edgeX[2];
        for (std::int32_t x = t.xBegin; x < t.xEnd; ++x) {
            if ((e0 | e1 | e2) >= 0) {
                const auto ux = static_cast<std::uint32_t>(x), uy = static_cast<std::uint32_t>(y);
                const std::int32_t i = y * kTileSize + x;
                planes.u[i] = t.u.origin + ux * t.u.stepX + uy * t.u.stepY;
                planes.v[i] = t.v.origin + ux * t.v.stepX + uy * t.v.stepY;
                planes.gain[i] = t.gain.origin + ux * t.gain.stepX + uy * t.gain.stepY;
            }
            e0 += t.edgeX[0];
            e1 += t.edgeX[1];
            e2 += t.edgeX[2];
        }
    }
}

// Texel position from 16.16: whole texel and a fraction of `bits`, kept on the texture.
struct Texel
{
    std::int32_t whole, fraction;
};
Texel locate(std::uint32_t fixed, int bits, std::int32_t size)
{
    const auto rounded = static_cast<std::int32_t>(fixed + (1u << (15 - bits)));
    const std::int32_t last = (size - 1) << 16;
    const std::int32_t kept = rounded < 0 ? 0 : rounded > last ? last
                                                               : rounded;
    return {kept >> 16, (kept >> (16 - bits)) & ((1 << bits) - 1)};
}

void shadePixel(const FineTexture& texture, std::uint32_t u, std::uint32_t v, std::uint32_t gain,
                const std::uint8_t* plate, std::uint8_t* out)
{
    if (gain == 0) {
        for (int c = 0; c < 3; ++c)
            out[c] = plate[c];
        return;
    }
    const Texel x = locate(u, 6, texture.width), y = locate(v, 8, texture.height);
    const std::ptrdiff_t pitch = 4 * (std::ptrdiff_t{texture.width} + 1);
    const std::uint8_t* top = texture.pixels + y.whole * pitch + 4 * std::ptrdiff_t{x.whole};
    std::uint32_t value[4];
    for (int c = 0; c < 4; ++c) {
        const auto across = [&](const std::uint8_t* row) { // of 64
            return row[c] * (64 - x.fraction) + row[4 + c] * x.fraction;
        };
        const std::int32_t above = across(top), below = across(top + pitch);
        const std::int32_t down = ((below - above) * (y.fraction << 7) + 0x4000) >> 15;
        value[c] = static_cast<std::uint32_t>(above + down) << 2; // 8.8
        std::uint32_t g = c == 3 ? static_cast<std::uint32_t>(kGainOne) : gain >> 8;
        if (g > static_cast<std::uint32_t>(kMaxGain))
            g = static_cast<std::uint32_t>(kMaxGain);
        value[c] = (((value[c] * g) >> 16) + 64) >> 7;
        if (value[c] > 255)
            value[c] = 255;
    }
    const std::uint32_t alpha = value[3];
    for (int c = 0; c < 3; ++c) {
        const std::uint32_t sum = value[c] * alpha + plate[c] * (255 - alpha) + 128;
        out[c] = static_cast<std::uint8_t>((sum * 257) >> 16);
    }
}

} // namespace

void drawTilePortable(const TileJob& job)
{
    TilePlanes planes;
    for (std::uint32_t& g : planes.gain)
        g = 0;
    for (std::size_t i = 0; i < job.memberCount; ++i) {
        TriangleSetup setup;
        if (setUp(job, job.triangles + 3 * std::ptrdiff_t{job.members[i]}, setup))
            rasterise(setup, planes);
    }
    for (int y = 0; y < job.height; ++y) {
        const std::uint8_t* plate = job.plate + static_cast<std::size_t>(y) * job.stride;
        std::uint8_t* out = job.out + static_cast<std::size_t>(y) * job.stride;
        for (int x = 0; x < job.width; ++x) {
            const int i = y * kTileSize + x;
            shadePixel(job.texture, planes.u[i], planes.v[i], planes.gain[i], plate + 3 * x,
                       out + 3 * x);
        }
    }
}

bool hasAvx2()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

TileKernel bestTileKernel()
{
#if defined(__x86_64__)
    if (hasAvx2())
        return drawTileAvx2;
#endif
    return drawTilePortable;
}

} // namespace loquor::portrait
