// RGB to the 4:2:0 planes that video encoders take.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loquor::media {

// Three planes: y of width x height, u and v of half that in both directions; strides in bytes.
struct YuvPlanes
{
    std::uint8_t* y = nullptr;
    std::uint8_t* u = nullptr;
    std::uint8_t* v = nullptr;
    std::ptrdiff_t yStride = 0;
    std::ptrdiff_t uStride = 0;
    std::ptrdiff_t vStride = 0;
};

// BT.709, limited range, chroma sited left (as H.264 assumes): filtered 1-2-1 across, averaged over
// two rows. Width and height even. Exactly rounded; the same bytes on every processor. Reentrant.
void rgbToYuv420(const std::uint8_t* rgb, std::ptrdiff_t rgbStride, int width, int height,
                 const YuvPlanes& to);

namespace detail {

// The two implementations behind it, for tests: two rows at a time from column `from` on; `sums` is
// scratch of at least 3 * (width + 32) values, filled for columns before `from` already.
void rgbRowsPlain(const std::uint8_t* row0, const std::uint8_t* row1, int from, int width,
                  std::uint8_t* y0, std::uint8_t* y1, std::uint16_t* sums);
int rgbRowsAvx2(const std::uint8_t* row0, const std::uint8_t* row1, int width, std::uint8_t* y0,
                std::uint8_t* y1, std::uint16_t* sums);
void chromaPlain(const std::uint16_t* sums, int from, int width, std::uint8_t* u, std::uint8_t* v);
int chromaAvx2(const std::uint16_t* sums, int width, std::uint8_t* u, std::uint8_t* v);
void rgbToYuv420With(bool useAvx2, const std::uint8_t* rgb, std::ptrdiff_t rgbStride, int width,
                     int height, const YuvPlanes& to);

} // namespace detail

} // namespace loquor::media
