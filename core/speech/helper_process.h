// One child process with a socket as its stdin and stdout. Internal to this folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loquor::speech {

// One thread at a time. The child ends when this object does.
class HelperProcess
{
public:
    HelperProcess() = default;
    ~HelperProcess();
    HelperProcess(const HelperProcess&) = delete;
    HelperProcess& operator=(const HelperProcess&) = delete;

    Result<void> start(const std::filesystem::path& program);
    bool isRunning() const { return m_pid > 0; }
    int pid() const { return m_pid; }

    // Sends one line and waits for one line. ConnectionLost: the child ended. Timeout and Cancelled leave
    // the child in an unknown state: stop() it.
    Result<std::string> exchange(const std::string& line, std::chrono::milliseconds timeout,
                                 const CancelToken& cancel);
    void stop();

private:
    Result<void> waitFor(short events, std::chrono::steady_clock::time_point deadline, const CancelToken& cancel);

    int m_pid = -1;
    int m_socket = -1;
    int m_wake = -1; // eventfd: cancelled
};

// The folder of the running program; helper programs lie beside it.
std::filesystem::path programFolder();

} // namespace loquor::speech
