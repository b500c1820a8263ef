// The untyped half of the streaming executor: one thread per node, first error wins, one cancel.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loquor::pipeline {

// A node: its loop, and how to wake it when the run ends early.
struct GraphNode
{
    std::string name;
    std::size_t bytes = 0; // memory estimate of the stage and of its input queue
    std::function<Result<void>(const CancelToken&)> loop;
    std::function<void()> abort; // empty when there is nothing to wake
};

// Runs the loops side by side and returns when all have ended. The first failure cancels the others
// and is returned; cancelling `parent` ends the run with Cancelled. OutOfMemory before anything starts
// when the estimates exceed `memoryBudget` (0 = no limit).
Result<void> runGraph(std::vector<GraphNode>& nodes, std::size_t memoryBudget,
                      const CancelToken& parent);

} // namespace loquor::pipeline
