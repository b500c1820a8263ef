// What the solver hears, every 10 ms of the run: level, voice, and a rough mouth from the spectrum.
// Runs strictly forward; its state is a handful of numbers, so a recording of any length costs the same
// memory and no chunk border changes a value.
#pragma once

#include <cstdint>
#include <vector>

#include "core/media/audio_block.h"

namespace loquor::portrait {

inline constexpr int kTicksPerSecond = 100;
inline constexpr double kTickSeconds = 1.0 / kTicksPerSecond;
inline constexpr double kHearingHalfWindow = .016; // s of sound on either side of a tick

// One tick. Levels in dB of full scale (never below kSilenceDb).
inline constexpr float kSilenceDb = -90;
struct HeardTick
{
    float levelDb = kSilenceDb; // speech band
    float voice = 0;            // 1 while someone speaks
    float open = 0, wide = 0, round = 0, hiss = 0; // 0..1 from band ratios, meaningful while voice is 1
};

// Survives from chunk to chunk. Plain values.
struct HearingState
{
    double referenceDb = -62; // level of the loud parts of the speech of the last second or two
    double floorDb = -75;     // level of what lies under the speech
    double level = kSilenceDb; // smoothed over 30 ms
    double usualOpen = -3;    // dB of the first formant over what lies below it, in this voice and recording
    std::int32_t ticks = 0;   // heard so far, saturating
    std::int32_t hangover = 0; // ticks that voice is kept after it fell
};

class Hearing
{
public:
    // Hears tick number `tick` (centre at tick * 10 ms of the run) of the mono `audio` that starts at
    // `audioStart` seconds; what lies outside it is silence. Channels are averaged, samples that are
    // not numbers count as 0. Ticks must be heard in order.
    HeardTick hear(const AudioBlock& audio, double audioStart, std::int64_t tick, HearingState& state);

private:
    void prepare(int sampleRate);
    void loadWindow(const AudioBlock& audio, double audioStart, std::int64_t tick);
    void transform();
    double bandDb(double fromHz, double toHz) const;

    // immutable after prepare
    int m_rate = 0;
    std::size_t m_size = 0;      // of the transform, a power of two
    std::vector<float> m_window; // Hann, 2 * kHearingHalfWindow long
    std::vector<float> m_cos, m_sin;
    // scratch
    std::vector<float> m_re, m_im;
    std::vector<double> m_power; // per bin, scaled so that the sum is the mean square of the sound
};

} // namespace loquor::portrait
