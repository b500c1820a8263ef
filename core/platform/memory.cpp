#include "core/platform/memory.h"

#include <fstream>
#include <string>

#include <malloc.h>

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
    return fieldOf("/proc/meminfo", "MemAvailable");
}

std::uint64_t totalMemory()
{
    return fieldOf("/proc/meminfo", "MemTotal");
}

void returnFreeMemory()
{
    ::malloc_trim(0);
}

} // namespace loquor::platform
