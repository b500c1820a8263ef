#include "core/session/shown_progress.h"

#include <algorithm>

namespace loquor::session {

void ShownProgress::update(const Snapshot& snapshot)
{
    if (snapshot.job != m_job) {
        *this = {};
        m_job = snapshot.job;
    }
    m_done = std::max(m_done, snapshot.framesDone);
    if (snapshot.framesTotal <= 0)
        return;
    m_total = std::max(m_done, snapshot.framesTotal);
    m_part = std::max(m_part, static_cast<double>(m_done) / static_cast<double>(m_total));
}

} // namespace loquor::session
