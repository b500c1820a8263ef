// The order in which a transform of radix two takes its values.
#pragma once

#include <cstddef>

namespace loquor {

// Calls swap(i, j) once for each pair of different places in 0..n-1 whose binary digits are each other's
// mirror image. n is a power of two.
template<class Swap>
void forBitReversedPairs(std::size_t n, Swap swap)
{
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j)
            swap(i, j);
    }
}

} // namespace loquor
