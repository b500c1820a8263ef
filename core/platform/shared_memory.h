// Memory that several processes see: anonymous, sized once, handed over as a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"

namespace loquor::platform {

// Owns a mapping. Move-only. The memory lives until the last process unmaps it; nothing has to be
// cleaned up after a crash. Order of access between processes is the user's matter.
class SharedMemory
{
public:
    SharedMemory() = default;
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // Zeroed memory; `name` only shows up in /proc. Its size can never change again (sealed), so
    // that a faulty peer cannot make readers crash.
    static Result<SharedMemory> create(const std::string& name, std::size_t bytes);
    // Maps memory received from another process; takes the descriptor. Fails when it is smaller
    // than `bytes` or not sealed against shrinking.
    static Result<SharedMemory> open(FileDescriptor fd, std::size_t bytes);

    std::uint8_t* data() { return m_data; }
    const std::uint8_t* data() const { return m_data; }
    std::size_t size() const { return m_size; }
    int fd() const { return m_fd.get(); }

private:
    static Result<SharedMemory> map(FileDescriptor fd, std::size_t bytes);
    FileDescriptor m_fd;
    std::uint8_t* m_data = nullptr;
    std::size_t m_size = 0;
};

// Two connected stream sockets (AF_UNIX), for control and descriptors.
struct SocketPair
{
    FileDescriptor first, second;
};
Result<SocketPair> makeSocketPair();
// Passes a descriptor over a local socket with one byte of company; the other side gets its own
// copy.
Result<> sendDescriptor(int socket, int fd);
Result<FileDescriptor> receiveDescriptor(int socket);

} // namespace loquor::platform
