// Sound as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loquor {

// Planar-free float sound: interleaved samples in [-1, 1] (may exceed it before limiting).
// samples.size() == frames() * channels. `frames` here are sample frames, not video frames.
struct AudioBlock
{
    int sampleRate = 0; // Hz
    int channels = 0;
    std::vector<float> samples;

    std::int64_t frames() const
    {
        return channels > 0 ? static_cast<std::int64_t>(samples.size()) / channels : 0;
    }
    double seconds() const
    {
        return sampleRate > 0 ? static_cast<double>(frames()) / sampleRate : 0.0;
    }
};

} // namespace loquor
