// Speed of a run and the time it still takes, calm enough to be read.
#pragma once

#include <chrono>
#include <cstdint>

namespace loquor::session {

// Frames come in bursts (a chunk at a time) and totals are estimates that change. The speed is that of
// the last seconds; the time left counts down with the clock and is pulled gently towards what that
// speed says. One thread; time is given, so that tests have their own.
class ProgressRate
{
public:
    using Clock = std::chrono::steady_clock;

    void restart() { *this = {}; }
    // `done` of `total` frames at `now`; total 0 = not known. Calls without news count, too: they say that
    // nothing was made meanwhile. Frames that were there at the first call (from a store) are not counted.
    void update(Clock::time_point now, std::int64_t done, std::int64_t total);

    double framesPerSecond() const { return m_rate; } // 0 = not known yet
    double secondsLeft() const { return m_left; }     // < 0 = not known yet

private:
    bool m_started = false;
    Clock::time_point m_last;
    std::int64_t m_done = 0;
    double m_frames = 0, m_seconds = 0; // weighted: what is long ago counts little
    double m_silence = 0, m_gap = 0;   // seconds since frames came, and usual ones between two bursts
    double m_elapsed = 0;
    double m_rate = 0, m_left = -1;
};

} // namespace loquor::session
