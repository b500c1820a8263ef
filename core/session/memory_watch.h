// How much memory all processes of the program use together.
#pragma once

namespace loquor::session {

// Samples this process and everything below it; remembers the most. Engine thread only.
class MemoryWatch
{
public:
    void restart();
    // Megabytes now; also kept as a candidate for the peak.
    double sample();
    double peakMb() const { return m_peakMb; }

private:
    double m_peakMb = 0;
};

} // namespace loquor::session
