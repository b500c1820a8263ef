// Whether a process that does nothing has nothing to do, or gets no processor.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace loquor::platform {

// Tells how long another process had to wait for a processor though it wanted to run: the longest wait of any
// of its threads, as the scheduler counts it. Reads some small files of /proc. One thread at a time.
class ProcessorWait
{
public:
    explicit ProcessorWait(int pid) : m_pid(pid) {}
    // Since the last call, at most the time since then; 0 at the first call, for a process that is gone, and where
    // the kernel does not count it.
    std::chrono::milliseconds sinceLast();
    // The next call is a first one.
    void forget() { m_threads.clear(); }

private:
    struct Times
    {
        std::uint64_t ran = 0, waited = 0; // nanoseconds
    };

    int m_pid;
    std::map<std::string, Times> m_threads; // at the last call
    std::chrono::steady_clock::time_point m_last;
};

} // namespace loquor::platform
