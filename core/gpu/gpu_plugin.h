// Loads the CUDA plug-in at run time, so that the same programs run with and without a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace loquor::gpu {

struct GpuDevice
{
    int index = 0;
    std::string name;
    std::uint64_t memoryBytes = 0;
    int computeMajor = 0, computeMinor = 0;
    bool selfTestPassed = false; // a kernel ran on it and gave the right numbers
};

// A loaded plug-in; the library stays loaded for the rest of the process (CUDA cannot be unloaded).
// Load it before anything asks LibTorch about CUDA: at::hasCUDA() caches its first answer.
class GpuPlugin
{
public:
    // NotFound: the file is not there (the default build). Unreadable: it or one of its libraries does
    // not load; the message holds the loader's reason. Unsupported: built for another version.
    static Result<std::unique_ptr<GpuPlugin>> load(const std::filesystem::path& file);
    // Beside the running program: ../lib/loquor_cuda.so or loquor_cuda.so.
    static std::filesystem::path defaultPath();
    ~GpuPlugin();

    // An empty list: the plug-in works but the machine has no usable GPU. Blocks for the self test
    // (some 100 ms on first use of a device).
    Result<std::vector<GpuDevice>> devices() const;

private:
    GpuPlugin();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::gpu
