// What a pack of an open model takes on GPUs: memory, and time for a chunk. Arithmetic, not a measurement.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/packs/manifest.h"

namespace loquor::packs {

// A kind of device, by what a big matrix product in bfloat16 reaches on it.
struct DeviceKind
{
    const char* name;
    double peakTflops, memoryGb;
};
const std::vector<DeviceKind>& deviceKinds();

struct DeviceEstimate
{
    std::string device;
    double secondsLow = 0, secondsHigh = 0; // for a chunk, at 50 and at 38 % of the peak
    double realTime = 0;                    // seconds of video a second, at 38 %
    bool fits = false;                      // the memory
};

struct PackEstimate
{
    std::int64_t tokens = 0;    // of the video network
    int framesPerChunk = 0, devices = 1;
    double petaflops = 0;       // for a chunk: all steps, decoder, super-resolution
    double memoryGb = 0;        // for each device: weights whole, activations shared
    std::vector<DeviceEstimate> kinds;
};

// For pictures of width x height that come out. InvalidArgument: a size the pack does not make (checkSettings), a
// number of devices that its heads and tokens cannot be shared among (names the nearest that works), or a pack that
// runs on the processor.
Result<PackEstimate> estimate(const PackManifest& pack, int width, int height, int devices);

} // namespace loquor::packs
