// Pixels as values: 8-bit sRGB images and video frames, shared and read-only once published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace loquor {

// Interleaved 8-bit image, rows top to bottom, no padding: data.size() == width*height*channels.
// channels 1: a mask or luminance; 3: RGB; 4: RGBA, straight (not premultiplied) alpha.
// Colour is sRGB. Value type: copy only on purpose (it copies the pixels).
struct Image
{
    int width = 0;
    int height = 0;
    int channels = 0;
    std::vector<std::uint8_t> data;

    Image() = default;
    Image(int w, int h, int c)
        : width(w), height(h), channels(c),
          data(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) *
               static_cast<std::size_t>(c))
    {
    }
    bool isEmpty() const { return data.empty(); }
    std::size_t stride() const
    {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
    }
    std::uint8_t* row(int y) { return data.data() + stride() * static_cast<std::size_t>(y); }
    const std::uint8_t* row(int y) const
    {
        return data.data() + stride() * static_cast<std::size_t>(y);
    }
};

// One rendered frame of the output video: RGB, shared, immutable once in a FramePtr.
// `index` counts from 0 in playback order of the whole run; its time is index / fps exactly.
struct VideoFrame
{
    Image image; // channels == 3
    std::int64_t index = 0;
};
using FramePtr = std::shared_ptr<const VideoFrame>;

} // namespace loquor
