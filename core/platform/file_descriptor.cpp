#include "core/platform/file_descriptor.h"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

namespace loquor::platform {

namespace {

// Turns the SIGPIPE of one write into EPIPE without touching the process-wide disposition.
class PipeSignalBlock
{
public:
    PipeSignalBlock()
    {
        sigset_t pending;
        sigemptyset(&pending);
        sigpending(&pending);
        m_wasPending = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&m_set);
        sigaddset(&m_set, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_set, &m_before);
    }
    ~PipeSignalBlock()
    {
        if (m_broken && !m_wasPending) {
            const timespec none{0, 0};
            while (sigtimedwait(&m_set, nullptr, &none) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    PipeSignalBlock(const PipeSignalBlock&) = delete;
    PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;
    void setBroken() { m_broken = true; }

private:
    sigset_t m_set{};
    sigset_t m_before{};
    bool m_wasPending = false;
    bool m_broken = false;
};

} // namespace

void FileDescriptor::reset(int fd)
{
    if (m_fd >= 0)
        ::close(m_fd);
    m_fd = fd;
}

Result<> writeAll(int fd, const void* data, std::size_t bytes, const std::string& what)
{
    PipeSignalBlock block;
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::write(fd, at, bytes);
        if (n < 0) {
            const int code = errno;
            if (code == EINTR)
                continue;
            if (code == EPIPE)
                block.setBroken();
            return fail(errorFromErrno(code, what));
        }
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return {};
}

Result<std::size_t> readUpTo(int fd, void* data, std::size_t bytes, const std::string& what)
{
    char* at = static_cast<char*>(data);
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t n = ::read(fd, at + done, bytes - done);
        if (n == 0)
            break;
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return fail(errorFromErrno(errno, what));
        }
        done += static_cast<std::size_t>(n);
    }
    return done;
}

} // namespace loquor::platform
