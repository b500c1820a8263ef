#include "core/base/trace.h"

#include <ctime>

namespace loquor {

namespace {

double clockSeconds(clockid_t id)
{
    timespec t{};
    clock_gettime(id, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

} // namespace

double threadCpuSeconds()
{
    return clockSeconds(CLOCK_THREAD_CPUTIME_ID);
}

double processCpuSeconds()
{
    return clockSeconds(CLOCK_PROCESS_CPUTIME_ID);
}

void Trace::add(const std::string& name, double wallSeconds, double cpuSeconds)
{
    std::lock_guard lock(m_mutex);
    TraceTotals& t = m_totals[name];
    ++t.count;
    t.wallSeconds += wallSeconds;
    t.cpuSeconds += cpuSeconds;
}

std::map<std::string, TraceTotals> Trace::totals() const
{
    std::lock_guard lock(m_mutex);
    return m_totals;
}

TraceScope::TraceScope(Trace* trace, const char* name)
    : m_trace(trace), m_name(name), m_wall(std::chrono::steady_clock::now()),
      m_cpu(threadCpuSeconds())
{
}

TraceScope::~TraceScope()
{
    if (!m_trace)
        return;
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - m_wall).count();
    m_trace->add(m_name, wall, threadCpuSeconds() - m_cpu);
}

} // namespace loquor
