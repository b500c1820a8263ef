// What the sound says about the mouth: loudness, speech and silence, mel bands, and the opening that a
// fixed linear model of real people expects.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/evaluate/numeric.h"

namespace loquor::evaluate {

inline constexpr int kSpeechRate = 16000; // Hz of the mono sound below
inline constexpr std::size_t kMelBands = 20;
inline constexpr std::size_t kContextColumns = 5 * kMelBands;

struct SpeechSignal
{
    Series times;                  // seconds, one entry each 10 ms
    Series decibels;               // 300..3400 Hz
    std::vector<Series> mel;       // log power, one series per band
    Mask speech;
    double contrast = 0;           // dB between the quiet and the loud parts
};

// Nothing when the sound is shorter than a quarter of a second. `start` is the time of its first sample.
std::optional<SpeechSignal> analyseSpeech(std::span<const float> mono16k, double start);

// Mel bands with context on a time grid, normalised per clip: kContextColumns series.
std::vector<Series> melContext(const SpeechSignal& speech, const Series& times);
// The lip opening real people show with this sound (no unit).
Series expectedOpening(const SpeechSignal& speech, const Series& times);

} // namespace loquor::evaluate
