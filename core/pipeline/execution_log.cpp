#include "core/pipeline/execution_log.h"

namespace loquor::pipeline {

namespace {

const char* name(ExecutionStep step)
{
    switch (step) {
    case ExecutionStep::Begin: return "begin";
    case ExecutionStep::Emit: return "emit";
    case ExecutionStep::End: return "end";
    case ExecutionStep::Fail: return "fail";
    case ExecutionStep::Cancel: return "cancel";
    }
    return "?";
}

} // namespace

void ExecutionLog::add(const char* stage, int chunk, ExecutionStep step)
{
    std::lock_guard lock(m_mutex);
    m_events.push_back({stage, chunk, step});
}

std::vector<ExecutionEvent> ExecutionLog::events() const
{
    std::lock_guard lock(m_mutex);
    return m_events;
}

std::vector<std::string> ExecutionLog::lines(const std::string& stage) const
{
    std::vector<std::string> out;
    for (const ExecutionEvent& event : events()) {
        if (stage.empty() || event.stage == stage)
            out.push_back(event.stage + ' ' + name(event.step) + ' ' + std::to_string(event.chunk));
    }
    return out;
}

} // namespace loquor::pipeline
