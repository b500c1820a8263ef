// Colours of made frames brought to those of the reference picture: means and deviations in Lab, frame by frame.
#pragma once

namespace at {
class Tensor;
}

namespace loquor::modules {

// sRGB from 0 to 1 in the last dimension <-> CIE Lab for the white D65. Values brighter than white lose their colour.
at::Tensor labFromRgb(const at::Tensor& rgb);
at::Tensor rgbFromLab(const at::Tensor& lab);

// `frames` [batch, 3, frames, height, width] and `reference` [batch, 3, 1, height, width], both from -1 to 1. With
// strength 1 each frame has the mean and deviation of the reference; 0 leaves it as it is. The result is limited.
at::Tensor matchColours(const at::Tensor& frames, const at::Tensor& reference, double strength);

} // namespace loquor::modules
