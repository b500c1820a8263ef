// The untyped half of both executors: who runs when, first error wins, one cancel.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/pipeline/edge.h"

namespace loquor::pipeline {

// A stage or sink of the chain with the edge in front of it.
struct GraphNode
{
    std::string name;
    std::size_t bytes = 0;      // memory estimate of the stage
    std::size_t queueBytes = 0; // and of the queue in front of it
    // Works off the input: until it is closed (queue) or empty (window).
    std::function<Result<void>(const CancelToken&)> work;
    std::function<Result<void>()> finish; // nothing follows
    std::function<void()> abort;          // wakes whoever waits at the input
    // Makes the edge in front: a queue without, a window buffer with memory.
    std::function<void(const std::shared_ptr<WindowMemory>&)> open;
};

// Takes up to this many chunks (0 = all) from the source into the first edge; false when the source
// has no more.
using PullChunks = std::function<Result<bool>(int chunks, const CancelToken&)>;

// Where the chain begins.
struct GraphSource
{
    std::string name;
    PullChunks pull;
    std::function<Result<void>()> finish;
};

// Streaming: one thread per node, side by side; returns when all have ended. The first failure cancels
// the others and is returned; cancelling `parent` ends the run with Cancelled unless all is
// delivered already. OutOfMemory before
// anything starts when the estimates exceed `memoryBudget` (0 = no limit).
Result<void> runStreaming(const GraphSource& source, std::vector<GraphNode>& nodes,
                          std::size_t memoryBudget, const CancelToken& parent);

struct BatchOptions
{
    int windowChunks = 8;        // chunks that pass a stage before the next one begins
    std::size_t memoryLimit = 0; // bytes of results between stages, 0 = no limit
    std::shared_ptr<Spill> spill; // takes what exceeds the limit; may be null
};

// Batch: on the calling thread, one node after the other over a window of chunks. Of the stages only
// the hungriest counts against the budget: they do not work at one time.
Result<void> runBatch(const GraphSource& source, std::vector<GraphNode>& nodes,
                      const BatchOptions& options, std::size_t memoryBudget,
                      const CancelToken& parent);

} // namespace loquor::pipeline
