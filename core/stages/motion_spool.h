// The motion of every finished frame, so that any frame can be drawn again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"
#include "core/portrait/motion.h"

namespace loquor::stages {

// 192 bytes a frame in a nameless file. Any thread.
class MotionSpool
{
public:
    Result<void> open(const std::filesystem::path& folder);
    // In order of frames, from 0.
    Result<void> append(const std::vector<portrait::Motion>& frames);
    std::int64_t count() const;
    // Nothing when the frame is not there.
    std::optional<portrait::Motion> at(std::int64_t frame) const;

private:
    mutable std::mutex m_mutex; // guards both below
    platform::FileDescriptor m_file;
    std::int64_t m_count = 0;
};

} // namespace loquor::stages
