// Frames that are used again: a fresh megabyte per frame costs more in page faults than in copying.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/media/image.h"

namespace loquor::stages {

// Gives writable frames of one size; once the last FramePtr to one is gone, its memory is used again.
// Any thread. Frames may outlive the pool.
class FramePool
{
public:
    FramePool(int width, int height);
    // A frame with undefined pixels. Publish it by converting to FramePtr; then nobody writes any more.
    std::shared_ptr<VideoFrame> take();

private:
    struct Shelf
    {
        std::mutex mutex;
        std::vector<std::unique_ptr<VideoFrame>> free; // mutex
    };
    int m_width, m_height;
    std::shared_ptr<Shelf> m_shelf = std::make_shared<Shelf>();
};

} // namespace loquor::stages
