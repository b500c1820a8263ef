#include "core/base/log.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace loquor {

namespace {

LogLevel initialLevel()
{
    const char* wanted = std::getenv("LOQUOR_LOG");
    const std::string_view name = wanted ? wanted : "";
    if (name == "debug")
        return LogLevel::Debug;
    if (name == "info")
        return LogLevel::Info;
    if (name == "error")
        return LogLevel::Error;
    return LogLevel::Warning;
}

// Process-wide by nature: there is one stderr. Everything else in core is passed down.
struct Log
{
    const bool isDetailed = std::getenv("LOQUOR_LOG") != nullptr;
    std::atomic<LogLevel> level{initialLevel()};
    std::mutex mutex;
    LogSink sink; // mutex
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

Log& theLog()
{
    static Log* instance = new Log; // never destroyed: threads may log until the very end
    return *instance;
}

const char* levelName(LogLevel level)
{
    switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
    }
    return "?";
}

} // namespace

void log(LogLevel level, std::string_view area, std::string_view text)
{
    Log& l = theLog();
    if (level < l.level.load(std::memory_order_relaxed))
        return;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - l.start).count();
    char head[64];
    std::snprintf(head, sizeof head, "%9.3f %-7s ", seconds, levelName(level));
    std::string line = head;
    line.append(area).append(": ").append(text);
    std::lock_guard lock(l.mutex);
    if (l.sink) {
        l.sink(level, line);
    } else {
        if (!l.isDetailed)
            line = std::string(levelName(level)) + ": " + std::string(text);
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
}

void setLogLevel(LogLevel level)
{
    theLog().level = level;
}

void setLogSink(LogSink sink)
{
    std::lock_guard lock(theLog().mutex);
    theLog().sink = std::move(sink);
}

} // namespace loquor
