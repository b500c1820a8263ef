#include "core/base/trace.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>

#include <unistd.h>

namespace loquor {

namespace {

double clockSeconds(clockid_t id)
{
    timespec t{};
    clock_gettime(id, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

int threadId()
{
    thread_local const int id = gettid();
    return id;
}

std::int64_t nanoseconds(std::chrono::steady_clock::duration duration)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

std::string jsonString(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
    }
    return out + '"';
}

std::string metadata(const char* what, int thread, const std::string& name)
{
    return std::string("{\"name\":\"") + what + "\",\"ph\":\"M\",\"pid\":" + std::to_string(getpid()) +
           ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":" + jsonString(name) + "}}";
}

// Microseconds with the nanoseconds behind the point.
std::string microseconds(std::int64_t ns)
{
    char text[40];
    std::snprintf(text, sizeof text, "%" PRId64 ".%03d", ns / 1000, static_cast<int>(ns % 1000));
    return text;
}

std::string completeEvent(const TraceEvent& event)
{
    std::string out = "{\"name\":" + jsonString(event.name) +
                      ",\"cat\":\"stage\",\"ph\":\"X\",\"ts\":" + microseconds(event.beginNs) +
                      ",\"dur\":" + microseconds(event.durationNs) +
                      ",\"pid\":" + std::to_string(getpid()) +
                      ",\"tid\":" + std::to_string(event.thread);
    if (event.args.kind)
        out += ",\"args\":{\"kind\":" + jsonString(event.args.kind) +
               ",\"chunk\":" + std::to_string(event.args.chunk) +
               ",\"line\":" + std::to_string(event.args.line) + '}';
    return out + '}';
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

Trace::Trace(std::size_t maxEvents) : m_events(maxEvents) {}

void Trace::addTotals(std::string_view name, double wallSeconds, double cpuSeconds)
{
    auto found = m_totals.find(name);
    if (found == m_totals.end())
        found = m_totals.emplace(name, TraceTotals{}).first;
    TraceTotals& t = found->second;
    ++t.count;
    t.wallSeconds += wallSeconds;
    t.cpuSeconds += cpuSeconds;
}

void Trace::add(std::string_view name, double wallSeconds, double cpuSeconds)
{
    std::lock_guard lock(m_mutex);
    addTotals(name, wallSeconds, cpuSeconds);
}

void Trace::add(const TraceEvent& event, double cpuSeconds)
{
    std::lock_guard lock(m_mutex);
    addTotals(event.name, static_cast<double>(event.durationNs) * 1e-9, cpuSeconds);
    if (!m_events.empty())
        m_events[m_eventsSeen % m_events.size()] = event;
    ++m_eventsSeen;
}

void Trace::nameThread(std::string name)
{
    std::lock_guard lock(m_mutex);
    m_threads[threadId()] = std::move(name);
}

std::map<std::string, TraceTotals> Trace::totals() const
{
    std::lock_guard lock(m_mutex);
    return {m_totals.begin(), m_totals.end()};
}

std::vector<TraceEvent> Trace::events() const
{
    std::lock_guard lock(m_mutex);
    const std::uint64_t kept = std::min<std::uint64_t>(m_eventsSeen, m_events.size());
    std::vector<TraceEvent> out;
    out.reserve(kept);
    for (std::uint64_t i = m_eventsSeen - kept; i < m_eventsSeen; ++i)
        out.push_back(m_events[i % m_events.size()]);
    return out;
}

std::uint64_t Trace::eventsDropped() const
{
    std::lock_guard lock(m_mutex);
    return m_eventsSeen - std::min<std::uint64_t>(m_eventsSeen, m_events.size());
}

std::string Trace::chromeEvents(const std::string& process) const
{
    std::map<int, std::string> threads;
    {
        std::lock_guard lock(m_mutex);
        threads = m_threads;
    }
    std::string out = metadata("process_name", getpid(), process);
    for (const auto& [thread, name] : threads)
        out += ",\n" + metadata("thread_name", thread, name);
    for (const TraceEvent& event : events())
        out += ",\n" + completeEvent(event);
    return out;
}

Result<void> Trace::writeChromeTrace(const std::filesystem::path& file, const std::string& process) const
{
    const std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + chromeEvents(process) +
                             "\n]}\n";
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        return fail(errorFromErrno(errno ? errno : EIO, "The trace cannot be written to " + file.string()));
    return {};
}

TraceScope::TraceScope(Trace* trace, const char* name, TraceArgs args)
    : m_trace(trace), m_name(name), m_args(args)
{
    if (!m_trace)
        return;
    m_wall = std::chrono::steady_clock::now();
    m_cpu = threadCpuSeconds();
}

TraceScope::~TraceScope()
{
    if (!m_trace)
        return;
    const double cpu = threadCpuSeconds() - m_cpu;
    const auto end = std::chrono::steady_clock::now();
    m_trace->add({m_name, nanoseconds(m_wall.time_since_epoch()), nanoseconds(end - m_wall), threadId(),
                  m_args},
                 cpu);
}

} // namespace loquor
