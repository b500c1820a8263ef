// Compiled for AVX2: reached only through bestTileKernel(). Same arithmetic as the portable file.
#include <immintrin.h>

#include "core/portrait/tile_kernel.h"
#include "core/portrait/tile_setup.h"

namespace loquor::portrait {
namespace {

constexpr int kPitch = kTileSize + 8; // eight pixels may begin at any pixel of the tile

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

void rasterise(const TriangleSetup& t, TilePlanes& planes)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto ramp = [&](std::uint32_t step) { return _mm256_mullo_epi32(lane, spread(step)); };
    const __m256i ramp0 = ramp(static_cast<std::uint32_t>(t.edgeX[0]));
    const __m256i ramp1 = ramp(static_cast<std::uint32_t>(t.edgeX[1]));
    const __m256i ramp2 = ramp(static_cast<std::uint32_t>(t.edgeX[2]));
    const __m256i rampU = ramp(t.u.stepX), rampV = ramp(t.v.stepX), rampG = ramp(t.gain.stepX);
    for (std::int32_t y = t.yBegin; y < t.yEnd; ++y) {
        const auto uy = static_cast<std::uint32_t>(y);
        for (std::int32_t x = t.xBegin; x < t.xEnd; x += 8) {
            const auto ux = static_cast<std::uint32_t>(x);
            const auto edge = [&](int i) {
                return spread(static_cast<std::uint32_t>(t.edge[i]) +
                              uy * static_cast<std::uint32_t>(t.edgeY[i]) +
                              ux * static_cast<std::uint32_t>(t.edgeX[i]));
            };
            const __m256i outside =
                _mm256_or_si256(_mm256_or_si256(_mm256_add_epi32(edge(0), ramp0),
                                                _mm256_add_epi32(edge(1), ramp1)),
                                _mm256_add_epi32(edge(2), ramp2));
            const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(outside));
            if (bits == 0xff)
                continue;
            const __m256i inside = _mm256_cmpgt_epi32(outside, _mm256_set1_epi32(-1));
            const std::int32_t i = y * kPitch + x;
            const auto put = [&](std::int32_t* plane, const Plane& p, __m256i steps) {
                // Blend and store: masked stores are slow on some processors.
                const __m256i value =
                    _mm256_add_epi32(spread(p.origin + ux * p.stepX + uy * p.stepY), steps);
                __m256i* at = vec(plane + i);
                _mm256_storeu_si256(
                    at, _mm256_blendv_epi8(_mm256_loadu_si256(at), value, inside));
            };
            put(planes.u, t.u, rampU);
            put(planes.v, t.v, rampV);
            put(planes.gain, t.gain, rampG);
        }
    }
}

struct Offsets
{
    alignas(32) std::int32_t texel[8];
    alignas(32) std::int32_t weightX[8]; // (256 - wx) | wx << 16
    alignas(32) std::int32_t weightY[8]; // (256 - wy) | wy << 16
    alignas(32) std::int32_t gain[8];
};

inline __m256i kept(__m256i fixed, std::int32_t size)
{
    const __m256i rounded = _mm256_add_epi32(fixed, _mm256_set1_epi32(128));
    return _mm256_min_epi32(_mm256_max_epi32(rounded, _mm256_setzero_si256()),
                            _mm256_set1_epi32((size - 1) << 16));
}
inline __m256i weights(__m256i fixed)
{
    const __m256i w = _mm256_and_si256(_mm256_srli_epi32(fixed, 8), _mm256_set1_epi32(255));
    return _mm256_or_si256(_mm256_sub_epi32(_mm256_set1_epi32(256), w), _mm256_slli_epi32(w, 16));
}

inline __m256i pair(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
inline __m128i load8(const std::uint8_t* p)
{
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}

// 16-bit weights of four pixels, (first, second) each in 32 bits, to every channel of two of them:
// pixel `pick` in the low half, pixel pick + 2 in the high half.
template<int pick, int word>
inline __m256i spreadWeight(__m256i four)
{
    constexpr int a = 4 * pick + 2 * word, b = a + 8;
    return _mm256_shuffle_epi8(
        four, _mm256_setr_epi8(a, a + 1, a, a + 1, a, a + 1, a, a + 1, a, a + 1, a, a + 1, a,
                               a + 1, a, a + 1, b, b + 1, b, b + 1, b, b + 1, b, b + 1, b, b + 1,
                               b, b + 1, b, b + 1, b, b + 1));
}
inline __m256i bothHalves(const std::int32_t* four)
{
    return _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(four)));
}

