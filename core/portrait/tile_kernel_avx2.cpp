// Compiled for AVX2: reached only through bestTileKernel(). Same arithmetic as the portable file.
#include <immintrin.h>

#include "core/portrait/tile_kernel.h"
#include "core/portrait/tile_setup.h"

namespace loquor::portrait {
namespace {

constexpr int kPitch = kTileSize;

struct alignas(32) TilePlanes
{
    std::int32_t u[kPitch * kTileSize];
    std::int32_t v[kPitch * kTileSize];
    std::int32_t gain[kPitch * kTileSize]; // 0 = no triangle here
};

inline __m256i spread(std::uint32_t value)
{
    return _mm256_set1_epi32(static_cast<int>(value));
}
inline __m256i* vec(std::int32_t* p)
{
    return reinterpret_cast<__m256i*>(p);
}

// A sum over the tile, eight pixels of a row at a time.
struct Ramp
{
    __m256i row, stepX, stepY; // at the start of the row; eight pixels on; a row down

    Ramp(std::uint32_t origin, std::uint32_t x, std::uint32_t y, std::uint32_t perX, std::uint32_t perY)
        : row(_mm256_add_epi32(
              spread(origin + x * perX + y * perY),
              _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), spread(perX)))),
          stepX(spread(8 * perX)), stepY(spread(perY))
    {
    }
};
inline void advance(__m256i& value, __m256i step)
{
    value = _mm256_add_epi32(value, step);
}

void rasterise(const TriangleSetup& t, TilePlanes& planes)
{
    const std::int32_t left = t.xBegin & ~7; // pixels before the triangle are outside its edges
    const auto ramp = [&](std::uint32_t origin, std::uint32_t perX, std::uint32_t perY) {
        return Ramp(origin, static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(t.yBegin), perX, perY);
    };
    const auto edgeRamp = [&](int i) {
        return ramp(static_cast<std::uint32_t>(t.edge[i]), static_cast<std::uint32_t>(t.edgeX[i]),
                    static_cast<std::uint32_t>(t.edgeY[i]));
    };
    Ramp edge0 = edgeRamp(0), edge1 = edgeRamp(1), edge2 = edgeRamp(2);
    Ramp u = ramp(t.u.origin, t.u.stepX, t.u.stepY), v = ramp(t.v.origin, t.v.stepX, t.v.stepY);
    Ramp gain = ramp(t.gain.origin, t.gain.stepX, t.gain.stepY);
    for (std::int32_t y = t.yBegin; y < t.yEnd; ++y) {
        __m256i e0 = edge0.row, e1 = edge1.row, e2 = edge2.row, nowU = u.row, nowV = v.row, nowGain = gain.row;
        for (std::int32_t x = left; x < t.xEnd; x += 8) {
            const __m256i outside = _mm256_or_si256(_mm256_or_si256(e0, e1), e2);
            if (_mm256_movemask_ps(_mm256_castsi256_ps(outside)) != 0xff) {
                // Blend and store: masked stores are slow on some processors.
                const __m256i inside = _mm256_cmpgt_epi32(outside, _mm256_set1_epi32(-1));
                const auto put = [&](std::int32_t* plane, __m256i value) {
                    __m256i* at = vec(plane + y * kPitch + x);
                    _mm256_store_si256(at, _mm256_blendv_epi8(_mm256_load_si256(at), value, inside));
                };
                put(planes.u, nowU);
                put(planes.v, nowV);
                put(planes.gain, nowGain);
            }
            advance(e0, edge0.stepX);
            advance(e1, edge1.stepX);
            advance(e2, edge2.stepX);
            advance(nowU, u.stepX);
            advance(nowV, v.stepX);
            advance(nowGain, gain.stepX);
        }
        advance(edge0.row, edge0.stepY);
        advance(edge1.row, edge1.stepY);
        advance(edge2.row, edge2.stepY);
        advance(u.row, u.stepY);
        advance(v.row, v.stepY);
        advance(gain.row, gain.stepY);
    }
}

// Texel position from 16.16, rounded to the weight's bits and kept on the texture.
inline __m256i kept(__m256i fixed, std::int32_t rounding, std::int32_t size)
{
    const __m256i rounded = _mm256_add_epi32(fixed, _mm256_set1_epi32(rounding));
    return _mm256_min_epi32(_mm256_max_epi32(rounded, _mm256_setzero_si256()),
                            _mm256_set1_epi32((size - 1) << 16));
}
// (64 - w) | w << 8, w = 6 bits of the fraction
inline __m256i acrossWeights(__m256i fixed)
{
    const __m256i w = _mm256_and_si256(_mm256_srli_epi32(fixed, 10), _mm256_set1_epi32(63));
    return _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(64), w), _mm256_slli_epi32(w, 8));
}
// 8 bits of the fraction, of 32768
inline __m256i downWeights(__m256i fixed)
{
    return _mm256_and_si256(_mm256_srli_epi32(fixed, 1), _mm256_set1_epi32(255 << 7));
}

