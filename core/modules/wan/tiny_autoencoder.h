// TAEHV (taew2_1) and SwiftVR's ReAE: video <-> latents by convolutions over single pictures and a memory of the
// picture before.
#pragma once

#include <cstdint>
#include <memory>

#include "core/modules/wan/parameters.h"
#include "core/modules/wan/stream_memory.h"
#include "core/modules/wan/tap.h"
#include "core/weights/network_config.h"

namespace loquor::modules {

// Video is [batch, frames, 3, height, width] with values from 0 to 1, latents are [batch, count, channels, height / 8,
// width / 8] (ReAE: / 16) as a Wan transformer makes them, not un-scaled. Immutable: any number of threads, each with
// its own memory. Wrong shapes throw. A whole video and its pieces give the same numbers.
class TinyAutoencoder
{
public:
    // Parameters of weights::tinyAutoencoderSpec(config).
    TinyAutoencoder(const weights::TinyAutoencoderConfig& config, const Parameters& parameters);
    ~TinyAutoencoder();
    TinyAutoencoder(const TinyAutoencoder&) = delete;
    TinyAutoencoder& operator=(const TinyAutoencoder&) = delete;

    std::int64_t framesPerLatent() const;
    // All at once, everything in memory. The last frame is repeated until the frames fill latents.
    at::Tensor encode(const at::Tensor& video, const Tap& tap = {}) const;
    // count * 4 - 3 frames: the first latent makes one.
    at::Tensor decode(const at::Tensor& latents, const Tap& tap = {}) const;

    // The latents that the frames so far complete: possibly none (count 0). Frames that fill no latent yet wait in
    // the memory.
    at::Tensor encodeNext(const at::Tensor& frames, StreamMemory& memory) const;
    // Completes what waits by repeating its last frame; one latent or none. The stream can go on after it.
    at::Tensor encodeRest(StreamMemory& memory) const;
    at::Tensor decodeNext(const at::Tensor& latents, StreamMemory& memory) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> m;
};

} // namespace loquor::modules
