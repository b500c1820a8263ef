// The CUDA plug-in: the only code of Loquor that links CUDA and libtorch_cuda.
#include <cuda_runtime.h>

#include <cstdio>

#include "core/gpu/plugin/plugin_abi.h"
#include "core/gpu/plugin/self_test.h"

#define LOQUOR_EXPORT extern "C" __attribute__((visibility("default")))

LOQUOR_EXPORT int32_t loquorGpuAbi(void)
{
    return LOQUOR_GPU_ABI;
}

LOQUOR_EXPORT int32_t loquorGpuDevices(LoquorGpuDevice* out, int32_t capacity, char* error, int32_t errorSize)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorNoDevice)
        return 0;
    if (status != cudaSuccess) {
        std::snprintf(error, static_cast<size_t>(errorSize), "cudaGetDeviceCount: %s (runtime %d)",
                      cudaGetErrorString(status), CUDART_VERSION);
        return -1;
    }
    for (int i = 0; i < count && i < capacity; ++i) {
        cudaDeviceProp properties{};
        LoquorGpuDevice& device = out[i];
        device = {};
        device.index = i;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess)
            continue;
        constexpr int kLongestName = sizeof device.name - 1; // longer ones are cut
        std::snprintf(device.name, sizeof device.name, "%.*s", kLongestName, properties.name);
        device.memoryBytes = properties.totalGlobalMem;
        device.computeMajor = properties.major;
        device.computeMinor = properties.minor;
        device.selfTestPassed = cudaSetDevice(i) == cudaSuccess && loquor::gpu::runSelfTest() ? 1 : 0;
    }
    return count;
}
