// Programs run beside this one: started with exact arguments, watched, killed with all they
// started.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/platform/file_descriptor.h"

namespace loquor::platform {

// How a process ended.
struct ExitStatus
{
    int code = 0;   // exit code, when signal == 0
    int signal = 0; // the signal that ended it
    bool isSuccess() const { return code == 0 && signal == 0; }
    // "ended normally", "ended with exit code 3", "was killed (SIGKILL): out of memory or killed by
    // hand", "crashed (SIGSEGV)", "stopped at the limit for file sizes (SIGXFSZ)" ...
    std::string describe() const;
};

// What becomes of one of the child's standard streams.
enum class Stream {
    Inherit = 1, // the same as ours
    Null,        // /dev/null
    Pipe,        // a pipe whose other end is takeInput(), takeOutput() or takeErrors()
};

struct ChildOptions
{
    std::filesystem::path program;      // with a slash: as is; without: searched in PATH
    std::vector<std::string> arguments; // without the program's name
    std::map<std::string, std::string> setEnvironment;
    std::vector<std::string> unsetEnvironment;
    // Removes what a program bundle (AppImage, snap) put into the environment for itself and what
    // would break programs of the system: LD_LIBRARY_PATH, QT_PLUGIN_PATH ... For foreign programs.
    bool forForeignProgram = false;
    std::filesystem::path workingFolder; // empty: ours
    Stream standardInput = Stream::Null;
    Stream standardOutput = Stream::Inherit;
    Stream standardError = Stream::Inherit;
    // {our descriptor, its number in the child (>= 3)}; all others are closed in the child.
    std::vector<std::pair<int, int>> descriptors;
    int nice = 0; // added to ours: 10 keeps the desktop responsive
};

// A running child. It leads its own process group, so that kill() takes its helpers too and Ctrl-C
// in the terminal reaches only us; it dies when this process dies, however that happens.
// Destruction kills and reaps. Any thread may wait, terminate or kill; take*() by one thread.
class ChildProcess
{
public:
    // Fails when the program cannot be executed (missing, not executable), with the reason.
    static Result<ChildProcess> start(const ChildOptions& options);
    ~ChildProcess();
    ChildProcess(ChildProcess&&) noexcept;
    ChildProcess& operator=(ChildProcess&&) noexcept;

    int pid() const;
    bool isRunning() const;
    // Our ends of the pipes; closed descriptors when the stream is not a pipe or was taken already.
    FileDescriptor takeInput();
    FileDescriptor takeOutput();
    FileDescriptor takeErrors();

    // The status, or nothing after the time or once cancelled. Never blocks longer than told.
    std::optional<ExitStatus> waitFor(std::chrono::milliseconds time,
                                      const CancelToken& cancel = {}) const;
    ExitStatus wait() const;
    void terminate(); // SIGTERM to the group
    void kill();      // SIGKILL to the group
    // Asks (SIGTERM), waits, then forces. Returns how it ended.
    ExitStatus stop(std::chrono::milliseconds grace);

private:
    struct Impl;
    explicit ChildProcess(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

struct ProgramOutput
{
    ExitStatus status;
    std::string output; // what it wrote to standard output
    std::string errors; // and to standard error
};
// Runs a program to its end with `input` on its standard input and collects what it writes (at most
// 64 MB of each; more is an error). Timeout and cancellation kill it. A failing exit status is not
// an error here.
Result<ProgramOutput> runProgram(ChildOptions options, const std::string& input,
                                 std::chrono::milliseconds timeout, const CancelToken& cancel = {});

} // namespace loquor::platform
