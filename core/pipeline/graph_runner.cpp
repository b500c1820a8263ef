#include "core/pipeline/graph_runner.h"

#include <atomic>
#include <thread>

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

Result<void> checkBudget(const std::vector<GraphNode>& nodes, std::size_t budget)
{
    std::size_t sum = 0;
    std::string biggest;
    std::size_t most = 0;
    for (const GraphNode& node : nodes) {
        sum += node.bytes;
        if (node.bytes > most) {
            most = node.bytes;
            biggest = node.name;
        }
    }
    if (budget == 0 || sum <= budget)
        return {};
    constexpr std::size_t kMega = 1024 * 1024;
    return fail(ErrorCode::OutOfMemory,
                "This run needs about " + std::to_string(sum / kMega + 1) + " MB but only " +
                    std::to_string(budget / kMega) + " MB are allowed; '" + biggest +
                    "' needs the most. Choose a smaller picture size.");
}

} // namespace

Result<void> runGraph(std::vector<GraphNode>& nodes, std::size_t memoryBudget,
                      const CancelToken& parent)
{
    LQ_CHECKED(checkBudget(nodes, memoryBudget));
    CancelSource run(parent);
    Outcome outcome;
    const auto wake = run.token().onCancel([&nodes] {
        for (GraphNode& node : nodes) {
            if (node.abort)
                node.abort();
        }
    });
    std::vector<std::thread> threads;
    threads.reserve(nodes.size());
    for (GraphNode& node : nodes) {
        threads.emplace_back([&node, &run, &outcome] {
            auto result = guarded(node.name, [&] { return node.loop(run.token()); });
            if (result)
                return;
            log(LogLevel::Debug, "pipeline", node.name + ": " + result.error().logText());
            outcome.report(std::move(result).error());
            run.cancel();
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    if (parent.isCancelled())
        return cancelled();
    if (auto error = outcome.take())
        return fail(std::move(*error));
    return {};
}

} // namespace loquor::pipeline
