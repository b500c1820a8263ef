// The C interface between loader and plug-in. Plain data only: the two may be built at other times.
#pragma once

#include <stdint.h>

#define LOQUOR_GPU_ABI 1

extern "C" {

struct LoquorGpuDevice
{
    int32_t index;
    char name[128];
    uint64_t memoryBytes;
    int32_t computeMajor;
    int32_t computeMinor;
    int32_t selfTestPassed;
};

// Version of this interface.
typedef int32_t (*LoquorGpuAbiFunction)();
// Fills up to `capacity` devices; returns how many there are, or -1 with a text in `error`.
typedef int32_t (*LoquorGpuDevicesFunction)(LoquorGpuDevice* out, int32_t capacity, char* error,
                                            int32_t errorSize);
}
