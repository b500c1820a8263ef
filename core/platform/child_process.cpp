#include "core/platform/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/guarded_thread.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"

extern char** environ;

// Thread note. The kernel ties "die with the parent" (PR_SET_PDEATHSIG) to the *thread* that
// forked. So each child has a thread of its own here that forks it, waits for it and publishes the
// status; it cannot end before the child does.

namespace loquor::platform {

namespace fs = std::filesystem;

std::string ExitStatus::describe() const
{
    if (signal != 0)
        return describeSignal(signal);
    if (code == 0)
        return "ended normally";
    return "ended with exit code " + std::to_string(code);
}

namespace {

struct Pipe
{
    FileDescriptor readEnd, writeEnd;
};

Result<Pipe> makePipe()
{
    std::array<int, 2> fds{-1, -1};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0)
        return fail(errorFromErrno(errno, "Cannot make a pipe"));
    Pipe pipe;
    pipe.readEnd.reset(fds[0]);
    pipe.writeEnd.reset(fds[1]);
    return pipe;
}

// Variables by which a bundle points its own program at its own libraries and plug-ins.
constexpr std::array kBundleVariables{"LD_LIBRARY_PATH",
                                      "LD_PRELOAD",
                                      "QT_PLUGIN_PATH",
                                      "QT_QPA_PLATFORM_PLUGIN_PATH",
                                      "QML2_IMPORT_PATH",
                                      "APPDIR",
                                      "APPIMAGE",
                                      "ARGV0",
                                      "OWD",
                                      "GIO_MODULE_DIR",
                                      "GTK_PATH",
                                      "GDK_PIXBUF_MODULE_FILE",
                                      "GSETTINGS_SCHEMA_DIR",
                                      "PYTHONHOME",
                                      "PYTHONPATH",
                                      "GST_PLUGIN_SYSTEM_PATH"};

std::vector<std::string> environmentFor(const ChildOptions& options)
{
    std::map<std::string, std::string> values;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (const auto equal = text.find('='); equal != std::string::npos)
            values[text.substr(0, equal)] = text.substr(equal + 1);
    }
    if (options.forForeignProgram) {
        for (const char* name : kBundleVariables) {
            values.erase(name);
            // Bundles keep the user's own value under this name.
            if (const auto it = values.find(std::string(name) + "_ORIG"); it != values.end()) {
                if (!it->second.empty())
                    values[name] = it->second;
            }
        }
    }
    for (const std::string& name : options.unsetEnvironment)
        values.erase(name);
    for (const auto& [name, value] : options.setEnvironment)
        values[name] = value;
    std::vector<std::string> out;
    out.reserve(values.size());
    for (const auto& [name, value] : values)
        out.emplace_back(name).append("=").append(value);
    return out;
}

Result<std::string> findProgram(const fs::path& program)
{
    if (program.native().find('/') != std::string::npos)
        return program.native();
    const char* search = std::getenv("PATH");
    std::string rest = search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin";
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t end = std::min(rest.find(':', at), rest.size());
        std::string candidate = (fs::path(rest.substr(at, end - at)) / program).native();
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        at = end + 1;
    }
    return fail(ErrorCode::NotFound, "The program " + quotedPath(program) + " is not installed.");
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// Everything the child needs between fork and exec: no allocation there.
struct LaunchPlan
{
    std::string program;
    std::vector<std::string> argumentTexts, environmentTexts;
    std::vector<char*> arguments, environment;
    std::string workingFolder;
    std::vector<std::pair<int, int>> descriptors; // ours -> the child's
    std::vector<int> moved;                       // scratch, same size
    int nice = 0;
    pid_t parent = 0;
    int errorPipe = -1;
};

[[noreturn]] void reportAndExit(int pipe)
{
    const int code = errno;
    // Nothing can be done when even this fails.
    [[maybe_unused]] const ssize_t n = ::write(pipe, &code, sizeof code);
    ::_exit(127);
}

