#include "core/modules/wan/wan_prepared.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "core/base/check.h"

namespace loquor::modules {

namespace {

// Angles of one axis: [positions, pairs].
at::Tensor axisAngles(std::int64_t positions, std::int64_t pairs)
{
    const at::Tensor powers = at::arange(pairs, at::kDouble) / static_cast<double>(std::max<std::int64_t>(pairs, 1));
    return at::outer(at::arange(positions, at::kDouble), at::pow(10000.0, powers).reciprocal());
}

WindowPlan planWindows(const WanGrid& grid, const AttentionWindow& window, bool shifted)
{
    const std::int64_t rows = std::min(window.rows, grid.rows), columns = std::min(window.columns, grid.columns);
    const auto tops = windowStarts(grid.rows, window.rows, shifted), lefts = windowStarts(grid.columns, window.columns, shifted);
    std::vector<std::int64_t> gather, owner(static_cast<std::size_t>(grid.tokens()), -1);
    for (const std::int64_t top : tops)
        for (const std::int64_t left : lefts)
            for (std::int64_t t = 0; t < grid.frames; ++t)
                for (std::int64_t y = top; y < top + rows; ++y)
                    for (std::int64_t x = left; x < left + columns; ++x) {
                        const std::int64_t token = (t * grid.rows + y) * grid.columns + x;
                        std::int64_t& place = owner[static_cast<std::size_t>(token)];
                        if (shifted || place < 0) // the last window counts on odd blocks, the first on even ones
                            place = static_cast<std::int64_t>(gather.size());
                        gather.push_back(token);
                    }
    LOQUOR_CHECK(std::find(owner.begin(), owner.end(), -1) == owner.end(), "a token outside of all windows");
    return {at::tensor(gather), at::tensor(owner), static_cast<std::int64_t>(tops.size() * lefts.size())};
}

} // namespace

std::vector<std::int64_t> windowStarts(std::int64_t size, std::int64_t window, bool shifted)
{
    LOQUOR_CHECK(size > 0 && window > 0, "windows of nothing");
    const std::int64_t shift = shifted ? window / 2 : 0, last = std::max<std::int64_t>(0, size - window);
    std::vector<std::int64_t> all;
    for (std::int64_t at = -shift; at < size; at += window)
        all.push_back(std::clamp<std::int64_t>(at, 0, last));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool inner = i > 0 && i + 1 < all.size();
        if (!inner || all[i - 1] + window < all[i + 1])
            kept.push_back(all[i]);
    }
    return kept;
}

void fillAngles(WanGrid& grid, std::int64_t headWidth)
{
    const std::int64_t pairs = headWidth / 2, spatial = pairs / 3;
    const auto spread = [&](const at::Tensor& angles, std::int64_t axis) {
        std::array<std::int64_t, 4> shape{1, 1, 1, angles.size(1)};
        shape[static_cast<std::size_t>(axis)] = angles.size(0);
        return angles.view(shape).expand({grid.frames, grid.rows, grid.columns, angles.size(1)});
    };
    const at::Tensor angles = at::cat({spread(axisAngles(grid.frames, pairs - 2 * spatial), 0), spread(axisAngles(grid.rows, spatial), 1),
                                       spread(axisAngles(grid.columns, spatial), 2)},
                                      3)
                                  .flatten(0, 2);
    grid.cosine = angles.cos().to(at::kFloat);
    grid.sine = angles.sin().to(at::kFloat);
}

void fillWindows(WanGrid& grid, const AttentionWindow& window)
{
    grid.plans = {planWindows(grid, window, false), planWindows(grid, window, true)};
    grid.isWindowed = true;
}

} // namespace loquor::modules
