#include "core/platform/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <malloc.h>
#include <sys/resource.h>

namespace loquor::platform {

namespace {

// "Name:   1234 kB" lines of a /proc file; bytes, or 0 when the line is missing.
std::uint64_t fieldOf(const std::string& file, const std::string& name)
{
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
        if (line.rfind(name + ":", 0) == 0)
            return std::stoull(line.substr(name.size() + 1)) * 1024;
    }
    return 0;
}

MemoryUse useFrom(const std::string& file)
{
    MemoryUse use;
    use.rssBytes = fieldOf(file, "VmRSS");
    use.peakRssBytes = fieldOf(file, "VmHWM");
    use.sharedBytes = fieldOf(file, "RssShmem");
    return use;
}

} // namespace

MemoryUse memoryUse()
{
    return useFrom("/proc/self/status");
}

Result<MemoryUse> memoryUseOf(int pid)
{
    const MemoryUse use = useFrom("/proc/" + std::to_string(pid) + "/status");
    if (use.rssBytes == 0)
        return fail(ErrorCode::NotFound, "Process " + std::to_string(pid) + " is not running.");
    return use;
}

bool resetPeakMemory()
{
    std::ofstream out("/proc/self/clear_refs");
    out << "5" << std::flush;
    return out.good();
}

std::uint64_t availableMemory()
{
    const std::uint64_t ofMachine = fieldOf("/proc/meminfo", "MemAvailable");
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return ofMachine;
    const std::uint64_t used = fieldOf("/proc/self/status", "VmSize");
    const std::uint64_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 1;
    return ofMachine == 0 ? left : std::min(ofMachine, left);
}

std::uint64_t totalMemory()
{
    return fieldOf("/proc/meminfo", "MemTotal");
}

void returnFreeMemory()
{
    ::malloc_trim(0);
}

void returnLargeBlocksAtOnce()
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20); // setting it also ends its adaption to what is freed
    ::mallopt(M_ARENA_MAX, 4);            // else one for each thread that ever lived beside others
}

} // namespace loquor::platform
