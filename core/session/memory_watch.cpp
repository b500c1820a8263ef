#include "core/session/memory_watch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "core/platform/memory.h"

namespace loquor::session {

namespace {

// Children of every thread of a process, as the kernel lists them.
std::vector<int> childrenOf(int pid)
{
    std::vector<int> out;
    std::error_code error;
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
        std::ifstream list(task.path() / "children");
        for (int child = 0; list >> child;)
            out.push_back(child);
    }
    return out;
}

} // namespace

void MemoryWatch::restart()
{
    m_peakMb = 0;
}

double MemoryWatch::sample()
{
    std::vector<int> processes{static_cast<int>(::getpid())};
    std::uint64_t sum = 0, shared = 0;
    for (std::size_t i = 0; i < processes.size() && i < 64; ++i) {
        for (const int child : childrenOf(processes[i]))
            processes.push_back(child);
        if (const auto use = platform::memoryUseOf(processes[i])) {
            sum += use->rssBytes - std::min(use->rssBytes, use->sharedBytes);
            shared = std::max(shared, use->sharedBytes); // the frame ring: one memory, seen by several
        }
    }
    const double megabytes = static_cast<double>(sum + shared) / 1e6;
    m_peakMb = std::max(m_peakMb, megabytes);
    return megabytes;
}

} // namespace loquor::session
