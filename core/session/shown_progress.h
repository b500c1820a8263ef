// What people are shown of a job's progress: it never steps back.
#pragma once

#include <cstdint>

#include "core/session/session.h"

namespace loquor::session {

// Totals are estimated and change, and after a fault frames are made again. Shown are the most frames that were done
// so far and the largest part; both wait until the job has caught up. Another job starts anew. One thread.
class ShownProgress
{
public:
    void update(const Snapshot& snapshot);

    std::int64_t done() const { return m_done; }
    std::int64_t total() const { return m_total; }  // never below done(); 0 = not known yet
    double part() const { return m_part; }          // 0 to 1; < 0 = not known yet

private:
    CommandId m_job = 0;
    std::int64_t m_done = 0, m_total = 0;
    double m_part = -1;
};

} // namespace loquor::session
