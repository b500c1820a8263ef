#include "core/modules/wan/fit_picture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"

namespace loquor::modules {

namespace {

constexpr int kFractionBits = 22;

// Weights of the pixels that one new pixel sees.
struct Window
{
    std::int64_t first = 0;
    std::vector<std::int64_t> weights; // sum up to 2^22
};

std::vector<Window> windows(std::int64_t from, std::int64_t to)
{
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double support = std::max(scale, 1.0);
    std::vector<Window> out;
    for (std::int64_t i = 0; i < to; ++i) {
        const double centre = (static_cast<double>(i) + 0.5) * scale;
        Window window;
        window.first = std::max<std::int64_t>(0, std::lround(centre - support));
        const std::int64_t end = std::min(from, std::lround(centre + support));
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t k = window.first; k < end; ++k) {
            weights.push_back(std::max(0.0, 1 - std::abs((static_cast<double>(k) - centre + 0.5) / support)));
            sum += weights.back();
        }
        for (const double weight : weights)
            window.weights.push_back(std::lround(weight / sum * (1 << kFractionBits)));
        out.push_back(std::move(window));
    }
    return out;
}

// Along one axis of [lines, pixels, step] bytes: `step` values lie between two neighbours of a line.
at::Tensor resized(const at::Tensor& in, std::int64_t to)
{
    const std::int64_t lines = in.size(0), from = in.size(1), step = in.size(2);
    if (from == to)
        return in;
    at::Tensor out = at::empty({lines, to, step}, in.options());
    const auto plan = windows(from, to);
    const auto* source = in.const_data_ptr<std::uint8_t>();
    auto* target = out.mutable_data_ptr<std::uint8_t>();
    for (std::int64_t line = 0; line < lines; ++line, source += from * step) {
        for (const Window& window : plan) {
            for (std::int64_t c = 0; c < step; ++c) {
                std::int64_t sum = std::int64_t(1) << (kFractionBits - 1);
                for (std::size_t k = 0; k < window.weights.size(); ++k)
                    sum += window.weights[k] * source[(window.first + static_cast<std::int64_t>(k)) * step + c];
                *target++ = static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kFractionBits, 0, 255));
            }
        }
    }
    return out;
}

} // namespace

std::array<std::int64_t, 2> coveringSize(std::int64_t sourceHeight, std::int64_t sourceWidth, std::int64_t height, std::int64_t width)
{
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    const double scale = std::max(real(width) / real(sourceWidth), real(height) / real(sourceHeight));
    return {static_cast<std::int64_t>(std::ceil(scale * real(sourceHeight))), static_cast<std::int64_t>(std::ceil(scale * real(sourceWidth)))};
}

at::Tensor fitPicture(const at::Tensor& picture, std::int64_t height, std::int64_t width)
{
    LOQUOR_CHECK(picture.dim() == 3 && picture.size(2) == 3 && picture.scalar_type() == at::kByte && picture.numel() > 0, "a picture of another kind");
    const auto [high, wide] = coveringSize(picture.size(0), picture.size(1), height, width);
    const at::Tensor across = resized(picture.contiguous(), wide);
    const at::Tensor covering = resized(across.view({1, picture.size(0), wide * 3}), high).view({high, wide, 3});
    // Half a pixel more goes to the even side.
    const auto middle = [](std::int64_t all, std::int64_t part) { return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(all - part) / 2)); };
    return covering.narrow(0, middle(high, height), height).narrow(1, middle(wide, width), width).permute({2, 0, 1}).unsqueeze(0).contiguous();
}

} // namespace loquor::modules
