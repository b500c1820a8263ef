// A talking head made of numbers: landmarks that move, sound they follow, pictures that do nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/evaluate/evaluation.h"

namespace loquor::test {

// Sound like speech: syllables of random formants with pauses, 16 kHz.
std::vector<float> makeSpeech(double seconds, std::uint64_t seed);

// A clean clip at 25 fps: lips follow the sound without delay, the head moves, the eyes blink.
// Passes without a hard flag.
evaluate::Clip makeClip(double seconds = 10, std::uint64_t seed = 1);

// Moves the sound against the picture (> 0: sound earlier, so the lips are late).
void advanceSound(evaluate::Clip& clip, double milliseconds);

// Phonemes with a closure wherever the lips are closed.
speech::Timing makeTiming(const evaluate::Clip& clip);

} // namespace loquor::test
