// What a Wan transformer prepares once. Internal to core/modules.
#pragma once

#include <array>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/modules/wan/wan_transformer.h"

namespace loquor::modules {

// Windows of even (0) and odd (1) blocks.
struct WindowPlan
{
    at::Tensor gather; // [windows * tokens of one]: which token stands there
    at::Tensor owner;  // [tokens]: the place in `gather` whose result counts
    std::int64_t windows = 0;
};

struct WanGrid
{
    std::int64_t frames = 0, rows = 0, columns = 0; // of tokens
    at::Tensor cosine, sine;                        // [tokens, half of a head]
    std::array<WindowPlan, 2> plans;
    bool isWindowed = false;

    std::int64_t tokens() const { return frames * rows * columns; }
};

// Everything as [batch, 1 or tokens, ...] in float32.
struct WanModulation
{
    at::Tensor embedded; // [batch, n, width]
    at::Tensor sixfold;  // [batch, n, 6, width]
};

struct KeyValue
{
    at::Tensor key, value; // [batch, heads, tokens, width of a head]
};
struct WanContext
{
    std::vector<KeyValue> text, image; // of each block; image is empty without image tokens
};
struct WanAudio
{
    std::int64_t frames = 0;       // of latents
    std::vector<KeyValue> perBlock; // batch is batch * frames
};

// Positions of tokens as angles, in double, then float32.
void fillAngles(WanGrid& grid, std::int64_t headWidth);
void fillWindows(WanGrid& grid, const AttentionWindow& window);

} // namespace loquor::modules
