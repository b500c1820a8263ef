// The streaming executor: a typed chain of stages joined by bounded queues. Stages work on different
// chunks at the same time, results leave in playback order and in small groups, and memory depends on
// the queue limits alone, never on the length of the run. Knows no network.
//
//   Pipeline pipeline(options);
//   auto specs = pipeline.from("plan", source);
//   auto motion = pipeline.then(specs, motionStage, {.maxItems = 2});
//   pipeline.into(motion, sink, {.maxItems = 2});
//   auto result = pipeline.run(cancel);
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/queue.h"
#include "core/base/trace.h"
#include "core/pipeline/execution_log.h"
#include "core/pipeline/graph_runner.h"
#include "core/pipeline/stage.h"

namespace loquor::pipeline {

struct PipelineOptions
{
    Trace* trace = nullptr;       // cost per stage; may be null
    ExecutionLog* log = nullptr;  // may be null
    std::size_t memoryBudget = 0; // bytes, 0 = no limit
};

// A value on its way, or (without one) the mark that its chunk is complete.
template<class T>
struct Packet
{
    ChunkSpec chunk;
    std::optional<T> value;
};

// Weight of a value in a queue: its cost() when it has one.
template<class T>
ItemCost packetCost(const T& value)
{
    if constexpr (requires { { value.cost() } -> std::convertible_to<ItemCost>; })
        return value.cost();
    else
        return {sizeof(T), std::chrono::microseconds{0}};
}

// The open end of a chain; must be given to exactly one then() or into().
template<class T>
struct Port
{
    std::shared_ptr<std::shared_ptr<BoundedQueue<Packet<T>>>> out;
};

// Build and run on one thread; run() once. Stages and sinks are shared so that their owner can read
// results afterwards.
class Pipeline
{
public:
    explicit Pipeline(PipelineOptions options = {}) : m_options(options) {}

    Port<ChunkSpec> from(const std::string& name, std::shared_ptr<ChunkSource> source)
    {
        Port<ChunkSpec> port = makePort<ChunkSpec>();
        m_nodes.push_back({name, 0, [source, port](const CancelToken& cancel) -> Result<void> {
                               return sourceLoop(*source, **port.out, cancel);
                           },
                           {}});
        return port;
    }

    template<class In, class Out>
    Port<Out> then(Port<In> in, std::shared_ptr<Stage<In, Out>> stage, QueueLimits limits)
    {
        auto queue = connect(in, limits);
        Port<Out> port = makePort<Out>();
        m_nodes.push_back({stage->name(), stage->memoryEstimate() + limits.maxBytes,
                           [this, stage, queue, port](const CancelToken& cancel) -> Result<void> {
                               return stageLoop<In, Out>(*stage, *queue, **port.out, cancel);
                           },
                           [queue] { queue->abort(); }});
        return port;
    }

    template<class In>
    void into(Port<In> in, std::shared_ptr<Sink<In>> sink, QueueLimits limits)
    {
        auto queue = connect(in, limits);
        m_nodes.push_back({sink->name(), sink->memoryEstimate() + limits.maxBytes,
                           [this, sink, queue](const CancelToken& cancel) -> Result<void> {
                               return sinkLoop<In>(*sink, *queue, cancel);
                           },
                           [queue] { queue->abort(); }});
        m_complete = true;
    }

    // Blocks until everything is delivered, something failed or `cancel` fired.
    Result<void> run(const CancelToken& cancel)
    {
        LOQUOR_CHECK(m_complete, "the chain has no sink");
        return runGraph(m_nodes, m_options.memoryBudget, cancel);
    }

private:
    template<class T>
    static Port<T> makePort()
    {
        return {std::make_shared<std::shared_ptr<BoundedQueue<Packet<T>>>>()};
    }
    template<class T>
    static std::shared_ptr<BoundedQueue<Packet<T>>> connect(Port<T> port, QueueLimits limits)
    {
        LOQUOR_CHECK(port.out && !*port.out, "a port feeds exactly one stage");
        *port.out = std::make_shared<BoundedQueue<Packet<T>>>(limits);
        return *port.out;
    }
    void note(const char* stage, const ChunkSpec& chunk, ExecutionStep step)
    {
        if (m_options.log)
            m_options.log->add(stage, chunk.index, step);
    }
    // Logs how a chunk ended and passes the result through.
    Result<void> concluded(const char* stage, const ChunkSpec& chunk, Result<void> result)
    {
        if (!result) {
            const bool asked = result.error().isCancelled();
            note(stage, chunk, asked ? ExecutionStep::Cancel : ExecutionStep::Fail);
            if (!asked)
                result.error().addContext("making chunk " + std::to_string(chunk.index + 1) +
                                          " of line " + std::to_string(chunk.line));
        }
        return result;
    }

    static Result<void> sourceLoop(ChunkSource& source, BoundedQueue<Packet<ChunkSpec>>& out,
                                   const CancelToken& cancel)
    {
        for (;;) {
            LQ_TRY(std::optional<ChunkSpec> chunk, source.next(cancel));
            if (!chunk) {
                out.close();
                return {};
            }
            if (cancel.isCancelled() || !out.push({*chunk, *chunk}) || !out.push({*chunk, {}}))
                return cancelled();
        }
    }

    template<class In, class Out>
    Result<void> stageLoop(Stage<In, Out>& stage, BoundedQueue<Packet<In>>& in,
                           BoundedQueue<Packet<Out>>& out, const CancelToken& cancel)
    {
        while (auto packet = in.pop()) {
            const ChunkSpec chunk = packet->chunk;
            if (!packet->value) {
                note(stage.name(), chunk, ExecutionStep::End);
                if (!out.push({chunk, {}}))
                    return cancelled();
                continue;
            }
            note(stage.name(), chunk, ExecutionStep::Begin);
            const Emit<Out> emit = [&](Out value) {
                if (cancel.isCancelled())
                    return false;
                note(stage.name(), chunk, ExecutionStep::Emit);
                const ItemCost cost = packetCost(value);
                return out.push({chunk, std::move(value)}, cost);
            };
            LQ_CHECKED(concluded(stage.name(), chunk, guarded(stage.name(), [&] {
                                     TraceScope scope(m_options.trace, stage.name());
                                     return stage.run(chunk, std::move(*packet->value), emit, cancel);
                                 })));
        }
        if (cancel.isCancelled())
            return cancelled();
        out.close();
        return {};
    }

    template<class In>
    Result<void> sinkLoop(Sink<In>& sink, BoundedQueue<Packet<In>>& in, const CancelToken& cancel)
    {
        while (auto packet = in.pop()) {
            const ChunkSpec chunk = packet->chunk;
            LQ_CHECKED(concluded(sink.name(), chunk, guarded(sink.name(), [&]() -> Result<void> {
                                     TraceScope scope(m_options.trace, sink.name());
                                     if (packet->value)
                                         return sink.consume(chunk, std::move(*packet->value), cancel);
                                     return sink.endChunk(chunk);
                                 })));
            if (!packet->value)
                note(sink.name(), chunk, ExecutionStep::End);
        }
        if (cancel.isCancelled())
            return cancelled();
        return guarded(sink.name(), [&] { return sink.endRun(); });
    }

    PipelineOptions m_options;
    std::vector<GraphNode> m_nodes;
    bool m_complete = false;
};

} // namespace loquor::pipeline
