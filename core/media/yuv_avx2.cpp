// The AVX2 form of yuv.cpp: the same integers, 32 pixels at a time. Reached only after a run-time
// check.
#include <immintrin.h>

#include "core/media/yuv.h"
#include "core/media/yuv_coefficients.h"

namespace loquor::media::detail {

namespace {

inline __m128i load16(const std::uint8_t* p)
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

inline __m256i loadPair(const std::uint8_t* low, const std::uint8_t* high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load16(low)), load16(high), 1);
}

inline void store32(void* to, __m256i value)
{
    _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}

inline __m256i load32(const void* from)
{
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

struct Channels
{
    __m256i c[3]; // 32 bytes each of R, G and B
};

// Selects bytes of one 16-byte block; -1 gives zero. Block k of 16 pixels holds bytes 16k..16k+15
// of 48.
inline __m256i mask(int block, int channel)
{
    alignas(32) std::int8_t bytes[32];
    for (int i = 0; i < 16; ++i) {
        const int at = 3 * i + channel - 16 * block;
        bytes[i] = bytes[i + 16] = static_cast<std::int8_t>(at >= 0 && at < 16 ? at : -1);
    }
    return load32(bytes);
}

struct Masks
{
    __m256i m[3][3]; // [channel][block]
    Masks()
    {
        for (int channel = 0; channel < 3; ++channel)
            for (int block = 0; block < 3; ++block)
                m[channel][block] = mask(block, channel);
    }
};

inline Channels split(const std::uint8_t* p, const Masks& masks)
{
    const __m256i a = loadPair(p, p + 48);
    const __m256i b = loadPair(p + 16, p + 64);
    const __m256i c = loadPair(p + 32, p + 80);
    Channels out;
    for (int i = 0; i < 3; ++i)
        out.c[i] = _mm256_or_si256(_mm256_or_si256(_mm256_shuffle_epi8(a, masks.m[i][0]),
                                                   _mm256_shuffle_epi8(b, masks.m[i][1])),
                                   _mm256_shuffle_epi8(c, masks.m[i][2]));
    return out;
}

// Two 16-bit factors for _mm256_madd_epi16.
inline __m256i factors(int low, int high)
{
    return _mm256_set1_epi32(static_cast<int>((static_cast<unsigned>(high) << 16) |
                                              (static_cast<unsigned>(low) & 0xFFFFu)));
}

// (r*fr + g*fg + b*fb + bias) >> shift for 16 values of 16 bits, in the order they came.
template<int shift>
inline __m256i weighted(__m256i r, __m256i g, __m256i b, __m256i rg, __m256i b0, __m256i bias)
{
    const __m256i zero = _mm256_setzero_si256();
    const auto half = [&](__m256i pairs, __m256i blue) {
        const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(pairs, rg),
                                             _mm256_add_epi32(_mm256_madd_epi16(blue, b0), bias));
        return _mm256_srai_epi32(sum, shift);
    };
    return _mm256_packs_epi32(half(_mm256_unpacklo_epi16(r, g), _mm256_unpacklo_epi16(b, zero)),
                              half(_mm256_unpackhi_epi16(r, g), _mm256_unpackhi_epi16(b, zero)));
}

inline __m256i luma(const Channels& p)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i rg = factors(kYr, kYg);
    const __m256i b0 = factors(kYb, 0);
    const __m256i bias = _mm256_set1_epi32(kYBias);
    const __m256i low =
        weighted<15>(_mm256_unpacklo_epi8(p.c[0], zero), _mm256_unpacklo_epi8(p.c[1], zero),
                     _mm256_unpacklo_epi8(p.c[2], zero), rg, b0, bias);
    const __m256i high =
        weighted<15>(_mm256_unpackhi_epi8(p.c[0], zero), _mm256_unpackhi_epi8(p.c[1], zero),
                     _mm256_unpackhi_epi8(p.c[2], zero), rg, b0, bias);
    return _mm256_packus_epi16(low, high);
}

} // namespace

int rgbRowsAvx2(const std::uint8_t* row0, const std::uint8_t* row1, int width, std::uint8_t* y0,
                std::uint8_t* y1, std::uint16_t* sums)
{
    const Masks masks;
    const __m256i zero = _mm256_setzero_si256();
    const std::ptrdiff_t plane = sumsPlane(width);
    int x = 0;
    for (; x + 32 <= width; x += 32) {
        const Channels p = split(row0 + std::ptrdiff_t{3} * x, masks);
        const Channels q = split(row1 + std::ptrdiff_t{3} * x, masks);
        store32(y0 + x, luma(p));
        store32(y1 + x, luma(q));
        for (int c = 0; c < 3; ++c) {
            const __m256i low = _mm256_add_epi16(_mm256_unpacklo_epi8(p.c[c], zero),
                                                 _mm256_unpacklo_epi8(q.c[c], zero));
            const __m256i high = _mm256_add_epi16(_mm256_unpackhi_epi8(p.c[c], zero),
                                                  _mm256_unpackhi_epi8(q.c[c], zero));
            std::uint16_t* at = sums + c * plane + 1 + x;
            store32(at, _mm256_permute2x128_si256(low, high, 0x20));
            store32(at + 16, _mm256_permute2x128_si256(low, high, 0x31));
        }
    }
    return x;
}

int chromaAvx2(const std::uint16_t* sums, int width, std::uint8_t* u, std::uint8_t* v)
{
    const std::ptrdiff_t plane = sumsPlane(width);
    const __m256i ones = _mm256_set1_epi16(1);
    const __m256i bias = _mm256_set1_epi32(kChromaBias);
    const __m256i uRg = factors(kUr, kUg), uB = factors(kUb, 0);
    const __m256i vRg = factors(kVr, kVg), vB = factors(kVb, 0);
    // 1-2-1 around 8 even columns: the pairs that begin one to the left plus the pairs themselves.
    const auto filtered = [&](const std::uint16_t* at) {
        return _mm256_add_epi32(_mm256_madd_epi16(load32(at - 1), ones),
                                _mm256_madd_epi16(load32(at), ones));
    };
    int i = 0;
    for (; 2 * i + 32 <= width; i += 16) {
        __m256i s[3];
        for (int c = 0; c < 3; ++c) {
            const std::uint16_t* at = sums + c * plane + 1 + std::ptrdiff_t{2} * i;
            s[c] =
                _mm256_permute4x64_epi64(_mm256_packs_epi32(filtered(at), filtered(at + 16)), 0xD8);
        }
        const auto write = [&](__m256i rg, __m256i b0, std::uint8_t* to) {
            const __m256i values = weighted<kChromaShift>(s[0], s[1], s[2], rg, b0, bias);
            const __m256i bytes =
                _mm256_permute4x64_epi64(_mm256_packus_epi16(values, values), 0xD8);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                             _mm256_castsi256_si128(bytes));
        };
        write(uRg, uB, u + i);
        write(vRg, vB, v + i);
    }
    return i;
}

} // namespace loquor::media::detail
