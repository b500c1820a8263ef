// What an executor did, in order: the evidence tests compare, and a debugging aid.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace loquor::pipeline {

enum class ExecutionStep {
    Begin = 1,
    Emit,
    End,
    Fail,
    Cancel,
};

struct ExecutionEvent
{
    std::string stage;
    int chunk = 0;
    ExecutionStep step = ExecutionStep::Begin;
};

// Any thread. Grows without limit: for tests and short traces only.
class ExecutionLog
{
public:
    void add(const char* stage, int chunk, ExecutionStep step);
    std::vector<ExecutionEvent> events() const;
    // "decode begin 3", one entry a line; only the entries of `stage`, or all when empty.
    std::vector<std::string> lines(const std::string& stage = {}) const;

private:
    mutable std::mutex m_mutex;
    std::vector<ExecutionEvent> m_events; // m_mutex
};

} // namespace loquor::pipeline
