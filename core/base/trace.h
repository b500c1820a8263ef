// Always-on cost accounting: named scopes that add up wall and thread-CPU time. Feeds the `stages`
// table of the report and the CSV behind LOQUOR_TRACE.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace loquor {

struct TraceTotals
{
    std::uint64_t count = 0;
    double wallSeconds = 0;
    double cpuSeconds = 0; // of the thread that ran the scope
};

// One per run; passed down, not global. Any thread.
class Trace
{
public:
    void add(const std::string& name, double wallSeconds, double cpuSeconds);
    std::map<std::string, TraceTotals> totals() const;

private:
    mutable std::mutex m_mutex;
    std::map<std::string, TraceTotals> m_totals; // m_mutex
};

// Measures from construction to destruction on the current thread.
class TraceScope
{
public:
    TraceScope(Trace* trace, const char* name);
    ~TraceScope();
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;

private:
    Trace* m_trace;
    const char* m_name;
    std::chrono::steady_clock::time_point m_wall;
    double m_cpu;
};

// CPU seconds used so far by the calling thread / by the whole process.
double threadCpuSeconds();
double processCpuSeconds();

} // namespace loquor