inline __m256i pair(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
inline __m128i load8(const std::uint8_t* p)
{
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}
// Two texels each of two pixels.
inline __m128i loadTwice8(const std::uint8_t* p, const std::uint8_t* q)
{
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(load8(p)), reinterpret_cast<const __m64*>(q)));
}
// Half `pick` (pixels 0..3 or 4..7) of a vector in both halves.
template<int pick>
inline __m256i bothHalves(__m256i eight)
{
    return _mm256_permute2x128_si256(eight, eight, pick == 0 ? 0x00 : 0x11);
}
// The low 16 bits of four pixels, to every channel: pixels 0, 1 in the low half, 2, 3 in the high.
inline __m256i toChannels(__m256i four)
{
    return _mm256_shuffle_epi8(
        four, _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5, 8, 9, 8, 9, 8, 9, 8, 9,
                               12, 13, 12, 13, 12, 13, 12, 13));
}

// Eight pixels as they come from the planes.
struct Samples
{
    alignas(32) std::int32_t texel[8];
    __m256i across, down, gain; // 16 bits a pixel each
};

// Four pixels, RGBA as 16 bits: the sample times gain, 0..255 (unsaturated above).
template<int pick>
inline __m256i shadeFour(const std::uint8_t* pixels, std::ptrdiff_t pitch, const Samples& s)
{
    const std::uint8_t* p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = pixels + std::ptrdiff_t{s.texel[4 * pick + i]} * 4;
    const __m256i neighbours = _mm256_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15, 0, 4, 1,
                                                5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    const __m256i across = toChannels(bothHalves<pick>(s.across));
    const auto row = [&](std::ptrdiff_t offset) { // of 64
        const __m256i texels = pair(loadTwice8(p[0] + offset, p[1] + offset),
                                    loadTwice8(p[2] + offset, p[3] + offset));
        return _mm256_maddubs_epi16(_mm256_shuffle_epi8(texels, neighbours), across);
    };
    const __m256i top = row(0), bottom = row(pitch);
    const __m256i down = toChannels(bothHalves<pick>(s.down));
    const __m256i value = _mm256_add_epi16(top, _mm256_mulhrs_epi16(_mm256_sub_epi16(bottom, top), down));
    // gain of each pixel on its three colours, one on alpha
    const __m256i one = _mm256_set1_epi64x(static_cast<long long>(0x8000000000000000ULL));
    const __m256i gain = _mm256_blend_epi16(toChannels(bothHalves<pick>(s.gain)), one, 0x88);
    const __m256i lit = _mm256_mulhi_epu16(_mm256_slli_epi16(value, 2), gain);
    return _mm256_srli_epi16(_mm256_add_epi16(lit, _mm256_set1_epi16(64)), 7);
}

// value * alpha + plate * (255 - alpha), over 255, both RGBA 16-bit with alpha in lane 3.
inline __m256i over(__m256i value, __m256i plate)
{
    const __m256i alpha = _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(value, 0xff), 0xff);
    const __m256i sum = _mm256_add_epi16(
        _mm256_add_epi16(_mm256_mullo_epi16(value, alpha),
                         _mm256_mullo_epi16(
                             plate, _mm256_sub_epi16(_mm256_set1_epi16(255), alpha))),
        _mm256_set1_epi16(128));
    return _mm256_mulhi_epu16(sum, _mm256_set1_epi16(257));
}

inline void storeRgb(__m256i rgba, std::uint8_t* out) // 8 pixels, 24 bytes
{
    const __m256i squeeze =
        _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6,
                         8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    const __m256i packed = _mm256_permutevar8x32_epi32(
        _mm256_shuffle_epi8(rgba, squeeze), _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(packed));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 16), _mm256_extracti128_si256(packed, 1));
}

inline __m256i loadRgb(const std::uint8_t* in) // 8 pixels -> RGB0 bytes; reads exactly 24 bytes
{
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    const __m128i b = load8(in + 16);
    const __m128i high = _mm_alignr_epi8(b, a, 12); // bytes 12..27
    const __m128i spreadMask =
        _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    return pair(_mm_shuffle_epi8(a, spreadMask), _mm_shuffle_epi8(high, spreadMask));
}