// Pixels pick (low half) and pick + 2 (high half) of four: 4 channels each as 32-bit 8.8.
template<int pick>
inline __m256i sampleTwo(const std::uint8_t* pixels, std::ptrdiff_t pitch,
                         const std::int32_t* texel, __m256i weightX, __m256i weightY)
{
    const __m256i zero = _mm256_setzero_si256();
    const std::uint8_t* pi = pixels + std::ptrdiff_t{texel[pick]} * 4;
    const std::uint8_t* pj = pixels + std::ptrdiff_t{texel[pick + 2]} * 4;
    const __m256i top = _mm256_unpacklo_epi8(pair(load8(pi), load8(pj)), zero);
    const __m256i bottom =
        _mm256_unpacklo_epi8(pair(load8(pi + pitch), load8(pj + pitch)), zero);
    const __m256i column = _mm256_srli_epi16(
        _mm256_add_epi16(_mm256_mullo_epi16(top, spreadWeight<pick, 0>(weightY)),
                         _mm256_mullo_epi16(bottom, spreadWeight<pick, 1>(weightY))),
        1);
    const __m256i leftRight = _mm256_unpacklo_epi16(column, _mm256_bsrli_epi128(column, 8));
    constexpr int w = pick | pick << 2 | pick << 4 | pick << 6;
    const __m256i wx = _mm256_blend_epi32(_mm256_shuffle_epi32(weightX, w),
                                          _mm256_shuffle_epi32(weightX, w + 0xaa), 0xf0);
    return _mm256_srli_epi32(_mm256_madd_epi16(leftRight, wx), 7);
}

// Four pixels as 16-bit channels times gain, 0..255 (unsaturated above).
inline __m256i shadeFour(const std::uint8_t* pixels, std::ptrdiff_t pitch, const Offsets& o, int i)
{
    const __m256i weightX = bothHalves(o.weightX + i), weightY = bothHalves(o.weightY + i);
    const __m256i even = sampleTwo<0>(pixels, pitch, o.texel + i, weightX, weightY);
    const __m256i odd = sampleTwo<1>(pixels, pitch, o.texel + i, weightX, weightY);
    const __m256i four = _mm256_packus_epi32(even, odd); // i, i+1 | i+2, i+3
    // gain of each pixel on its three colours, one on alpha
    const __m256i g = bothHalves(o.gain + i);
    const __m256i pick = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, -128, -128, 4, 5, 4, 5, 4, 5, -128,
                                          -128, 8, 9, 8, 9, 8, 9, -128, -128, 12, 13, 12, 13, 12,
                                          13, -128, -128);
    const __m256i one = _mm256_set1_epi64x(static_cast<long long>(0x8000000000000000ULL));
    const __m256i gain = _mm256_or_si256(_mm256_shuffle_epi8(g, pick), one);
    return _mm256_srli_epi16(
        _mm256_add_epi16(_mm256_mulhi_epu16(four, gain), _mm256_set1_epi16(64)), 7);
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
    const __m256i u = kept(_mm256_andnot_si256(none, _mm256_load_si256(vec(planes.u + at))),
                           job.texture.width);
    const __m256i v = kept(_mm256_andnot_si256(none, _mm256_load_si256(vec(planes.v + at))),
                           job.texture.height);
    Offsets o;
    _mm256_store_si256(vec(o.texel),
                       _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(v, 16),
                                                           _mm256_set1_epi32(pitch)),
                                        _mm256_srli_epi32(u, 16)));
    _mm256_store_si256(vec(o.weightX), weights(u));
    _mm256_store_si256(vec(o.weightY), weights(v));
    _mm256_store_si256(vec(o.gain), _mm256_min_epu32(_mm256_srli_epi32(gain, 8),
                                                     _mm256_set1_epi32(kMaxGain)));
    const __m256i low = shadeFour(job.texture.pixels, std::ptrdiff_t{pitch} * 4, o, 0);
    const __m256i high = shadeFour(job.texture.pixels, std::ptrdiff_t{pitch} * 4, o, 4);
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

// Asks for the texels of the tile ahead of their use: the map is close to a shift, which any vertex
// of the tile tells. Wrong guesses cost nothing but time.
void prefetchTexels(const TileJob& job)
{
    if (job.memberCount == 0)
        return;
    const std::int32_t middle = job.members[job.memberCount / 2];
    const GridVertex& v = job.vertices[job.triangles[3 * std::ptrdiff_t{middle}]];
    const std::int32_t scale = job.texture.scale;
    const std::int32_t left = scale * (job.x0 + (v.u - v.x) / kSubpixels);
    const std::int32_t top = scale * (job.y0 + (v.v - v.y) / kSubpixels);
    const auto kept = [](std::int32_t value, std::int32_t size) {
        return value < 0 ? 0 : value < size ? value
                                            : size - 1;
    };
    const std::ptrdiff_t pitch = 4 * (std::ptrdiff_t{job.texture.width} + 1);
    const std::int32_t first = kept(left - 2, job.texture.width);
    const std::int32_t last = kept(left + scale * job.width + 2, job.texture.width);
    const std::int32_t bottom = kept(top + scale * job.height, job.texture.height);
    for (std::int32_t y = kept(top, job.texture.height); y <= bottom; ++y) {
        const char* row = reinterpret_cast<const char*>(job.texture.pixels) + y * pitch;
        for (std::int32_t x = first & ~15; x <= last; x += 16)
            _mm_prefetch(row + 4 * std::ptrdiff_t{x}, _MM_HINT_T1);
    }
}

} // namespace

void drawTileAvx2(const TileJob& job)
{
    prefetchTexels(job);
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

} // namespace loquor::portrait
