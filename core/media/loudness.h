// How loud sound is (EBU R 128) and bringing it to a wanted loudness without clipping.
#pragma once

#include <memory>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"

namespace loquor::media {

struct Loudness
{
    double integratedLufs = -70; // gated; -70 stands for silence or less than 0.4 s
    double truePeakDb = -200;    // dBTP, over-sampled; -200 = digital silence
};
Loudness measureLoudness(const AudioBlock& block);

// The same of a stream, in constant memory; within 0.1 LU. One thread at a time.
class LoudnessMeter
{
public:
    LoudnessMeter(int sampleRate, int channels);
    ~LoudnessMeter();
    LoudnessMeter(const LoudnessMeter&) = delete;
    LoudnessMeter& operator=(const LoudnessMeter&) = delete;
    void add(const float* samples, SampleIndex frames); // interleaved
    Loudness result() const;                            // of all so far

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

// Keeps peaks at or below `ceilingDb` by turning the gain down smoothly shortly before them and up
// again slowly after; sound that stays below is unchanged to the bit. All channels alike. In place,
// same length, no delay.
void limitPeaks(AudioBlock& block, double ceilingDb);

struct LoudnessChange
{
    double gainDb = 0;    // that was applied before the limiter
    double limitedDb = 0; // most that the limiter took away
};
// Gain to `targetLufs` (speech for the web: -16), then the limiter. Silence stays silence; the gain
// is held to `mostGainDb` so that noise is not blown up.
LoudnessChange normaliseLoudness(AudioBlock& block, double targetLufs, double ceilingDb = -1.0,
                                 double mostGainDb = 30.0);

} // namespace loquor::media
