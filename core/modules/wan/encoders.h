// The encoders of text, image and sound that the Wan family listens to.
#pragma once

#include <cstdint>
#include <memory>

#include "core/modules/wan/parameters.h"
#include "core/modules/wan/tap.h"
#include "core/weights/network_config.h"

namespace loquor::modules {

// UMT5: words to states. Immutable, no state; wrong shapes throw.
class Umt5Encoder
{
public:
    // Parameters of weights::umt5Spec(config).
    Umt5Encoder(const weights::Umt5Config& config, const Parameters& parameters);
    ~Umt5Encoder();
    Umt5Encoder(const Umt5Encoder&) = delete;
    Umt5Encoder& operator=(const Umt5Encoder&) = delete;

    // Tokens [batch, rows] (whole numbers) and the mask (1 real, 0 filled up) -> states [batch, rows, width]. Rows of
    // filled-up places hold numbers that nobody needs.
    at::Tensor encode(const at::Tensor& tokens, const at::Tensor& mask, const Tap& tap = {}) const;
    // The bias of a block between places: [heads, rows, rows].
    at::Tensor positionBias(std::int64_t block, std::int64_t rows) const;
    // Which bias belongs to the distance key - query.
    static std::int64_t bucket(std::int64_t distance, std::int64_t buckets, std::int64_t maxDistance);

private:
    struct Impl;
    std::unique_ptr<const Impl> m;
};

// CLIP ViT-H, picture side, up to the block before the last.
class ClipVisionEncoder
{
public:
    // Parameters of weights::clipVisionSpec(config).
    ClipVisionEncoder(const weights::ClipVisionConfig& config, const Parameters& parameters);
    ~ClipVisionEncoder();
    ClipVisionEncoder(const ClipVisionEncoder&) = delete;
    ClipVisionEncoder& operator=(const ClipVisionEncoder&) = delete;

    // Pictures [batch, 3, height, width] from -1 to 1 -> [batch, 3, size, size], resized without keeping the shape and
    // with CLIP's mean and deviation.
    at::Tensor prepare(const at::Tensor& pictures) const;
    // Prepared pictures -> [batch, 1 + patches, width]: class token first, no norm after.
    at::Tensor encode(const at::Tensor& prepared, const Tap& tap = {}) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> m;
};

// wav2vec2: sound to hidden states at the rate of the video.
class Wav2Vec2Encoder
{
public:
    // Parameters of weights::wav2vec2Spec(config).
    Wav2Vec2Encoder(const weights::Wav2Vec2Config& config, const Parameters& parameters);
    ~Wav2Vec2Encoder();
    Wav2Vec2Encoder(const Wav2Vec2Encoder&) = delete;
    Wav2Vec2Encoder& operator=(const Wav2Vec2Encoder&) = delete;

    // 16 kHz samples [count] -> mean 0 and deviation 1 over the whole.
    static at::Tensor normalise(const at::Tensor& samples);
    // Normalised samples -> [frames, layers, width]: the states after every layer, brought to `frames` by linear
    // interpolation before the transformer (0: as many as the convolutions make, about 50 a second). Of the pre-norm
    // kind the last state is after the final norm.
    at::Tensor encode(const at::Tensor& samples, std::int64_t frames, const Tap& tap = {}) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> m;
};

// Which of `total` states stand around each of the last `count` frames, at the ends the outermost again: [count,
// window] places, for at::Tensor::index_select of what encode gives.
at::Tensor windowPlaces(std::int64_t total, std::int64_t count, std::int64_t window);

} // namespace loquor::modules