// Runs in the child: only async-signal-safe calls.
[[noreturn]] void becomeProgram(LaunchPlan& plan)
{
    constexpr int kHigh = 1000; // above every number a descriptor gets in the child
    const int errorPipe = ::fcntl(plan.errorPipe, F_DUPFD_CLOEXEC, kHigh);
    if (errorPipe < 0)
        reportAndExit(plan.errorPipe);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent)
        ::_exit(127);
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (std::size_t i = 0; i < plan.descriptors.size(); ++i) {
        plan.moved[i] = ::fcntl(plan.descriptors[i].first, F_DUPFD_CLOEXEC, kHigh);
        if (plan.moved[i] < 0)
            reportAndExit(errorPipe);
    }
    ::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
    for (std::size_t i = 0; i < plan.descriptors.size(); ++i)
        if (::dup2(plan.moved[i], plan.descriptors[i].second) < 0)
            reportAndExit(errorPipe);
    if (plan.nice != 0)
        ::setpriority(PRIO_PROCESS, 0, std::min(::getpriority(PRIO_PROCESS, 0) + plan.nice, 19));
    if (!plan.workingFolder.empty() && ::chdir(plan.workingFolder.c_str()) != 0)
        reportAndExit(errorPipe);
    ::execve(plan.program.c_str(), plan.arguments.data(), plan.environment.data());
    reportAndExit(errorPipe);
}

ExitStatus statusFrom(int raw)
{
    ExitStatus status;
    if (WIFSIGNALED(raw))
        status.signal = WTERMSIG(raw);
    else
        status.code = WEXITSTATUS(raw);
    return status;
}

} // namespace

struct ChildProcess::Impl
{
    mutable std::mutex mutex; // guards pid's validity and the three below
    mutable std::condition_variable changed;
    bool isStarted = false;
    int startError = 0;
    std::optional<ExitStatus> status;
    pid_t pid = -1; // written once, before isStarted
    FileDescriptor input, output, errors;
    std::thread thread;

    ~Impl()
    {
        signalGroup(SIGKILL);
        if (thread.joinable())
            thread.join();
    }

    void signalGroup(int signal)
    {
        std::lock_guard lock(mutex);
        // Once reaped, the number may belong to somebody else.
        if (isStarted && startError == 0 && !status)
            ::kill(-pid, signal);
    }

    void run(LaunchPlan plan, FileDescriptor errorRead, FileDescriptor errorWrite,
             std::vector<FileDescriptor> childEnds)
    {
        plan.parent = ::getpid();
        plan.errorPipe = errorWrite.get();
        const pid_t child = ::fork();
        if (child == 0)
            becomeProgram(plan);
        const int forkError = child < 0 ? errno : 0;
        errorWrite.reset();
        childEnds.clear();
        int code = forkError;
        if (child > 0) {
            ::setpgid(child, child); // whoever is first, parent or child
            int reported = 0;
            const auto got = readUpTo(errorRead.get(), &reported, sizeof reported, "exec");
            code = got && *got == sizeof reported ? reported : 0;
        }
        {
            std::lock_guard lock(mutex);
            pid = child;
            startError = code;
            isStarted = true;
        }
        changed.notify_all();
        if (child > 0)
            reap(child);
    }

    // After an exception: whoever waits for the start or the end of the program learns that there is none.
    void giveUp()
    {
        {
            std::lock_guard lock(mutex);
            if (!isStarted)
                startError = ENOMEM;
            isStarted = true;
            if (pid > 0 && !status) {
                ::kill(-pid, SIGKILL);
                ExitStatus killed;
                killed.signal = SIGKILL;
                status = killed;
            }
        }
        changed.notify_all();
    }

    // Waits without collecting first, so that signalGroup never meets a reused number.
    void reap(pid_t child)
    {
        siginfo_t info{};
        while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 &&
               errno == EINTR) {
        }
        std::lock_guard lock(mutex);
        ::kill(-child, SIGKILL); // what the child left behind in its group
        int raw = 0;
        while (::waitpid(child, &raw, 0) < 0 && errno == EINTR) {
        }
        status = statusFrom(raw);
        changed.notify_all();
    }
};

