// Always-on cost accounting: named scopes that add up wall and thread-CPU time, and the last ones one by
// one. Feeds the `stages` table of the report and the Chrome trace of --trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loquor {

struct TraceTotals
{
    std::uint64_t count = 0;
    double wallSeconds = 0;
    double cpuSeconds = 0; // of the thread that ran the scope
};

// What a scope worked on, as the trace shows it.
struct TraceArgs
{
    const char* kind = nullptr; // literal ("N", "I"); null = the scope has no chunk
    int chunk = 0;              // from 0
    int line = 0;               // from 1
};

// One scope. Times are nanoseconds of the steady clock, which all processes of a machine share.
struct TraceEvent
{
    const char* name = ""; // literal
    std::int64_t beginNs = 0, durationNs = 0;
    int thread = 0;
    TraceArgs args;
};

// One per run; passed down, not global. Any thread.
class Trace
{
public:
    // Keeps the last `maxEvents` scopes; the totals know all of them. Their memory is taken at once, so
    // that a long run has no more than a short one.
    explicit Trace(std::size_t maxEvents = 16'384);

    void add(std::string_view name, double wallSeconds, double cpuSeconds);
    void add(const TraceEvent& event, double cpuSeconds);
    // How the calling thread is called in the trace.
    void nameThread(std::string name);

    std::map<std::string, TraceTotals> totals() const;
    std::vector<TraceEvent> events() const; // in the order in which they ended
    std::uint64_t eventsDropped() const;

    // The kept scopes as Chrome trace JSON (chrome://tracing, Perfetto): complete events with the name
    // of this process and its threads. Replaces the file.
    Result<void> writeChromeTrace(const std::filesystem::path& file, const std::string& process) const;
    // The same events without the brackets around them, one a line with commas between: what several
    // processes wrote can be put into one array.
    std::string chromeEvents(const std::string& process) const;

private:
    void addTotals(std::string_view name, double wallSeconds, double cpuSeconds); // m_mutex held

    mutable std::mutex m_mutex; // guards all below
    std::map<std::string, TraceTotals, std::less<>> m_totals;
    std::vector<TraceEvent> m_events; // a ring
    std::uint64_t m_eventsSeen = 0;
    std::map<int, std::string> m_threads;
};

// Measures from construction to destruction on the current thread.
class TraceScope
{
public:
    TraceScope(Trace* trace, const char* name, TraceArgs args = {});
    ~TraceScope();
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;

private:
    Trace* m_trace;
    const char* m_name;
    TraceArgs m_args;
    std::chrono::steady_clock::time_point m_wall;
    double m_cpu = 0;
};

// CPU seconds used so far by the calling thread / by the whole process.
double threadCpuSeconds();
double processCpuSeconds();

} // namespace loquor
