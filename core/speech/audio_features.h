// What the aligners hear: frames of 10 ms. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "core/media/audio_block.h"

namespace loquor::speech {

inline constexpr double kFrameSeconds = 0.010;

// First channel mixed with the others, at `rate`. Copies when nothing has to be done.
AudioBlock monoAtRate(const AudioBlock& audio, int rate);

// Log energy (natural) of 25 ms around each frame.
std::vector<float> frameEnergies(const AudioBlock& mono);

// From the quietest to the loudest frames (5th to 95th percentile).
float loudnessRange(const std::vector<float>& energies);

// Frames that are quieter than 30 % of the way from the quietest to the loudest (see loudnessRange), and
// short bursts between them: clicks, smacks, breaths.
std::vector<bool> silentFrames(const std::vector<float>& energies);

struct FrameRange
{
    int begin = 0, end = 0;
    int length() const { return end - begin; }
};
// Runs of silent frames at least `shortest` long.
std::vector<FrameRange> silentRuns(const std::vector<bool>& silent, int shortest);

// 12 cepstra, their slopes and the energy of each frame, normalised over the frames that are not silent:
// kFeatureSize floats a frame. Any rate from 16 kHz up.
inline constexpr int kFeatureSize = 25;
std::vector<float> alignmentFeatures(const AudioBlock& mono, const std::vector<float>& energies,
                                     const std::vector<bool>& silent);

} // namespace loquor::speech
