// Alignment by dynamic time warping onto a synthetic reading of the same text. Internal to this folder.
#pragma once

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/timing.h"

namespace loquor::speech {

inline constexpr double kLongestReferenceSeconds = 900; // longer recordings go in windows

// Moves the times of `reference` (which belong to `spoken`) to where `recording` says the same. Both mono,
// 16 kHz or more, from the same word on. Errors: InvalidArgument (no speech in one of them, or lengths that cannot match),
// Cancelled. Memory grows with the square of the length.
Result<Timing> warpTiming(const AudioBlock& spoken, const Timing& reference, const AudioBlock& recording,
                          const CancelToken& cancel);

// What a window of a longer recording is compared with.
struct WarpRange
{
    double pace = 1;          // seconds of the recording for one of the reading, without pauses; about
    bool isOpen = true;       // the recording may end anywhere in the reading
    bool mayEndEarly = false; // the reading is the rest of the text: it may end before the recording does
    bool isFirst = false;     // the pace is a guess
};
struct WarpedWindow
{
    Timing timing;  // of what of the reading is in the window
    double pace = 1;
};
// Errors as above.
Result<WarpedWindow> warpWindow(const AudioBlock& spoken, const Timing& reference, const AudioBlock& recording,
                                const WarpRange& range, const CancelToken& cancel);

} // namespace loquor::speech
