// What a frame looks like in a few numbers: enough to see that a picture went wrong or jumps, whatever
// engine made it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"
#include "core/media/image.h"

namespace loquor::pipeline {

// Luma is that of BT.709 on the values as they are, 0 to 255, over every fourth pixel both ways.
struct FrameLook
{
    double luma = 0;      // mean
    double contrast = 0;  // standard deviation of luma
    bool isFinite = true; // false: values that are not numbers
    double red = 0, blue = 0; // mean distance from green, 0 for grey
    std::uint64_t print = 0;  // of images: equal for equal pictures; 0 = not known
};

FrameLook lookAt(const Image& image); // 1, 3 or 4 channels
// Interleaved RGB in [0, 1] as a network gives it, before rounding hides what is not a number.
FrameLook lookAt(std::span<const float> rgb);

// Steps between neighbouring frames, split into those inside chunks and those onto the first frame of a
// join or behind one.
struct SeamSteps
{
    double lumaInside95 = 0, contrastInside95 = 0; // 95th percentile
    double lumaWorstSeam = 0, contrastWorstSeam = 0;

    // No seam steps more than most frames do; `slack` in luma levels covers rounding.
    bool areHidden(double slack = 0.5) const
    {
        return lumaWorstSeam <= lumaInside95 + slack && contrastWorstSeam <= contrastInside95 + slack;
    }
};

// `looks` in playback order; `seams` are the frames (> 0) that begin something new.
SeamSteps measureSeams(std::span<const FrameLook> looks, std::span<const FrameIndex> seams);

// How far the look moves along a clip: the biggest distance between the mean of a window and that of the
// first one.
struct LookDrift
{
    double luma = 0, contrast = 0;
};
LookDrift measureDrift(std::span<const FrameLook> looks, std::size_t windowFrames = 25);

} // namespace loquor::pipeline
