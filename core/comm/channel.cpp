#include "core/comm/channel.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>

namespace loquor::comm {

namespace {

constexpr std::uint32_t kMagic = 0x4c51434d; // "LQCM"

struct Preamble
{
    std::uint32_t magic = kMagic;
    std::uint32_t headerBytes = 0;
    std::uint64_t payloadBytes = 0;
};

Error connectionLost()
{
    return Error(ErrorCode::ConnectionLost, "The other process closed the connection.");
}

// Reads exactly `bytes`; the end of the stream is ConnectionLost.
Result<void> readExactly(int fd, void* data, std::size_t bytes)
{
    LQ_TRY(const std::size_t got,
           platform::readUpTo(fd, data, bytes, "Reading from the other process"));
    if (got != bytes)
        return fail(connectionLost());
    return {};
}

} // namespace

Channel::Channel(platform::FileDescriptor socket) : m_socket(std::move(socket)) {}

Channel::~Channel()
{
    shutdown();
}

void Channel::shutdown()
{
    if (m_socket.isOpen())
        ::shutdown(m_socket.get(), SHUT_RDWR);
}

Result<void> Channel::send(const Frame& frame)
{
    if (frame.header.size() > kMaxHeaderBytes || frame.payload.size() > kMaxPayloadBytes)
        return fail(ErrorCode::InvalidArgument, "A message between the processes is too long.");
    Preamble preamble;
    preamble.headerBytes = static_cast<std::uint32_t>(frame.header.size());
    preamble.payloadBytes = frame.payload.size();
    const std::string what = "Writing to the other process";
    std::lock_guard lock(m_sending);
    LQ_CHECKED(platform::writeAll(m_socket.get(), &preamble, sizeof preamble, what));
    LQ_CHECKED(platform::writeAll(m_socket.get(), frame.header.data(), frame.header.size(), what));
    return platform::writeAll(m_socket.get(), frame.payload.data(), frame.payload.size(), what);
}

Result<std::optional<Frame>> Channel::receive(int milliseconds)
{
    pollfd waited{m_socket.get(), POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&waited, 1, milliseconds);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0)
        return fail(errorFromErrno(errno, "Waiting for the other process"));
    if (ready == 0)
        return std::nullopt;
    Preamble preamble;
    LQ_CHECKED(readExactly(m_socket.get(), &preamble, sizeof preamble));
    if (preamble.magic != kMagic || preamble.headerBytes > kMaxHeaderBytes ||
        preamble.payloadBytes > kMaxPayloadBytes)
        return fail(ErrorCode::Corrupt, "The other process does not speak this program's protocol.");
    Frame frame;
    frame.header.resize(preamble.headerBytes);
    frame.payload.resize(preamble.payloadBytes);
    LQ_CHECKED(readExactly(m_socket.get(), frame.header.data(), frame.header.size()));
    LQ_CHECKED(readExactly(m_socket.get(), frame.payload.data(), frame.payload.size()));
    return frame;
}

} // namespace loquor::comm
