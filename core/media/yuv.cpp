#include "core/media/yuv.h"

#include <vector>

#include "core/base/check.h"
#include "core/media/yuv_coefficients.h"

namespace loquor::media {

namespace detail {

void rgbRowsPlain(const std::uint8_t* row0, const std::uint8_t* row1, int from, int width,
                  std::uint8_t* y0, std::uint8_t* y1, std::uint16_t* sums)
{
    const auto luma = [](const std::uint8_t* p) {
        return static_cast<std::uint8_t>((kYr * p[0] + kYg * p[1] + kYb * p[2] + kYBias) >> 15);
    };
    const std::ptrdiff_t plane = sumsPlane(width);
    for (int x = from; x < width; ++x) {
        const std::uint8_t* p = row0 + std::ptrdiff_t{3} * x;
        const std::uint8_t* q = row1 + std::ptrdiff_t{3} * x;
        y0[x] = luma(p);
        y1[x] = luma(q);
        for (int c = 0; c < 3; ++c)
            sums[c * plane + 1 + x] = static_cast<std::uint16_t>(p[c] + q[c]);
    }
}

void chromaPlain(const std::uint16_t* sums, int from, int width, std::uint8_t* u, std::uint8_t* v)
{
    const std::ptrdiff_t plane = sumsPlane(width);
    for (int i = from; i < width / 2; ++i) {
        int s[3];
        for (int c = 0; c < 3; ++c) {
            const std::uint16_t* at = sums + c * plane + 1 + std::ptrdiff_t{2} * i;
            s[c] = at[-1] + 2 * at[0] + at[1];
        }
        u[i] = static_cast<std::uint8_t>((kUr * s[0] + kUg * s[1] + kUb * s[2] + kChromaBias) >>
                                         kChromaShift);
        v[i] = static_cast<std::uint8_t>((kVr * s[0] + kVg * s[1] + kVb * s[2] + kChromaBias) >>
                                         kChromaShift);
    }
}

void rgbToYuv420With(bool useAvx2, const std::uint8_t* rgb, std::ptrdiff_t rgbStride, int width,
                     int height, const YuvPlanes& to)
{
    LOQUOR_CHECK(width > 0 && height > 0 && width % 2 == 0 && height % 2 == 0);
    const std::ptrdiff_t plane = sumsPlane(width);
    std::vector<std::uint16_t> sums(static_cast<std::size_t>(3 * plane));
    for (int y = 0; y < height; y += 2) {
        const std::uint8_t* row0 = rgb + std::ptrdiff_t{y} * rgbStride;
        const std::uint8_t* row1 = row0 + rgbStride;
        std::uint8_t* y0 = to.y + std::ptrdiff_t{y} * to.yStride;
        std::uint8_t* y1 = y0 + to.yStride;
        const int done = useAvx2 ? rgbRowsAvx2(row0, row1, width, y0, y1, sums.data()) : 0;
        rgbRowsPlain(row0, row1, done, width, y0, y1, sums.data());
        for (int c = 0; c < 3; ++c)
            sums[static_cast<std::size_t>(c * plane)] =
                sums[static_cast<std::size_t>(c * plane + 1)];
        std::uint8_t* u = to.u + std::ptrdiff_t{y / 2} * to.uStride;
        std::uint8_t* v = to.v + std::ptrdiff_t{y / 2} * to.vStride;
        const int chroma = useAvx2 ? chromaAvx2(sums.data(), width, u, v) : 0;
        chromaPlain(sums.data(), chroma, width, u, v);
    }
}

} // namespace detail

void rgbToYuv420(const std::uint8_t* rgb, std::ptrdiff_t rgbStride, int width, int height,
                 const YuvPlanes& to)
{
    static const bool hasAvx2 = __builtin_cpu_supports("avx2") != 0;
    detail::rgbToYuv420With(hasAvx2, rgb, rgbStride, width, height, to);
}

} // namespace loquor::media
