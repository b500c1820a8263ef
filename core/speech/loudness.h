// Speech at an even loudness: one fixed gain for each voice, then a limiter for true peaks, so that clauses
// that are made one after the other sound equally loud.
#pragma once

#include <optional>

#include "core/media/audio_block.h"

namespace loquor::speech {

inline constexpr double kTargetLufs = -16.0;
inline constexpr double kCeilingDbtp = -1.0;

// Integrated loudness (EBU R 128) and true peak of a block; nothing when it is too short or silent.
struct Loudness
{
    double lufs = 0;
    double truePeakDb = 0;
};
std::optional<Loudness> measureLoudness(const AudioBlock& audio);

// Multiplies by the gain and keeps the true peak under kCeilingDbtp: gain changes look 4 ms ahead and are
// smooth. Length and timing stay as they are. Mono.
void applyGainLimited(AudioBlock& audio, double gainDb);

} // namespace loquor::speech
