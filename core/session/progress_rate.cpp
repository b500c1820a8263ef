#include "core/session/progress_rate.h"

#include <algorithm>
#include <cmath>

namespace loquor::session {

namespace {

constexpr double kMemory = 12;    // seconds: speeds this long ago count by 1/e
constexpr double kPull = 4;       // seconds in which the shown time comes near the computed one
constexpr double kLongSilence = 2; // times the usual time between two bursts
constexpr double kEnoughSeen = 1; // seconds before anything is said

} // namespace

void ProgressRate::update(Clock::time_point now, std::int64_t done, std::int64_t total)
{
    if (!m_started || done < m_done) {
        *this = {};
        m_started = true;
        m_last = now;
        m_done = done;
        return;
    }
    const double passed = std::chrono::duration<double>(now - m_last).count();
    if (passed <= 0)
        return;
    const double kept = std::exp(-passed / kMemory);
    m_frames = m_frames * kept + static_cast<double>(done - m_done);
    m_seconds = m_seconds * kept + passed;
    m_elapsed += passed;
    m_last = now;
    m_silence += passed;
    if (done > m_done) {
        m_gap = std::max(m_gap * std::exp(-m_silence / kMemory), m_silence);
        m_silence = 0;
        m_done = done;
    }
    if (m_elapsed < kEnoughSeen || m_frames <= 0)
        return;
    // Between two bursts the speed of the last one holds; a longer silence says that it fell.
    const bool waiting = m_silence > 0 && m_silence <= kLongSilence * m_gap;
    if (!waiting)
        m_rate = m_frames / m_seconds;
    if (total <= 0) {
        m_left = -1;
        return;
    }
    const double work = static_cast<double>(std::max<std::int64_t>(0, total - done)) / m_rate;
    const double computed = std::max(0.0, work - (waiting ? m_silence : 0));
    if (m_left < 0 || done >= total)
        m_left = computed;
    else {
        const double expected = std::max(0.0, m_left - passed);
        m_left = expected + (computed - expected) * (1 - std::exp(-passed / kPull));
    }
}

} // namespace loquor::session