// Eight pixels that may hold anything: `plate` and `out` have 24 bytes.
void shadeEight(const TileJob& job, TilePlanes& planes, int at, const std::uint8_t* plate,
                std::uint8_t* out)
{
    const __m256i gain = _mm256_load_si256(vec(planes.gain + at));
    const __m256i none = _mm256_cmpeq_epi32(gain, _mm256_setzero_si256());
    const int uncovered = _mm256_movemask_ps(_mm256_castsi256_ps(none));
    if (uncovered == 0xff) {
        storeRgb(loadRgb(plate), out);
        return;
    }
    const std::int32_t pitch = job.texture.width + 1;
    // Where nothing was drawn the planes hold rubbish: sample texel 0 and give it no weight.
    const __m256i u = kept(_mm256_andnot_si256(none, _mm256_load_si256(vec(planes.u + at))), 512,
                           job.texture.width);
    const __m256i v = kept(_mm256_andnot_si256(none, _mm256_load_si256(vec(planes.v + at))), 128,
                           job.texture.height);
    Samples s;
    _mm256_store_si256(vec(s.texel),
                       _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(v, 16),
                                                           _mm256_set1_epi32(pitch)),
                                        _mm256_srli_epi32(u, 16)));
    s.across = acrossWeights(u);
    s.down = downWeights(v);
    s.gain = _mm256_min_epu32(_mm256_srli_epi32(gain, 8), _mm256_set1_epi32(kMaxGain));
    const __m256i low = shadeFour<0>(job.texture.pixels, std::ptrdiff_t{pitch} * 4, s);
    const __m256i high = shadeFour<1>(job.texture.pixels, std::ptrdiff_t{pitch} * 4, s);
    __m256i rgba = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xd8);
    rgba = _mm256_andnot_si256(none, rgba);
    const __m256i opaque = _mm256_cmpeq_epi32(_mm256_srli_epi32(rgba, 24), _mm256_set1_epi32(255));
    if (_mm256_movemask_ps(_mm256_castsi256_ps(opaque)) != 0xff) {
        const __m256i zero = _mm256_setzero_si256();
        const __m256i behind = loadRgb(plate); // most pixels never need it
        const __m256i first = over(_mm256_unpacklo_epi8(rgba, zero),
                                   _mm256_unpacklo_epi8(behind, zero));
        const __m256i second = over(_mm256_unpackhi_epi8(rgba, zero),
                                    _mm256_unpackhi_epi8(behind, zero));
        rgba = _mm256_packus_epi16(first, second);
    }
    storeRgb(rgba, out);
}

} // namespace

void drawTileAvx2(const TileJob& job)
{
    TilePlanes planes;
    const __m256i zero = _mm256_setzero_si256();
    for (int i = 0; i < kPitch * kTileSize; i += 8)
        _mm256_store_si256(vec(planes.gain + i), zero);
    for (std::size_t i = 0; i < job.memberCount; ++i) {
        TriangleSetup setup;
        if (setUp(job, job.triangles + 3 * std::ptrdiff_t{job.members[i]}, setup))
            rasterise(setup, planes);
    }
    for (int y = 0; y < job.height; ++y) {
        const std::uint8_t* plate = job.plate + static_cast<std::size_t>(y) * job.stride;
        std::uint8_t* out = job.out + static_cast<std::size_t>(y) * job.stride;
        int x = 0;
        for (; x + 8 <= job.width; x += 8)
            shadeEight(job, planes, y * kPitch + x, plate + 3 * x, out + 3 * x);
        if (x < job.width) { // the canvas ends within the eight
            std::uint8_t plateEnd[24] = {}, outEnd[24];
            const int bytes = 3 * (job.width - x);
            for (int i = 0; i < bytes; ++i)
                plateEnd[i] = plate[3 * x + i];
            shadeEight(job, planes, y * kPitch + x, plateEnd, outEnd);
            for (int i = 0; i < bytes; ++i)
                out[3 * x + i] = outEnd[i];
        }
    }
}

// The map is close to a shift, which any vertex of the tile tells; wrong guesses cost only time.
void prefetchTileAvx2(const TileJob& job)
{
    const auto fetchRows = [](const std::uint8_t* first, std::ptrdiff_t pitch, std::int32_t rows, std::ptrdiff_t bytes) {
        for (std::int32_t y = 0; y < rows; ++y)
            for (std::ptrdiff_t x = 0; x < bytes + 63; x += 64)
                _mm_prefetch(reinterpret_cast<const char*>(first + y * pitch + (x < bytes ? x : bytes - 1)), _MM_HINT_T0);
    };
    fetchRows(job.out, static_cast<std::ptrdiff_t>(job.stride), job.height, 3 * std::ptrdiff_t{job.width});
    fetchRows(job.plate, static_cast<std::ptrdiff_t>(job.stride), job.height, 3 * std::ptrdiff_t{job.width});
    if (job.memberCount == 0)
        return;
    const std::int32_t middle = job.members[job.memberCount / 2];
    const GridVertex& v = job.vertices[job.triangles[3 * std::ptrdiff_t{middle}]];
    const std::int32_t scale = job.texture.scale;
    const auto kept = [](std::int32_t value, std::int32_t size) {
        return value < 0 ? 0 : value < size ? value
                                            : size - 1;
    };
    const std::int32_t left = scale * (job.x0 + (v.u - v.x) / kSubpixels) - 2;
    const std::int32_t top = scale * (job.y0 + (v.v - v.y) / kSubpixels);
    const std::int32_t x0 = kept(left, job.texture.width), x1 = kept(left + scale * job.width + 4, job.texture.width);
    const std::int32_t y0 = kept(top, job.texture.height), y1 = kept(top + scale * job.height, job.texture.height);
    const std::ptrdiff_t pitch = 4 * (std::ptrdiff_t{job.texture.width} + 1);
    fetchRows(job.texture.pixels + y0 * pitch + 4 * std::ptrdiff_t{x0}, pitch, y1 - y0 + 1, 4 * std::ptrdiff_t{x1 - x0 + 1});
}

} // namespace loquor::portrait
