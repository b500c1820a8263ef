// The numbers that make a network of a family: read from the config file published with its weights.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loquor::weights {

// How a Wan transformer hears.
enum class AudioPath {
    None = 1,
    Extra,         // FlashTalk: an attention of its own after the one to text
    InsteadOfText, // FlashHead: the cross-attention is to audio, there is no text and no image
};

struct AudioProjectorConfig
{
    std::int64_t window = 5, blocks = 12, channels = 768; // what comes in: frames x hidden layers x width
    std::int64_t hidden = 512, width = 768, tokens = 32;  // what goes out: tokens a latent frame x width
    std::int64_t framesPerLatent = 4;
    bool operator==(const AudioProjectorConfig&) const = default;
};

struct WanDitConfig
{
    std::int64_t width = 0, heads = 0, layers = 0, feedForward = 0;
    std::int64_t channelsIn = 16, channelsOut = 16;
    std::int64_t textWidth = 4096, textLength = 512; // shorter text is filled up with zeros; 0: taken as it is
    std::int64_t frequencies = 256;                  // width of the time sinusoid
    std::int64_t imageWidth = 0;                     // 0: no image tokens
    std::array<std::int64_t, 3> patch{1, 2, 2};      // frames, rows, columns
    double epsilon = 1e-6;
    AudioPath audioPath = AudioPath::None;
    AudioProjectorConfig audio;

    std::int64_t headWidth() const { return width / heads; }
};

struct WanVaeConfig
{
    std::int64_t base = 96, latents = 16;
    std::vector<std::int64_t> multipliers{1, 2, 4, 4};
    std::int64_t blocks = 2;                             // of a stage of the encoder; the decoder has one more
    std::vector<bool> temporal{false, true, true};       // which downsampling steps halve the frames too
};

// TAEHV and SwiftVR's ReAE.
enum class Growth {
    Channels = 1, // a 1x1 convolution makes the frames of a step as channels
    Repeat,       // frames are repeated, then a convolution over the two
};
struct TinyAutoencoderConfig
{
    std::int64_t encoderWidth = 64, latents = 16, patch = 1;
    std::array<std::int64_t, 4> decoderWidths{256, 128, 64, 64};
    std::array<std::int64_t, 3> shrink{2, 2, 1}, growth{1, 2, 2}; // frames of each step
    Growth kind = Growth::Channels;
};

struct Umt5Config
{
    std::int64_t vocabulary = 256384, width = 4096, heads = 64, headWidth = 64, feedForward = 10240, layers = 24;
    std::int64_t buckets = 32, maxDistance = 128;
    double epsilon = 1e-6;
};

struct ClipVisionConfig
{
    std::int64_t imageSize = 224, patch = 14, width = 1280, layers = 32, heads = 16, feedForward = 5120;
    double epsilon = 1e-5;
};

struct Wav2Vec2Config
{
    std::vector<std::int64_t> convWidths{512, 512, 512, 512, 512, 512, 512};
    std::vector<std::int64_t> kernels{10, 3, 3, 3, 3, 2, 2}, strides{5, 2, 2, 2, 2, 2, 2};
    bool convBias = false;
    bool layerNorms = false; // after every convolution; else one group norm after the first
    bool preNorm = false;    // norms before attention and feed-forward ("stable layer norm")
    std::int64_t width = 768, heads = 12, layers = 12, feedForward = 3072;
    std::int64_t positionKernel = 128, positionGroups = 16;
    double epsilon = 1e-5;
};

// Each takes the text of a config file (original Wan, diffusers or transformers fields, or a mix), keeps the default
// for what is absent, and refuses (Corrupt, with `file` and the field) what is no number of its kind, out of range,
// or does not divide.
Result<WanDitConfig> readWanDitConfig(std::string_view json, const std::string& file, AudioPath audioPath = AudioPath::None);
Result<WanVaeConfig> readWanVaeConfig(std::string_view json, const std::string& file);
Result<TinyAutoencoderConfig> readTinyAutoencoderConfig(std::string_view json, const std::string& file, TinyAutoencoderConfig defaults = {});
Result<Umt5Config> readUmt5Config(std::string_view json, const std::string& file);
Result<ClipVisionConfig> readClipVisionConfig(std::string_view json, const std::string& file);
Result<Wav2Vec2Config> readWav2Vec2Config(std::string_view json, const std::string& file);

// Defaults that are no constants of their class.
TinyAutoencoderConfig reaeConfig();

} // namespace loquor::weights