namespace {

struct StreamEnds
{
    FileDescriptor ours, childs;
};

Result<StreamEnds> openStream(Stream stream, int number)
{
    StreamEnds ends;
    switch (stream) {
    case Stream::Inherit:
        ends.childs.reset(::fcntl(number, F_DUPFD_CLOEXEC, 3));
        if (ends.childs.isOpen())
            return ends;
        [[fallthrough]]; // ours is closed: the child gets a harmless one
    case Stream::Null:
        ends.childs.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
        if (!ends.childs.isOpen())
            return fail(errorFromErrno(errno, "Cannot open /dev/null"));
        return ends;
    case Stream::Pipe: {
        LQ_TRY(Pipe pipe, makePipe());
        ends.ours = std::move(number == 0 ? pipe.writeEnd : pipe.readEnd);
        ends.childs = std::move(number == 0 ? pipe.readEnd : pipe.writeEnd);
        return ends;
    }
    }
    return fail(ErrorCode::InvalidArgument, "Unknown kind of stream.");
}

} // namespace

ChildProcess::ChildProcess(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
ChildProcess::~ChildProcess() = default;
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;

Result<ChildProcess> ChildProcess::start(const ChildOptions& options)
{
    LaunchPlan plan;
    LQ_TRY(plan.program, findProgram(options.program));
    plan.argumentTexts.push_back(options.program.native());
    plan.argumentTexts.insert(plan.argumentTexts.end(), options.arguments.begin(),
                              options.arguments.end());
    plan.environmentTexts = environmentFor(options);
    plan.arguments = pointersTo(plan.argumentTexts);
    plan.environment = pointersTo(plan.environmentTexts);
    plan.workingFolder = options.workingFolder.native();
    plan.nice = options.nice;

    auto impl = std::make_unique<Impl>();
    std::vector<FileDescriptor> childEnds;
    const std::array kinds{options.standardInput, options.standardOutput, options.standardError};
    const std::array ours{&impl->input, &impl->output, &impl->errors};
    for (int number = 0; number < 3; ++number) {
        const auto i = static_cast<std::size_t>(number);
        LQ_TRY(StreamEnds ends, openStream(kinds[i], number));
        *ours[i] = std::move(ends.ours);
        plan.descriptors.emplace_back(ends.childs.get(), number);
        childEnds.push_back(std::move(ends.childs));
    }
    plan.descriptors.insert(plan.descriptors.end(), options.descriptors.begin(),
                            options.descriptors.end());
    plan.moved.resize(plan.descriptors.size());
    LQ_TRY(Pipe errorPipe, makePipe());

    Impl* state = impl.get();
    // The pointers in the plan stay valid: moving a vector of strings moves no string.
    state->thread = guardedThread(
        "watching a child process",
        [state, plan = std::move(plan), ends = std::move(childEnds), errorRead = std::move(errorPipe.readEnd),
         errorWrite = std::move(errorPipe.writeEnd)]() mutable {
            state->run(std::move(plan), std::move(errorRead), std::move(errorWrite), std::move(ends));
        },
        [state](const Error&) { state->giveUp(); });
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [&] { return state->isStarted; });
    if (state->startError != 0) {
        const int code = state->startError;
        lock.unlock();
        return fail(
            errorFromErrno(code, "Cannot start the program " + quotedPath(options.program)));
    }
    lock.unlock();
    return ChildProcess(std::move(impl));
}

int ChildProcess::pid() const
{
    return m->pid;
}

bool ChildProcess::isRunning() const
{
    std::lock_guard lock(m->mutex);
    return !m->status;
}

FileDescriptor ChildProcess::takeInput()
{
    return std::move(m->input);
}

FileDescriptor ChildProcess::takeOutput()
{
    return std::move(m->output);
}

FileDescriptor ChildProcess::takeErrors()
{
    return std::move(m->errors);
}

std::optional<ExitStatus> ChildProcess::waitFor(std::chrono::milliseconds time,
                                                const CancelToken& cancel) const
{
    // The wake-up takes the lock: else it could fall between the test and the wait.
    const auto subscription = cancel.onCancel([impl = m.get()] {
        {
            std::lock_guard lock(impl->mutex);
        }
        impl->changed.notify_all();
    });
    std::unique_lock lock(m->mutex);
    m->changed.wait_for(lock, time, [&] { return m->status || cancel.isCancelled(); });
    return m->status;
}

