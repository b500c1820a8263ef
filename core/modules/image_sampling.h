// Cuts a square or a rectangle out of an image as the input of a network. Internal to core/modules.
#pragma once

#include <array>
#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/media/image.h"

namespace loquor::modules {

enum class Border {
    None = 0,
    Black,     // outside of the image is black
    Replicate, // ... is the nearest pixel of its edge
};

// Where output pixels come from: source = origin + x * stepX + y * stepY, with x, y the centre of an
// output pixel (0.5 for the first) and pixel centres of the source at +0.5 as well.
struct SamplingGrid
{
    std::array<float, 2> origin{}, stepX{}, stepY{};
    int width = 0, height = 0;
    Border border = Border::Replicate;
};

// RGB image -> (1, 3, height, width) float32, value * scale + offset. Bilinear; reductions beyond 2
// average several samples per output pixel, so that big photos do not alias.
at::Tensor sampleToTensor(const Image& rgb, const SamplingGrid& grid, float scale, float offset);

} // namespace loquor::modules
