#include "core/modules/wan/avatar_sampler.h"

#include <ATen/ATen.h>

#include "core/base/check.h"

namespace loquor::modules {

namespace {

// The held latents with the noise that stands there now mixed in to the level; `x` is changed.
void hold(at::Tensor& x, const at::Tensor& noise, const at::Tensor& held, const HeldLatents& where, double level)
{
    for (std::size_t i = 0; i < where.places.size(); ++i) {
        const at::Tensor clean = held.select(2, static_cast<std::int64_t>(i));
        const bool mixed = where.as == HeldAs::AtLevel && level > 0;
        x.select(2, where.places[i]).copy_(mixed ? clean * (1 - level) + noise.select(2, where.places[i]) * level : clean);
    }
}

} // namespace

at::Tensor sampleChunk(const AvatarSampling& sampling, const at::Tensor& noise, const at::Tensor& held, const HeldLatents& where)
{
    LOQUOR_CHECK(sampling.timesteps.size() >= 2 && sampling.timesteps.back() == 0, "a sampler without steps");
    LOQUOR_CHECK(where.places.empty() || held.size(2) == static_cast<std::int64_t>(where.places.size()), "held latents without a place");
    const auto steps = static_cast<std::int64_t>(sampling.timesteps.size()) - 1;
    const auto level = [&](std::int64_t step) { return sampling.timesteps[static_cast<std::size_t>(step)] / 1000.0f; };
    at::Tensor x = noise.to(at::kFloat).clone();
    hold(x, noise, held, where, static_cast<double>(level(0)));
    for (std::int64_t i = 0; i < steps; ++i) {
        if (sampling.isCancelled && sampling.isCancelled(i))
            return {};
        const at::Tensor clean = x - sampling.velocity(i, x) * level(i);
        const float next = level(i + 1);
        const at::Tensor fresh = i + 1 < steps ? sampling.noise(i).to(at::kFloat) : at::Tensor();
        x = fresh.defined() ? clean * (1 - next) + fresh * next : clean;
        hold(x, fresh, held, where, static_cast<double>(next));
    }
    return x;
}

} // namespace loquor::modules
