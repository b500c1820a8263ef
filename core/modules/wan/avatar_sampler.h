// The few-step sampler of FlashTalk and FlashHead, with latents that are held: those of the motion so far, and for
// joins those of the end too.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace at {
class Tensor;
}

namespace loquor::modules {

enum class HeldAs {
    Clean = 1, // FlashTalk and FlashHead: the held latents are shown without noise in every step
    AtLevel,   // joins: with the noise of the step
};

// Latents [batch, channels, count, height, width] and where they stand in the chunk.
struct HeldLatents
{
    std::vector<std::int64_t> places;
    HeldAs as = HeldAs::Clean;
};

struct AvatarSampling
{
    std::vector<float> timesteps;                          // of avatarTimesteps: one more than steps, the last is 0
    std::function<at::Tensor(std::int64_t step, const at::Tensor& latents)> velocity;
    std::function<at::Tensor(std::int64_t step)> noise;    // fresh noise after a step; not asked for after the last
    std::function<bool(std::int64_t step)> isCancelled;    // asked before each step; may be empty
};

// From noise to a chunk: x0 = x - v s, x = (1 - s') x0 + s' noise. Held latents equal `held` exactly in the result.
// An undefined tensor when cancelled.
at::Tensor sampleChunk(const AvatarSampling& sampling, const at::Tensor& noise, const at::Tensor& held, const HeldLatents& where);

} // namespace loquor::modules
