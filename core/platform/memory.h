// How much memory a process uses, as the kernel counts it.
#pragma once

#include <cstdint>

#include "core/base/error.h"

namespace loquor::platform {

struct MemoryUse
{
    std::uint64_t rssBytes = 0;     // resident now (VmRSS)
    std::uint64_t peakRssBytes = 0; // most ever resident (VmHWM)
    std::uint64_t sharedBytes =
        0; // part of rssBytes in shared memory (RssShmem): counted by each user
};

MemoryUse memoryUse();
// NotFound when the process is gone.
Result<MemoryUse> memoryUseOf(int pid);
// Restarts the peak of this process at its present size; false where the kernel refuses.
bool resetPeakMemory();
// Memory of the machine that can be had without swapping (MemAvailable), and all of it.
std::uint64_t availableMemory();
std::uint64_t totalMemory();
// Gives the kernel back what is free inside the heaps of all threads. After something large is gone (a
// voice, the networks' buffers): the allocator would keep its pages for this process until it ends.
void returnFreeMemory();

} // namespace loquor::platform
