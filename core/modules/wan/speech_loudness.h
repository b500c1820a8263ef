// The loudness step before FlashTalk listens. It follows the filters of its reference (pyloudnorm), which differ from
// those of EBU R 128 meters by a few hundredths of a decibel, and never limits.
#pragma once

#include <span>
#include <vector>

namespace loquor::modules {

struct SpeechFilter
{
    double b[3], a[3]; // a[0] is 1
};
SpeechFilter highShelf(double rate);
SpeechFilter highPass(double rate);

// Gated loudness of mono sound in LUFS; minus infinity for silence and for less than 0.4 s.
double speechLoudness(std::span<const float> samples, double rate);
// Multiplies by one factor so that the sound has `target` LUFS; silence stays.
void toLoudness(std::vector<float>& samples, double rate, double target = -23);

} // namespace loquor::modules
