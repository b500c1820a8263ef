// How sound is cut into lines that last whole numbers of frames.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/time.h"

namespace loquor::pipeline {

// A line on its own grid: frames that its sound needs, and samples that so many frames can hold. A line
// of n frames holds ceil(n x rate / fps) samples; one more needs another frame.
FrameIndex framesOfLine(SampleIndex samples, int sampleRate, Rational fps);
SampleIndex samplesOfLine(FrameIndex frames, int sampleRate, Rational fps);

// Silence to append to a line that starts at `start` (a frame boundary) and has `samples`, so that it
// ends on a frame boundary: the pause absorbs the remainder. 0 when it already does.
SampleIndex paddingToFrame(SampleIndex start, SampleIndex samples, int sampleRate, Rational fps);

// Where a recording is cut into lines.
struct CutLimits
{
    double minSeconds = 4;  // a line is at least this long
    double maxSeconds = 10; // and at most that
};

// The cut of a recording: `mono` starts at sample `start` of the run (a frame boundary). Returns the
// length of the next line in samples: up to the frame boundary inside [min, max] seconds around which
// the sound is quietest (the earliest among equals). Pass at least maxSeconds of sound, or all that is
// left. Returns mono.size() when less than minSeconds would remain.
SampleIndex cutAtPause(std::span<const float> mono, SampleIndex start, int sampleRate, Rational fps,
                       CutLimits limits = {});

} // namespace loquor::pipeline
