// Keeps peaks of a stream below a ceiling, those between two samples too.
#pragma once

#include <limits>
#include <vector>

#include "core/base/time.h"

namespace loquor::media {

// Turns the gain down smoothly shortly before a peak and up again slowly after; sound that stays below comes out unchanged to
// the bit. All channels alike; same length, no delay over all; the result does not depend on how the sound is cut into
// pushes. Holds some 25 ms. One thread at a time.
class PeakLimiter
{
public:
    PeakLimiter(int sampleRate, int channels, double ceilingDb);
    // Interleaved; appends what is known by now to `out`.
    void push(const float* samples, SampleIndex frames, std::vector<float>& out);
    // Appends the rest. Nothing may be pushed after it.
    void finish(std::vector<float>& out);

private:
    void findPeaks(std::size_t end);
    void comparePlaces(std::size_t frame);
    void emit(std::size_t end, std::size_t count, std::vector<float>& out);

    const std::size_t m_channels, m_ahead;
    const float m_ceiling, m_down, m_up; // ramps: factors from one frame to the next
    std::vector<float> m_samples;        // the last frames that were handed out, and those that were not
    std::vector<float> m_peaks;          // of these frames
    std::size_t m_known = 0;             // frames whose peak is final
    std::size_t m_handedOut = 0;         // frames of m_samples
    float m_lastGain = std::numeric_limits<float>::infinity();
};

} // namespace loquor::media
