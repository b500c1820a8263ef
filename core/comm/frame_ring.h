// Preview frames between two processes: a ring in shared memory, written by the rank, read at will.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/media/image.h"
#include "core/platform/shared_memory.h"

namespace loquor::comm {

// Bytes of a ring that suits previews: 16 frames of 1280x720. Pages that are never used cost nothing.
inline constexpr std::size_t kDefaultRingBytes = 48u << 20;
inline constexpr int kMaxRingSlots = 16;

// RGB frames of one size at a time. One writer process and one reader process, neither ever waits for
// the other: a reader that is overtaken while copying notices and gets nothing. Each side has its own
// FrameRing over the same memory. One thread at a time per side.
class FrameRing
{
public:
    // Session side: makes the memory.
    static Result<FrameRing> create(std::size_t bytes = kDefaultRingBytes);
    // Rank side: takes the descriptor that was inherited.
    static Result<FrameRing> open(platform::FileDescriptor fd, std::size_t bytes = kDefaultRingBytes);
    int fd() const { return m_memory.fd(); }

    // Writer: starts a run of frames of this size; what was there is gone. Unsupported when not even one
    // frame fits.
    Result<void> configure(int width, int height);
    // Writer: LOQUOR_CHECKs that the frame has the configured size. Indices must grow.
    void write(const VideoFrame& frame) { write(frame.image, frame.index); }
    void write(const Image& image, std::int64_t index);

    // Reader: index of the newest frame, -1 = none.
    std::int64_t newestIndex() const;
    // Reader: the newest frame, if it is newer than `afterIndex`; null otherwise.
    FramePtr latest(std::int64_t afterIndex) const;
    // Reader: exactly this frame while it is still in the ring; null otherwise.
    FramePtr at(std::int64_t index) const;
    // Reader: forgets all frames until the writer writes again. For the start of a job.
    void clear();

private:
    struct Header;
    explicit FrameRing(platform::SharedMemory memory) : m_memory(std::move(memory)) {}
    Header& header() const;
    std::uint8_t* slot(int number, std::size_t frameBytes) const;

    platform::SharedMemory m_memory;
};

} // namespace loquor::comm
