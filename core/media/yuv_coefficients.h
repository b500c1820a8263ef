// BT.709 in 15-bit fixed point, limited range. Private to core/media.
#pragma once

namespace loquor::media::detail {

inline constexpr int kYr = 5983, kYg = 20127, kYb = 2032;
inline constexpr int kUr = -3298, kUg = -11094, kUb = 14392; // sum 0: greys stay grey
inline constexpr int kVr = 14392, kVg = -13072, kVb = -1320; // sum 0
inline constexpr int kYBias = (16 << 15) + (1 << 14);
// Chroma works on eight-fold sums: 1-2-1 over columns times two rows.
inline constexpr int kChromaShift = 18;
inline constexpr int kChromaBias = (128 << kChromaShift) + (1 << (kChromaShift - 1));

// Distance between the R, G and B parts of the scratch sums; one value in front of each part stands
// for the column left of the picture.
inline constexpr int sumsPlane(int width)
{
    return width + 32;
}

} // namespace loquor::media::detail
