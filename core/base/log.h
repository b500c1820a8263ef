// The log: lines with level, area and time, to stderr and optionally to a file. Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace loquor {

enum class LogLevel {
    Debug = 1,
    Info,
    Warning,
    Error,
};

// Writes one line. Warning and Error are for users: plain words (Error::text()), nothing secret or long.
void log(LogLevel level, std::string_view area, std::string_view text);

// Lines below this level are dropped. Default: Warning, or what the environment variable
// LOQUOR_LOG (debug|info|warning|error) says at start; if set, lines on stderr have time and area.
void setLogLevel(LogLevel level);

// Replaces stderr as the sink (empty function: back to stderr). Called under the log's own lock.
using LogSink = std::function<void(LogLevel, std::string_view line)>;
void setLogSink(LogSink sink);

} // namespace loquor
