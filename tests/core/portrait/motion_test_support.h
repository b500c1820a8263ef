// Made-up speech for the motion tests: sounds with times, and a sound track that fits them.
#pragma once

#include <vector>

#include "core/portrait/motion_solver.h"

namespace loquor::portrait::made {

struct Speech
{
    std::vector<Sound> sounds;
    AudioBlock audio;
    std::vector<Cue> cues;
};

// Random syllables with pauses now and then; `phonesPerSecond` on average. Contiguous from 0.
// Sample rate 0: no sound track.
Speech makeSpeech(std::uint64_t seed, double seconds, double phonesPerSecond, int sampleRate = 16000);

// One sound, held.
AudioBlock makeVowel(const char* symbol, double seconds, int sampleRate);

// The window a caller would cut for frames [first, first + count): a little more than the contract asks.
SpeechWindow windowFor(const Speech& speech, Rational fps, FrameIndex first, int count);

FrameIndex frameCount(const Speech& speech, Rational fps);

// The whole run, in chunks whose sizes repeat from `sizes`; each with the window of its own.
std::vector<Motion> solveInChunks(const Speech& speech, Rational fps, std::uint64_t seed, const std::vector<int>& sizes,
                                  Style style = {});

} // namespace loquor::portrait::made
