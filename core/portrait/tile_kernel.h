// The inner loop of the face layer: one tile of the canvas, from mesh triangles to composited pixels.
// Two builds of the same integer arithmetic, portable and AVX2, give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loquor::portrait {

inline constexpr int kTileSize = 32;
inline constexpr int kSubpixels = 64;      // vertex grid a pixel
inline constexpr int kGainOne = 32768;     // gain 1.0
inline constexpr int kMaxGain = 65535;

// A vertex on the grid: everything that decides the pixels around it.
struct GridVertex
{
    std::int32_t x = 0, y = 0;   // canvas px * kSubpixels
    std::int32_t u = 0, v = 0;   // photo px * kSubpixels
    std::int32_t gain = kGainOne;
    friend bool operator==(const GridVertex&, const GridVertex&) = default;
};

// The face texture at `scale` times the resolution of the photo (1 or 2): texel (scale i, scale j)
// is photo pixel (i, j), odd texels of scale 2 lie half way between. RGBA, straight alpha.
struct FineTexture
{
    const std::uint8_t* pixels = nullptr;
    std::int32_t width = 0, height = 0; // texels; each row has one more texel, and one more row exists
    std::int32_t scale = 2;
};

struct TileJob
{
    const GridVertex* vertices = nullptr;
    const std::int32_t* triangles = nullptr;     // 3 a triangle
    const std::int32_t* members = nullptr;       // triangles that may touch the tile, drawn in order
    std::size_t memberCount = 0;
    FineTexture texture;
    int x0 = 0, y0 = 0, width = 0, height = 0;   // the tile on the canvas, <= kTileSize each
    const std::uint8_t* plate = nullptr;         // RGB of the tile's first pixel
    std::uint8_t* out = nullptr;                 // RGB of the tile's first pixel
    std::size_t stride = 0;                      // bytes a row of plate and out
};

using TileKernel = void (*)(const TileJob&);

void drawTilePortable(const TileJob& job);
void drawTileAvx2(const TileJob& job);
bool hasAvx2();
// The fastest kernel of this processor.
TileKernel bestTileKernel();
// Asks for what drawing the tile will read, while another one is drawn. Only with hasAvx2().
void prefetchTileAvx2(const TileJob& job);

} // namespace loquor::portrait