ExitStatus ChildProcess::wait() const
{
    std::unique_lock lock(m->mutex);
    m->changed.wait(lock, [&] { return m->status.has_value(); });
    return *m->status;
}

void ChildProcess::terminate()
{
    m->signalGroup(SIGTERM);
}

void ChildProcess::kill()
{
    m->signalGroup(SIGKILL);
}

ExitStatus ChildProcess::stop(std::chrono::milliseconds grace)
{
    terminate();
    if (const auto status = waitFor(grace))
        return *status;
    kill();
    return wait();
}

namespace {

constexpr std::size_t kMostOutput = 64u << 20;

// Moves bytes between us and the child until both outputs end; false at the deadline or when
// cancelled.
class Exchange
{
public:
    Exchange(ChildProcess& child, const std::string& input)
        : m_in(child.takeInput()), m_out(child.takeOutput()), m_err(child.takeErrors()),
          m_input(input)
    {
        ::fcntl(m_in.get(), F_SETFL, O_NONBLOCK);
        if (m_input.empty())
            m_in.reset();
    }

    Result<> run(std::chrono::steady_clock::time_point deadline, const CancelToken& cancel,
                 ProgramOutput& into)
    {
        while (m_out.isOpen() || m_err.isOpen()) {
            if (cancel.isCancelled())
                return cancelled();
            if (std::chrono::steady_clock::now() >= deadline)
                return fail(ErrorCode::Timeout, "did not end in time and was stopped.");
            std::array<pollfd, 3> watched{pollfd{m_in.get(), POLLOUT, 0},
                                          pollfd{m_out.get(), POLLIN, 0},
                                          pollfd{m_err.get(), POLLIN, 0}};
            ::poll(watched.data(), watched.size(), 50); // negative descriptors are skipped
            if (watched[0].revents != 0)
                feed();
            if (watched[1].revents != 0)
                LQ_CHECKED(drain(m_out, into.output));
            if (watched[2].revents != 0)
                LQ_CHECKED(drain(m_err, into.errors));
        }
        return {};
    }

private:
    void feed()
    {
        constexpr std::size_t kPiece = 4096; // fits in a pipe that poll calls writable
        const std::size_t piece = std::min(kPiece, m_input.size() - m_fed);
        // A child that does not read its input to the end is not wrong for that.
        if (!writeAll(m_in.get(), m_input.data() + m_fed, piece, "Writing to a program"))
            m_in.reset();
        m_fed += piece;
        if (m_fed == m_input.size())
            m_in.reset();
    }
    static Result<> drain(FileDescriptor& fd, std::string& into)
    {
        std::array<char, 65536> block;
        const ssize_t n = ::read(fd.get(), block.data(), block.size());
        if (n > 0)
            into.append(block.data(), static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            fd.reset();
        if (into.size() > kMostOutput)
            return fail(ErrorCode::Corrupt, "wrote more than 64 MB.");
        return {};
    }

    FileDescriptor m_in, m_out, m_err;
    const std::string& m_input;
    std::size_t m_fed = 0;
};

} // namespace

Result<ProgramOutput> runProgram(ChildOptions options, const std::string& input,
                                 std::chrono::milliseconds timeout, const CancelToken& cancel)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    options.standardInput = Stream::Pipe;
    options.standardOutput = Stream::Pipe;
    options.standardError = Stream::Pipe;
    LQ_TRY(ChildProcess child, ChildProcess::start(options));
    ProgramOutput out;
    if (auto done = Exchange(child, input).run(deadline, cancel, out); !done) {
        child.kill();
        if (done.error().isCancelled())
            return fail(std::move(done).error());
        return fail(done.error().code(),
                    "The program " + quotedPath(options.program) + " " + done.error().message());
    }
    // Its outputs are closed; it may still run for a while.
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    const auto status = child.waitFor(std::max(left, std::chrono::milliseconds(0)), cancel);
    if (!status) {
        child.kill();
        if (cancel.isCancelled())
            return cancelled();
        return fail(ErrorCode::Timeout, "The program " + quotedPath(options.program) +
                                            " did not end in time and was stopped.");
    }
    out.status = *status;
    return out;
}

} // namespace loquor::platform
