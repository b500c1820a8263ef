#include "core/modules/image_sampling.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/empty.h>

#include "core/base/check.h"

namespace loquor::modules {

namespace {

using Rgb = std::array<float, 3>;

// u, v: pixel index coordinates (0 = centre of the first pixel).
Rgb bilinear(const Image& image, float u, float v, Border border)
{
    if (border == Border::Black && (u < -0.5f || v < -0.5f || u > static_cast<float>(image.width) - 0.5f ||
                                    v > static_cast<float>(image.height) - 0.5f))
        return {};
    u = std::clamp(u, 0.0f, static_cast<float>(image.width - 1));
    v = std::clamp(v, 0.0f, static_cast<float>(image.height - 1));
    const int x0 = static_cast<int>(u);
    const int y0 = static_cast<int>(v);
    const int x1 = std::min(x0 + 1, image.width - 1);
    const int y1 = std::min(y0 + 1, image.height - 1);
    const float fx = u - static_cast<float>(x0);
    const float fy = v - static_cast<float>(y0);
    const std::uint8_t* a = image.row(y0);
    const std::uint8_t* b = image.row(y1);
    Rgb out;
    for (std::size_t c = 0; c < 3; ++c) {
        const auto left = static_cast<std::size_t>(x0) * 3 + c;
        const auto right = static_cast<std::size_t>(x1) * 3 + c;
        const float top = static_cast<float>(a[left]) * (1 - fx) + static_cast<float>(a[right]) * fx;
        const float bottom = static_cast<float>(b[left]) * (1 - fx) + static_cast<float>(b[right]) * fx;
        out[c] = top * (1 - fy) + bottom * fy;
    }
    return out;
}

} // namespace

at::Tensor sampleToTensor(const Image& rgb, const SamplingGrid& grid, float scale, float offset)
{
    LOQUOR_CHECK(rgb.channels == 3 && !rgb.isEmpty(), "networks look at RGB images");
    const float reduction = std::max(std::hypot(grid.stepX[0], grid.stepX[1]), std::hypot(grid.stepY[0], grid.stepY[1]));
    const int taps = std::max(1, static_cast<int>(std::ceil(reduction / 2)));
    const float weight = scale / static_cast<float>(taps * taps);
    at::Tensor out = at::empty({1, 3, grid.height, grid.width}, at::TensorOptions(at::kFloat));
    auto* red = out.mutable_data_ptr<float>();
    const std::int64_t plane = static_cast<std::int64_t>(grid.width) * grid.height;
    for (int y = 0; y < grid.height; ++y)
        for (int x = 0; x < grid.width; ++x, ++red) {
            Rgb sum{};
            for (int ty = 0; ty < taps; ++ty)
                for (int tx = 0; tx < taps; ++tx) {
                    const float px = static_cast<float>(x) + (static_cast<float>(tx) + 0.5f) / static_cast<float>(taps);
                    const float py = static_cast<float>(y) + (static_cast<float>(ty) + 0.5f) / static_cast<float>(taps);
                    const float u = grid.origin[0] + px * grid.stepX[0] + py * grid.stepY[0] - 0.5f;
                    const float v = grid.origin[1] + px * grid.stepX[1] + py * grid.stepY[1] - 0.5f;
                    const Rgb sample = bilinear(rgb, u, v, grid.border);
                    for (std::size_t c = 0; c < 3; ++c)
                        sum[c] += sample[c];
                }
            for (std::int64_t c = 0; c < 3; ++c)
                red[c * plane] = sum[static_cast<std::size_t>(c)] * weight + offset;
        }
    return out;
}

} // namespace loquor::modules
