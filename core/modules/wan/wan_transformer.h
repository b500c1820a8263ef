// The video transformer of the Wan family: Wan 2.1/2.2 itself, FlashTalk, FlashHead, and SwiftVR with its windows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/modules/wan/parameters.h"
#include "core/modules/wan/tap.h"
#include "core/weights/network_config.h"

namespace loquor::modules {

// How the angles of the time embedding are computed.
enum class Sinusoid {
    Double = 1, // as the original code
    Single,     // as diffusers: moves the result by 2e-5
};

// Self-attention within windows of tokens over all frames, shifted by half on odd blocks (SwiftVR).
struct AttentionWindow
{
    std::int64_t rows = 16, columns = 16;
};

// Where the windows of one axis begin: at multiples of `window`, less half of it when `shifted`, moved into the
// axis; what two neighbours cover already is left out.
std::vector<std::int64_t> windowStarts(std::int64_t size, std::int64_t window, bool shifted);

// Prepared once and used in every step; immutable, made by WanTransformer for itself.
struct WanGrid;       // positions of the tokens of one size
struct WanModulation; // of one timestep
struct WanContext;    // keys and values of text and image in every block
struct WanAudio;      // tokens of the sound of one chunk

// Latents are [batch, channels, frames, height, width]. One object may serve several threads. Wrong shapes throw.
class WanTransformer
{
public:
    // Parameters of weights::wanDitSpec(config).
    WanTransformer(const weights::WanDitConfig& config, const Parameters& parameters);
    ~WanTransformer();
    WanTransformer(const WanTransformer&) = delete;
    WanTransformer& operator=(const WanTransformer&) = delete;

    // Sizes of the latents; height and width must divide by the patch.
    std::shared_ptr<const WanGrid> grid(std::int64_t frames, std::int64_t height, std::int64_t width,
                                        std::optional<AttentionWindow> window = std::nullopt) const;
    // `timesteps` are [batch] or, one for each token, [batch, tokens]; 0 to 1000.
    std::shared_ptr<const WanModulation> modulation(const at::Tensor& timesteps, Sinusoid sinusoid = Sinusoid::Double, const Tap& tap = {}) const;
    // Text [batch, rows, width] as the text encoder gives it, filled up with zeros to the length of the config; image
    // tokens [batch, 257, width] when the config has them, else an undefined tensor.
    std::shared_ptr<const WanContext> context(const at::Tensor& text, const at::Tensor& image, const Tap& tap = {}) const;
    // Sound [batch, frames, window, layers, width]: hidden states of wav2vec2 around each frame of video.
    std::shared_ptr<const WanAudio> audio(const at::Tensor& windows, const Tap& tap = {}) const;

    // The velocity, in float32. `context` is null for FlashHead, `audio` for networks that do not hear.
    at::Tensor velocity(const at::Tensor& latents, const WanGrid& grid, const WanModulation& modulation, const WanContext* context,
                        const WanAudio* audio, const Tap& tap = {}) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> m;
};

} // namespace loquor::modules
