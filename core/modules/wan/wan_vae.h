// The Wan 2.1 VAE: video <-> latents by causal convolutions over space and time.
#pragma once

#include <cstdint>
#include <memory>

#include "core/modules/wan/parameters.h"
#include "core/modules/wan/stream_memory.h"
#include "core/modules/wan/tap.h"
#include "core/weights/network_config.h"

namespace loquor::modules {

// Video is [batch, 3, frames, height, width] with values from -1 to 1; latents are [batch, 16, count, height / 8,
// width / 8], normalised as a Wan transformer wants and gives them: (mean - kMean) / kDeviation. The first latent
// stands for one frame, each next for four. Immutable: any number of threads, each with its own memory. Wrong shapes
// throw. Memory of the streaming calls does not grow with the length of the stream; a stream and the whole give the
// same numbers.
class WanVae
{
public:
    // Parameters of weights::wanVaeSpec(config). The means and deviations are those of the published VAE, so the
    // config needs 16 latent channels.
    WanVae(const weights::WanVaeConfig& config, const Parameters& parameters);
    ~WanVae();
    WanVae(const WanVae&) = delete;
    WanVae& operator=(const WanVae&) = delete;

    // Frames beyond 1 + 4k are left out, as everywhere.
    at::Tensor encode(const at::Tensor& video) const;
    // count * 4 - 3 frames, limited to -1 ... 1.
    at::Tensor decode(const at::Tensor& latents) const;

    // The first call of a stream takes one frame, each next four: one latent each.
    at::Tensor encodeNext(const at::Tensor& frames, StreamMemory& memory, const Tap& tap = {}) const;
    // One latent: one frame the first time, then four.
    at::Tensor decodeNext(const at::Tensor& latent, StreamMemory& memory, const Tap& tap = {}) const;

    // Of a latent as encode gives it: what the encoder made before it was normalised.
    at::Tensor unscaled(const at::Tensor& latents) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> m;
};

} // namespace loquor::modules
