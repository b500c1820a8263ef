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
// Memory that this process can have without swapping (MemAvailable, and its own limit); 0 = not known.
std::uint64_t availableMemory();
// Of the machine.
std::uint64_t totalMemory();
// Gives the kernel back what is free inside the heaps of all threads. After something large is gone (a
// voice, the networks' buffers): the allocator would keep its pages for this process until it ends.
void returnFreeMemory();
// From now on blocks of a megabyte and more go back to the kernel as soon as they are freed. For a program that works
// with pictures on many threads: the allocator would take them for its heaps after a while, where they leave holes. Costs
// page faults; call it first thing in main().
void returnLargeBlocksAtOnce();

} // namespace loquor::platform
