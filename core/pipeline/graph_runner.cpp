#include "core/pipeline/graph_runner.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/check.h"
#include "core/base/guarded_thread.h"
#include "core/base/log.h"
#include "core/pipeline/stage.h"

namespace loquor::pipeline {

namespace {

// Collects the first failure. Any thread.
class Outcome
{
public:
    void report(Error error)
    {
        std::lock_guard lock(m_mutex);
        if (!m_first)
            m_first.emplace(std::move(error));
    }
    std::optional<Error> take()
    {
        std::lock_guard lock(m_mutex);
        return std::move(m_first);
    }

private:
    std::mutex m_mutex;
    std::optional<Error> m_first; // m_mutex
};

Result<void> checkBudget(std::size_t needed, std::size_t budget, const std::vector<GraphNode>& nodes)
{
    if (budget == 0 || needed <= budget)
        return {};
    const auto hungriest = std::max_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
        return a.bytes + a.queueBytes < b.bytes + b.queueBytes;
    });
    constexpr std::size_t kMega = std::size_t{1024} * 1024;
    return fail(ErrorCode::OutOfMemory,
                "This run needs about " + std::to_string(needed / kMega + 1) + " MB but only " +
                    std::to_string(budget / kMega) + " MB can be had; '" + hungriest->name +
                    "' needs the most. Close other programs or choose a smaller picture size.");
}

// What a node does from first to last, its own thread's body.
Result<void> streamNode(const GraphNode& node, const CancelToken& cancel)
{
    return guarded(node.name, [&]() -> Result<void> {
        LQ_CHECKED(node.work(cancel));
        return node.finish();
    });
}

Result<void> streamSource(const GraphSource& source, const CancelToken& cancel)
{
    return guarded(source.name, [&]() -> Result<void> {
        LQ_CHECKED(source.pull(0, cancel));
        return source.finish();
    });
}

} // namespace

Result<void> runStreaming(const GraphSource& source, std::vector<GraphNode>& nodes,
                          std::size_t memoryBudget, const CancelToken& parent)
{
    std::size_t needed = 0;
    for (const GraphNode& node : nodes)
        needed += node.bytes + node.queueBytes;
    LQ_CHECKED(checkBudget(needed, memoryBudget, nodes));
    for (GraphNode& node : nodes)
        node.open(nullptr);
    CancelSource run(parent);
    Outcome outcome;
    const auto wake = run.token().onCancel([&nodes] {
        for (GraphNode& node : nodes)
            node.abort();
    });
    std::vector<std::thread> threads;
    threads.reserve(nodes.size() + 1);
    const auto failed = [&run, &outcome](const Error& error) {
        outcome.report(error);
        run.cancel();
    };
    const auto start = [&](const std::string& name, auto body) {
        const auto work = [&name, &run, failed, body] {
            if (const auto result = body(run.token()); !result) {
                log(LogLevel::Debug, "pipeline", name + ": " + result.error().logText());
                failed(result.error());
            }
        };
        threads.push_back(guardedThread("rendering", work, failed));
    };
    const auto startAll = [&] {
        start(source.name, [&source](const CancelToken& cancel) { return streamSource(source, cancel); });
        for (GraphNode& node : nodes)
            start(node.name, [&node](const CancelToken& cancel) { return streamNode(node, cancel); });
    };
    if (const auto error = caught("starting the threads of a run", startAll))
        failed(*error); // those that run already end
    for (std::thread& thread : threads)
        thread.join();
    auto error = outcome.take();
    if (!error) // a cancel that came when the last sink was closing was too late: all is delivered
        return {};
    if (parent.isCancelled())
        return cancelled();
    return fail(std::move(*error));
}

namespace {

Result<void> runWindows(const GraphSource& source, const std::vector<GraphNode>& nodes,
                        const BatchOptions& options, const CancelToken& cancel)
{
    for (bool more = true; more;) {
        LQ_TRY(more, guarded(source.name, [&] { return source.pull(options.windowChunks, cancel); }));
        for (const GraphNode& node : nodes) {
            if (cancel.isCancelled())
                return cancelled();
            LQ_CHECKED(guarded(node.name, [&] { return node.work(cancel); }));
        }
        if (options.spill)
            LQ_CHECKED(options.spill->clear());
    }
    for (const GraphNode& node : nodes)
        LQ_CHECKED(guarded(node.name, [&] { return node.finish(); }));
    return {};
}

} // namespace

Result<void> runBatch(const GraphSource& source, std::vector<GraphNode>& nodes,
                      const BatchOptions& options, std::size_t memoryBudget,
                      const CancelToken& parent)
{
    LOQUOR_CHECK(options.windowChunks > 0, "a window has chunks");
    std::size_t needed = 0;
    for (const GraphNode& node : nodes)
        needed = std::max(needed, node.bytes);
    LQ_CHECKED(checkBudget(needed + options.memoryLimit, memoryBudget, nodes));
    const auto memory = std::make_shared<WindowMemory>(WindowMemory{options.memoryLimit, 0, options.spill});
    for (GraphNode& node : nodes)
        node.open(memory);
    auto result = runWindows(source, nodes, options, parent);
    if (result)
        return {};
    if (parent.isCancelled())
        return cancelled();
    log(LogLevel::Debug, "pipeline", result.error().logText());
    return result;
}

} // namespace loquor::pipeline
