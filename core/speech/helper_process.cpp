#include "core/speech/helper_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace loquor::speech {

namespace {

constexpr std::size_t kMaxReplyBytes = 512U << 20;

} // namespace

HelperProcess::~HelperProcess()
{
    stop();
}

Result<void> HelperProcess::start(const std::filesystem::path& program)
{
    stop();
    if (::access(program.c_str(), X_OK) != 0)
        return fail(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::PermissionDenied,
                    "The helper program " + program.string() +
                        " is missing or may not be run. Build the target loquor-phonemes, or reinstall.");
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(errorFromErrno(errno, "Starting " + program.string()));
    m_wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    // A group of its own: Ctrl-C on the terminal is for the main program, which then closes the socket.
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string name = program.string();
    char* argv[] = {name.data(), nullptr};
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, name.c_str(), &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    ::close(ends[1]);
    m_socket = ends[0];
    if (error != 0 || m_wake < 0) {
        if (error == 0)
            m_pid = pid;
        stop();
        return fail(errorFromErrno(error ? error : EMFILE, "Starting " + program.string()));
    }
    m_pid = pid;
    ::fcntl(m_socket, F_SETFL, O_NONBLOCK);
    return {};
}

void HelperProcess::stop()
{
    if (m_socket >= 0)
        ::close(m_socket);
    if (m_wake >= 0)
        ::close(m_wake);
    m_socket = m_wake = -1;
    if (m_pid > 0) {
        // It holds nothing worth a farewell, and it may hang. Its group: it serves requests in forks.
        ::kill(-m_pid, SIGKILL);
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    m_pid = -1;
}

Result<void> HelperProcess::waitFor(short events, std::chrono::steady_clock::time_point deadline,
                                    const CancelToken& cancel)
{
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return fail(ErrorCode::Timeout, "The phoneme helper does not answer.");
        pollfd fds[2] = {{m_socket, events, 0}, {m_wake, POLLIN, 0}};
        const int ready = ::poll(fds, 2, static_cast<int>(std::min<std::int64_t>(left.count() + 1, 60000)));
        if (ready < 0 && errno != EINTR)
            return fail(errorFromErrno(errno, "Waiting for the phoneme helper"));
        if (ready > 0 && fds[0].revents != 0)
            return {};
    }
}

Result<std::string> HelperProcess::exchange(const std::string& line, std::chrono::milliseconds timeout,
                                            const CancelToken& cancel)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    const auto subscription = cancel.onCancel([wake = m_wake] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
    });
    const auto lost = [] { return fail(ErrorCode::ConnectionLost, "The phoneme helper ended unexpectedly."); };
    for (std::size_t sent = 0; sent < line.size();) {
        const auto n = ::send(m_socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (n > 0) {
            sent += static_cast<std::size_t>(n);
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            LQ_CHECKED(waitFor(POLLOUT, deadline, cancel));
        else if (errno != EINTR)
            return lost();
    }
    std::string reply;
    char buffer[65536];
    for (;;) {
        const auto n = ::recv(m_socket, buffer, sizeof buffer, 0);
        if (n > 0) {
            reply.append(buffer, static_cast<std::size_t>(n));
            if (reply.back() == '\n')
                return reply;
            if (reply.size() > kMaxReplyBytes)
                return fail(ErrorCode::Corrupt, "The phoneme helper sends too much.");
        } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            return lost();
        } else {
            LQ_CHECKED(waitFor(POLLIN, deadline, cancel));
        }
    }
}

std::filesystem::path programFolder()
{
    std::error_code code;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", code);
    return code ? std::filesystem::current_path(code) : self.parent_path();
}

} // namespace loquor::speech
