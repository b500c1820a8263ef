// One child process that answers lines on its stdin with lines on its stdout. Internal to this folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/platform/child_process.h"
#include "core/platform/file_descriptor.h"

namespace loquor::speech {

// One thread at a time. The child and all it started end when this object does.
class HelperProcess
{
public:
    Result<void> start(const std::filesystem::path& program);
    bool isRunning() const { return m_child.has_value(); }
    int pid() const { return m_child ? m_child->pid() : -1; }

    // Sends one line and waits for one line. ConnectionLost: the child ended. Timeout and Cancelled leave
    // the child in an unknown state: stop() it.
    Result<std::string> exchange(const std::string& line, std::chrono::milliseconds timeout,
                                 const CancelToken& cancel);
    void stop();

private:
    using Deadline = std::chrono::steady_clock::time_point;
    Result<void> waitFor(int descriptor, short events, Deadline deadline, const CancelToken& cancel);
    Result<void> send(const std::string& line, Deadline deadline, const CancelToken& cancel);

    std::optional<platform::ChildProcess> m_child;
    platform::FileDescriptor m_input;
    platform::FileDescriptor m_output;
    platform::FileDescriptor m_wake; // eventfd: cancelled
};

} // namespace loquor::speech
