// Framed messages over a stream socket: a small text header and a binary payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"

namespace loquor::comm {

// What travels: `header` is JSON (see messages.h), `payload` raw little-endian bytes.
struct Frame
{
    std::string header;
    std::vector<std::byte> payload;
};

// Limits of one frame; a peer that exceeds them is treated as faulty.
inline constexpr std::uint32_t kMaxHeaderBytes = 64u << 20;
inline constexpr std::uint64_t kMaxPayloadBytes = 1ull << 30;

// One end of a connection between two processes. Any number of threads may send; one receives.
class Channel
{
public:
    explicit Channel(platform::FileDescriptor socket);
    ~Channel();

    // Blocks until the kernel has taken all bytes. ConnectionLost when the peer is gone.
    Result<void> send(const Frame& frame);
    // Waits up to `milliseconds` for the start of a frame (negative: for ever), then reads all of it.
    // Nothing = time is up. ConnectionLost: the peer closed. Corrupt: not our protocol.
    Result<std::optional<Frame>> receive(int milliseconds);
    // Ends both directions: a blocked send or receive of either side returns ConnectionLost. Any thread.
    void shutdown();

private:
    platform::FileDescriptor m_socket; // immutable
    std::mutex m_sending;              // one frame at a time
};

} // namespace loquor::comm
