#include "core/platform/shared_memory.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loquor::platform {

SharedMemory::~SharedMemory()
{
    if (m_data != nullptr)
        ::munmap(m_data, m_size);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : m_fd(std::move(other.m_fd)), m_data(std::exchange(other.m_data, nullptr)),
      m_size(std::exchange(other.m_size, 0))
{
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept
{
    if (this != &other) {
        if (m_data != nullptr)
            ::munmap(m_data, m_size);
        m_fd = std::move(other.m_fd);
        m_data = std::exchange(other.m_data, nullptr);
        m_size = std::exchange(other.m_size, 0);
    }
    return *this;
}

Result<SharedMemory> SharedMemory::create(const std::string& name, std::size_t bytes)
{
    if (bytes == 0)
        return fail(ErrorCode::InvalidArgument, "Shared memory needs a size.");
    const std::string what = "Cannot get " + std::to_string(bytes) + " bytes of shared memory";
    FileDescriptor fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.isOpen() || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return fail(errorFromErrno(errno, what));
    return map(std::move(fd), bytes);
}

Result<SharedMemory> SharedMemory::open(FileDescriptor fd, std::size_t bytes)
{
    struct stat info{};
    if (bytes == 0 || ::fstat(fd.get(), &info) != 0 ||
        static_cast<std::size_t>(info.st_size) < bytes)
        return fail(ErrorCode::Corrupt, "The shared memory is smaller than announced.");
    const int seals = ::fcntl(fd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
        return fail(ErrorCode::Corrupt, "The shared memory could be cut while it is being read.");
    return map(std::move(fd), bytes);
}

Result<SharedMemory> SharedMemory::map(FileDescriptor fd, std::size_t bytes)
{
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (at == MAP_FAILED)
        return fail(errorFromErrno(errno, "Cannot map shared memory"));
    SharedMemory memory;
    memory.m_fd = std::move(fd);
    memory.m_data = static_cast<std::uint8_t*>(at);
    memory.m_size = bytes;
    return memory;
}

Result<SocketPair> makeSocketPair()
{
    std::array<int, 2> fds{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
        return fail(errorFromErrno(errno, "Cannot make a socket pair"));
    SocketPair pair;
    pair.first.reset(fds[0]);
    pair.second.reset(fds[1]);
    return pair;
}

namespace {

// Room for one descriptor beside the data, aligned as the kernel wants it.
union ControlBuffer {
    cmsghdr align;
    std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

// A message of one piece of data with room for a descriptor; points to both.
msghdr messageOf(iovec& data, ControlBuffer& control)
{
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    return message;
}

} // namespace

Result<> sendDescriptor(int socket, int fd)
{
    char company = 'F';
    iovec data{&company, 1};
    ControlBuffer control{};
    msghdr message = messageOf(data, control);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return fail(errorFromErrno(errno, "Cannot pass a descriptor"));
    return {};
}

Result<FileDescriptor> receiveDescriptor(int socket)
{
    char company = 'F';
    iovec data{&company, 1};
    ControlBuffer control{};
    msghdr message = messageOf(data, control);
    ssize_t got = 0;
    while ((got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR)
            return fail(errorFromErrno(errno, "Cannot receive a descriptor"));
    if (got == 0)
        return fail(ErrorCode::ConnectionLost, "The other process closed the connection.");
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS)
        return fail(ErrorCode::Corrupt, "A descriptor was expected and none came.");
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return FileDescriptor(fd);
}

} // namespace loquor::platform
