#include "core/speech/helper_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace loquor::speech {

namespace {

constexpr std::size_t kMaxReplyBytes = 512U << 20;

// write() to a pipe whose reader is gone gives EPIPE and no signal, whatever the process does about SIGPIPE.
ssize_t writeQuietly(int descriptor, const char* data, std::size_t size)
{
    sigset_t pipeSignal, before, waiting;
    sigemptyset(&pipeSignal);
    sigaddset(&pipeSignal, SIGPIPE);
    sigpending(&waiting);
    const bool wasPending = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &before);
    const ssize_t written = ::write(descriptor, data, size);
    const int error = errno;
    if (written < 0 && error == EPIPE && !wasPending) {
        const timespec now{};
        while (sigtimedwait(&pipeSignal, nullptr, &now) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return written;
}

tl::unexpected<Error> lost()
{
    return fail(ErrorCode::ConnectionLost, "The phoneme helper ended unexpectedly.");
}

} // namespace

Result<void> HelperProcess::start(const std::filesystem::path& program)
{
    stop();
    platform::ChildOptions options;
    options.program = program;
    options.standardInput = platform::Stream::Pipe;
    options.standardOutput = platform::Stream::Pipe;
    auto child = platform::ChildProcess::start(options);
    if (!child)
        return fail(std::move(child).error().addContext(
            "starting the phoneme helper; build the target loquor-phonemes, or install Loquor again"));
    m_child = std::move(*child);
    m_input = m_child->takeInput();
    m_output = m_child->takeOutput();
    m_wake = platform::FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (m_wake.get() < 0) {
        const int error = errno;
        stop();
        return fail(errorFromErrno(error, "Starting the phoneme helper"));
    }
    ::fcntl(m_input.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(m_output.get(), F_SETFL, O_NONBLOCK);
    return {};
}

void HelperProcess::stop()
{
    // It holds nothing worth a farewell, and it may hang.
    m_child.reset();
    m_input = {};
    m_output = {};
    m_wake = {};
}

Result<void> HelperProcess::waitFor(int descriptor, short events, Deadline deadline, const CancelToken& cancel)
{
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return fail(ErrorCode::Timeout, "The phoneme helper does not answer.");
        pollfd fds[2] = {{descriptor, events, 0}, {m_wake.get(), POLLIN, 0}};
        const int ready = ::poll(fds, 2, static_cast<int>(std::min<std::int64_t>(left.count() + 1, 60000)));
        if (ready < 0 && errno != EINTR)
            return fail(errorFromErrno(errno, "Waiting for the phoneme helper"));
        if (ready > 0 && fds[0].revents != 0)
            return {};
    }
}

Result<void> HelperProcess::send(const std::string& line, Deadline deadline, const CancelToken& cancel)
{
    for (std::size_t sent = 0; sent < line.size();) {
        const auto n = writeQuietly(m_input.get(), line.data() + sent, line.size() - sent);
        if (n > 0)
            sent += static_cast<std::size_t>(n);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            LQ_CHECKED(waitFor(m_input.get(), POLLOUT, deadline, cancel));
        else if (errno != EINTR)
            return lost();
    }
    return {};
}

Result<std::string> HelperProcess::exchange(const std::string& line, std::chrono::milliseconds timeout,
                                            const CancelToken& cancel)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    // A cancellation that came together with the reply before may have left its wake-up behind.
    std::uint64_t old = 0;
    [[maybe_unused]] const auto drained = ::read(m_wake.get(), &old, sizeof old);
    const auto subscription = cancel.onCancel([wake = m_wake.get()] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
    });
    LQ_CHECKED(send(line, deadline, cancel));
    std::string reply;
    char buffer[65536];
    for (;;) {
        const auto n = ::read(m_output.get(), buffer, sizeof buffer);
        if (n > 0) {
            reply.append(buffer, static_cast<std::size_t>(n));
            if (reply.back() == '\n')
                return reply;
            if (reply.size() > kMaxReplyBytes)
                return fail(ErrorCode::Corrupt, "The phoneme helper sends too much.");
        } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            return lost();
        } else {
            LQ_CHECKED(waitFor(m_output.get(), POLLIN, deadline, cancel));
        }
    }
}

} // namespace loquor::speech
