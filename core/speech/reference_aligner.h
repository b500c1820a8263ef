// Alignment by dynamic time warping onto a synthetic reading of the same text. Internal to this folder.
#pragma once

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/timing.h"

namespace loquor::speech {

inline constexpr double kLongestReferenceSeconds = 900;

// Moves the times of `reference` (which belong to `spoken`) to where `recording` says the same. Both mono,
// 16 kHz or more. Errors: InvalidArgument (no speech in one of them, or lengths that cannot match),
// Unsupported (too long), Cancelled.
Result<Timing> warpTiming(const AudioBlock& spoken, const Timing& reference, const AudioBlock& recording,
                          const CancelToken& cancel);

} // namespace loquor::speech
