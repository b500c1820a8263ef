// Streaming mono resampler for devices that do not run at the rate of the sound: polyphase windowed
// sinc at the exact ratio. Not for files (media resamples those).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loquor::audio {

class SinkResampler
{
public:
    SinkResampler(int fromRate, int toRate);

    // Takes `count` samples in and appends what comes out to `out`. The output lags by half the
    // filter (about 16 input samples); start() silence is built in, so the first output is in time
    // with the first input.
    void process(const float* in, std::size_t count, std::vector<float>& out);

private:
    std::int64_t m_up = 1, m_down = 1; // output rate / input rate in lowest terms
    std::size_t m_taps = 0;
    std::vector<float> m_filter;  // m_up phases of m_taps
    std::vector<float> m_history; // input not used up yet
    std::int64_t m_phase = 0;     // of the next output, in 1/m_up input samples
};

} // namespace loquor::audio
