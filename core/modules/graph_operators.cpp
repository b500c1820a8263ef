#include "core/modules/graph_operators.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/zeros.h>

#include "core/base/check.h"

namespace loquor::modules {

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const std::vector<std::int64_t>& stride, const std::vector<std::int64_t>& padding,
                    std::int64_t groups)
{
    const bool even = padding[0] == padding[2] && padding[1] == padding[3];
    const at::Tensor padded =
        even ? x : at::constant_pad_nd(x, {padding[1], padding[3], padding[0], padding[2]});
    const std::array<std::int64_t, 2> sides = {even ? padding[0] : 0, even ? padding[1] : 0};
    return at::conv2d(padded, weight, bias, stride, sides, std::array<std::int64_t, 2>{1, 1}, groups);
}

at::Tensor preluInPlace(at::Tensor x, const at::Tensor& slope)
{
    LOQUOR_CHECK(x.dim() == 4 && x.is_contiguous() && slope.numel() == x.size(1), "prelu of another shape");
    auto* values = x.mutable_data_ptr<float>();
    const auto* slopes = slope.const_data_ptr<float>();
    const std::int64_t plane = x.size(2) * x.size(3);
    for (std::int64_t c = 0; c < x.size(0) * x.size(1); ++c, values += plane) {
        const float s = slopes[c % x.size(1)];
        for (std::int64_t i = 0; i < plane; ++i)
            values[i] = std::max(values[i], 0.0f) + s * std::min(values[i], 0.0f);
    }
    return x;
}

at::Tensor reshapeChannelsLast(const at::Tensor& x, const std::vector<std::int64_t>& shape)
{
    const at::Tensor last = x.dim() == 4 ? x.permute({0, 2, 3, 1}) : x;
    at::Tensor out = last.reshape(shape);
    return shape.size() == 4 ? out.permute({0, 3, 1, 2}).contiguous() : out.contiguous();
}

at::Tensor landmarkMatrix(const at::Tensor& landmarks, const CropParameters& crop, std::int64_t width,
                          std::int64_t height)
{
    const at::Tensor points = landmarks.contiguous();
    const auto* data = points.const_data_ptr<float>();
    const std::int64_t step = points.size(2);
    const auto at2 = [&](std::size_t index) {
        LOQUOR_CHECK(static_cast<std::int64_t>(index) < points.size(1), "landmark outside of the mesh");
        const float* p = data + static_cast<std::int64_t>(index) * step;
        return std::array<float, 2>{p[0], p[1]};
    };
    const auto a = at2(crop.left);
    const auto b = at2(crop.right);
    const float angle = -std::atan2(b[1] - a[1], b[0] - a[0]);
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    float minX = INFINITY, minY = INFINITY, maxX = -INFINITY, maxY = -INFINITY;
    for (const std::size_t index : crop.subset) {
        const auto p = at2(index);
        const float x = c * p[0] - s * p[1];
        const float y = s * p[0] + c * p[1];
        minX = std::min(minX, x);
        maxX = std::max(maxX, x);
        minY = std::min(minY, y);
        maxY = std::max(maxY, y);
    }
    const float middleX = (minX + maxX) / 2;
    const float middleY = (minY + maxY) / 2;
    const float centreX = c * middleX + s * middleY; // rotated back
    const float centreY = -s * middleX + c * middleY;
    const float scaleX = 1.5f * (maxX - minX) / static_cast<float>(width);
    const float scaleY = 1.5f * (maxY - minY) / static_cast<float>(height);
    at::Tensor out = at::zeros({1, 4, 4}, at::TensorOptions(at::kFloat));
    auto* m = out.mutable_data_ptr<float>();
    m[0] = c * scaleX;
    m[1] = s * scaleY;
    m[4] = -s * scaleX;
    m[5] = c * scaleY;
    m[3] = centreX - (m[0] * static_cast<float>(width) + m[1] * static_cast<float>(height)) / 2;
    m[7] = centreY - (m[4] * static_cast<float>(width) + m[5] * static_cast<float>(height)) / 2;
    m[10] = m[15] = 1;
    return out;
}

at::Tensor sampleBilinear(const at::Tensor& map, const at::Tensor& matrix, std::int64_t height,
                          std::int64_t width)
{
    const at::Tensor source = map.contiguous();
    const auto* m = matrix.const_data_ptr<float>();
    const std::int64_t channels = source.size(1);
    const std::int64_t mapHeight = source.size(2);
    const std::int64_t mapWidth = source.size(3);
    at::Tensor out = at::zeros({1, channels, height, width}, at::TensorOptions(at::kFloat));
    const auto* in = source.const_data_ptr<float>();
    auto* target = out.mutable_data_ptr<float>();
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            const float cx = static_cast<float>(x) + 0.5f;
            const float cy = static_cast<float>(y) + 0.5f;
            const float u = m[0] * cx + m[1] * cy + m[3] - 0.5f;
            const float v = m[4] * cx + m[5] * cy + m[7] - 0.5f;
            if (!(u >= 0 && v >= 0 && u <= static_cast<float>(mapWidth - 1) && v <= static_cast<float>(mapHeight - 1)))
                continue;
            const auto x0 = std::min(static_cast<std::int64_t>(u), mapWidth - 2);
            const auto y0 = std::min(static_cast<std::int64_t>(v), mapHeight - 2);
            const float fx = u - static_cast<float>(x0);
            const float fy = v - static_cast<float>(y0);
            const float* corner = in + y0 * mapWidth + x0;
            float* pixel = target + y * width + x;
            for (std::int64_t c = 0; c < channels; ++c, corner += mapHeight * mapWidth, pixel += height * width)
                *pixel = (corner[0] * (1 - fx) + corner[1] * fx) * (1 - fy) +
                         (corner[mapWidth] * (1 - fx) + corner[mapWidth + 1] * fx) * fy;
        }
    return out;
}

at::Tensor transformPoints(const at::Tensor& points, const at::Tensor& matrix)
{
    const at::Tensor source = points.contiguous();
    LOQUOR_CHECK(source.dim() == 3 && source.size(2) == 2, "points need two coordinates");
    const auto* m = matrix.const_data_ptr<float>();
    at::Tensor out = at::zeros(source.sizes(), at::TensorOptions(at::kFloat));
    const auto* in = source.const_data_ptr<float>();
    auto* target = out.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < source.size(1); ++i, in += 2, target += 2) {
        target[0] = m[0] * in[0] + m[1] * in[1] + m[3];
        target[1] = m[4] * in[0] + m[5] * in[1] + m[7];
    }
    return out;
}

} // namespace loquor::modules
