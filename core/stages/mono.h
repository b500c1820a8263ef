// Interleaved sound to one channel.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace loquor::stages {

// Appends the mean of the channels of `count` frames.
inline void appendMono(std::vector<float>& out, const float* frames, SampleIndex count, int channels)
{
    const float scale = 1.0f / static_cast<float>(channels);
    for (SampleIndex s = 0; s < count; ++s, frames += channels) {
        float sum = 0;
        for (int c = 0; c < channels; ++c)
            sum += frames[c];
        out.push_back(sum * scale);
    }
}

} // namespace loquor::stages
