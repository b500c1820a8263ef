// The operators of the face networks that LibTorch does not have, or not as fast. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace loquor::modules {

// Convolution with padding {top, left, bottom, right}, which may be uneven. bias may be undefined.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const std::vector<std::int64_t>& stride, const std::vector<std::int64_t>& padding,
                    std::int64_t groups);

// x where x > 0, else slope of its channel times x; x is NCHW and overwritten.
at::Tensor preluInPlace(at::Tensor x, const at::Tensor& slope);

// Reshape of the channels-last value: a 4-D x is NCHW, a 4-D shape is NHWC and the result NCHW.
at::Tensor reshapeChannelsLast(const at::Tensor& x, const std::vector<std::int64_t>& shape);

// How a group of landmarks decides which part of a feature map is looked at more closely.
struct CropParameters
{
    std::size_t left = 0, right = 0; // landmarks whose line becomes horizontal
    std::vector<std::size_t> subset; // landmarks inside the crop, with a margin of half its size
};

// landmarks (1, n, >= 2) in cells of the feature map -> (1, 4, 4): cell of the width x height output ->
// cell of the feature map.
at::Tensor landmarkMatrix(const at::Tensor& landmarks, const CropParameters& crop, std::int64_t width,
                          std::int64_t height);

// Bilinear samples of a NCHW map at the centres of height x width cells taken through the matrix;
// outside of the map 0.
at::Tensor sampleBilinear(const at::Tensor& map, const at::Tensor& matrix, std::int64_t height,
                          std::int64_t width);

// points (1, n, 2) through the matrix (1, 4, 4).
at::Tensor transformPoints(const at::Tensor& points, const at::Tensor& matrix);

} // namespace loquor::modules
