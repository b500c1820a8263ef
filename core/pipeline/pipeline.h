// A typed chain of stages and its two executors. Streaming: stages work on different chunks at the same
// time, joined by bounded queues, and results leave in small groups. Batch: one stage over a window of
// chunks, then the next, so that a model is switched rarely. Both give the same results; memory depends
// on the limits alone, never on the length of the run. Knows no network.
//
//   Pipeline pipeline(options);
//   auto specs = pipeline.from("plan", source);
//   auto motion = pipeline.then(specs, motionStage, {.maxItems = 2});
//   auto frames = pipeline.inPlaybackOrder(motion, {.maxItems = 2}); // when the plan makes joins
//   pipeline.into(frames, sink, {.maxItems = 2});
//   auto result = pipeline.run(cancel); // or runBatch(batchOptions, cancel)
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/live_count.h"
#include "core/base/trace.h"
#include "core/pipeline/edge.h"
#include "core/pipeline/execution_log.h"
#include "core/pipeline/graph_runner.h"
#include "core/pipeline/reorder.h"
#include "core/pipeline/rolling_state.h"
#include "core/pipeline/stage.h"

namespace loquor::pipeline {

struct PipelineOptions
{
    Trace* trace = nullptr;       // cost per stage and chunk; may be null
    ExecutionLog* log = nullptr;  // may be null
    std::size_t memoryBudget = 0; // bytes, 0 = no limit
    RollingState startState = {}; // what the first chunk is conditioned on
    std::shared_ptr<LiveCount> live = {}; // counts what travels; made when null
};

// The open end of a chain; must be given to exactly one then(), inPlaybackOrder() or into().
template<class T>
struct Port
{
    std::shared_ptr<std::shared_ptr<Edge<T>>> out;
};

// Build and run on one thread; run() or runBatch() once. Stages and sinks are shared so that their
// owner can read results afterwards. Stages that are Stateful start from options.startState; a sink that
// is a StateKeeper gets their state behind every N chunk.
class Pipeline
{
public:
    explicit Pipeline(PipelineOptions options = {}) : m_options(std::move(options))
    {
        if (!m_options.live)
            m_options.live = std::make_shared<LiveCount>();
    }

    Port<ChunkSpec> from(const std::string& name, std::shared_ptr<ChunkSource> source)
    {
        Port<ChunkSpec> port = makePort<ChunkSpec>();
        m_source = {name,
                    [source, port](int chunks, const CancelToken& cancel) {
                        return pull(*source, **port.out, chunks, cancel);
                    },
                    closer(port)};
        return port;
    }

    template<class In, class Out>
    Port<Out> then(Port<In> in, std::shared_ptr<Stage<In, Out>> stage, QueueLimits limits)
    {
        auto edge = connect(in, limits);
        Port<Out> port = makePort<Out>();
        if (auto* stateful = dynamic_cast<Stateful*>(stage.get()))
            m_stateful[stage->name()] = stateful;
        const auto loop = [this, stage, edge, port](const CancelToken& cancel) {
            return stageLoop<In, Out>(*stage, *edge, **port.out, cancel);
        };
        addNode(stage->name(), stage->memoryEstimate(), limits, edge, loop, closer(port));
        return port;
    }

    // Drops the frames that joins replace and puts the joins where they are seen. `limits.maxBytes` also
    // bounds what waits for a join. T tells how through PlaybackTraits.
    template<class T>
    Port<T> inPlaybackOrder(Port<T> in, QueueLimits limits)
    {
        auto edge = connect(in, limits);
        Port<T> port = makePort<T>();
        auto reorder = std::make_shared<Reorder<T>>(limits.maxBytes);
        const auto loop = [reorder, edge, port](const CancelToken& cancel) {
            return reorderLoop<T>(*reorder, *edge, **port.out, cancel);
        };
        addNode("playback order", limits.maxBytes, limits, edge, loop, closer(port));
        return port;
    }

    template<class In>
    void into(Port<In> in, std::shared_ptr<Sink<In>> sink, QueueLimits limits)
    {
        auto edge = connect(in, limits);
        m_keeper = dynamic_cast<StateKeeper*>(sink.get());
        const auto loop = [this, sink, edge](const CancelToken& cancel) {
            return sinkLoop<In>(*sink, *edge, cancel);
        };
        addNode(sink->name(), sink->memoryEstimate(), limits, edge, loop, [sink] { return sink->endRun(); });
        m_complete = true;
    }

    // Each blocks until everything is delivered, something failed or `cancel` fired (too late when the sink closes).
    Result<void> run(const CancelToken& cancel)
    {
        LQ_CHECKED(start());
        m_streams = true;
        return runStreaming(m_source, m_nodes, m_options.memoryBudget, cancel);
    }
    Result<void> runBatch(const BatchOptions& batch, const CancelToken& cancel)
    {
        LQ_CHECKED(start());
        return pipeline::runBatch(m_source, m_nodes, batch, m_options.memoryBudget, cancel);
    }

    // What is on its way between stages.
    const LiveCount& live() const { return *m_options.live; }

private:
    template<class T>
    static Port<T> makePort()
    {
        return {std::make_shared<std::shared_ptr<Edge<T>>>()};
    }
    template<class T>
    static std::shared_ptr<Edge<T>> connect(Port<T> port, QueueLimits limits)
    {
        LOQUOR_CHECK(port.out && !*port.out, "a port feeds exactly one stage");
        *port.out = std::make_shared<Edge<T>>(limits);
        return *port.out;
    }
    template<class T>
    static std::function<Result<void>()> closer(Port<T> port)
    {
        return [port]() -> Result<void> {
            (*port.out)->close();
            return {};
        };
    }
    template<class T>
    void addNode(const char* name, std::size_t bytes, const QueueLimits& limits,
                 const std::shared_ptr<Edge<T>>& edge, std::function<Result<void>(const CancelToken&)> work,
                 std::function<Result<void>()> finish)
    {
        m_nodes.push_back({name, bytes, limits.maxBytes, onNamedThread(name, std::move(work)),
                           std::move(finish), [edge] { edge->abort(); },
                           [edge](const std::shared_ptr<WindowMemory>& memory) {
                               memory ? edge->openWindow(memory) : edge->openQueue();
                           }});
    }
    using Work = std::function<Result<void>(const CancelToken&)>;
    Work onNamedThread(const char* name, Work work); // streaming: the trace shows threads as stages
    Result<void> start();
    void note(const char* stage, const ChunkSpec& chunk, ExecutionStep step)
    {
        if (m_options.log)
            m_options.log->add(stage, chunk.index, step);
    }
    // Logs how a chunk ended and passes the result through.
    Result<void> concluded(const char* stage, const ChunkSpec& chunk, Result<void> result);
    // Adds the stage's state to the mark behind an N chunk.
    void addState(const char* stage, const ChunkSpec& chunk, std::shared_ptr<StateParts>& parts);
    static TraceArgs traceArgs(const ChunkSpec& chunk)
    {
        return {toString(chunk.kind), chunk.index, chunk.line};
    }

    static Result<bool> pull(ChunkSource& source, Edge<ChunkSpec>& out, int chunks,
                             const CancelToken& cancel);
    template<class In, class Out>
    Result<void> runStage(Stage<In, Out>& stage, Packet<In>& packet, Edge<Out>& out,
                          const CancelToken& cancel);
    template<class In, class Out>
    Result<void> stageLoop(Stage<In, Out>& stage, Edge<In>& in, Edge<Out>& out, const CancelToken& cancel);
    template<class T>
    static Result<void> reorderLoop(Reorder<T>& reorder, Edge<T>& in, Edge<T>& out, const CancelToken& cancel);
    template<class In>
    Result<void> consume(Sink<In>& sink, Packet<In>& packet, const CancelToken& cancel);
    template<class In>
    Result<void> sinkLoop(Sink<In>& sink, Edge<In>& in, const CancelToken& cancel);

    PipelineOptions m_options;
    GraphSource m_source;
    std::vector<GraphNode> m_nodes;
    std::map<std::string, Stateful*> m_stateful;
    StateKeeper* m_keeper = nullptr;
    bool m_complete = false, m_streams = false;
};

// What keeps an edge from passing a value on: its own reason, else that the run ends early.
template<class T>
tl::unexpected<Error> whyClosed(Edge<T>& edge)
{
    if (auto error = edge.takeError())
        return fail(std::move(*error));
    return cancelled();
}

template<class In, class Out>
Result<void> Pipeline::runStage(Stage<In, Out>& stage, Packet<In>& packet, Edge<Out>& out,
                                const CancelToken& cancel)
{
    LOQUOR_CHECK(packet.value, "a stage works on a value");
    const ChunkSpec& chunk = packet.chunk;
    bool open = true;
    const Emit<Out> emit = [&](Out value) {
        if (cancel.isCancelled())
            return false;
        note(stage.name(), chunk, ExecutionStep::Emit);
        const ItemCost cost = packetCost(value);
        open = out.push({chunk, std::move(value), nullptr, LiveTag(m_options.live, cost.bytes)}, cost);
        return open;
    };
    TraceScope scope(m_options.trace, stage.name(), traceArgs(chunk));
    auto result = stage.run(chunk, std::move(*packet.value), emit, cancel);
    if (!open)
        return whyClosed(out);
    return result;
}

template<class In, class Out>
Result<void> Pipeline::stageLoop(Stage<In, Out>& stage, Edge<In>& in, Edge<Out>& out,
                                 const CancelToken& cancel)
{
    for (;;) {
        LQ_TRY(std::optional<Packet<In>> packet, in.pop());
        if (!packet)
            return cancel.isCancelled() ? cancelled() : Result<void>{};
        const ChunkSpec chunk = packet->chunk;
        if (!packet->value) {
            note(stage.name(), chunk, ExecutionStep::End);
            addState(stage.name(), chunk, packet->state);
            if (!out.push({chunk, {}, std::move(packet->state), LiveTag(m_options.live, 0)}))
                return whyClosed(out);
            continue;
        }
        note(stage.name(), chunk, ExecutionStep::Begin);
        LQ_CHECKED(concluded(stage.name(), chunk, guarded(stage.name(), [&] {
                                 return runStage<In, Out>(stage, *packet, out, cancel);
                             })));
    }
}

template<class T>
Result<void> Pipeline::reorderLoop(Reorder<T>& reorder, Edge<T>& in, Edge<T>& out,
                                   const CancelToken& cancel)
{
    for (;;) {
        LQ_TRY(std::optional<Packet<T>> packet, in.pop());
        if (!packet)
            return cancel.isCancelled() ? cancelled() : Result<void>{};
        LQ_TRY(const bool open, reorder.pass(std::move(*packet), out));
        if (!open)
            return whyClosed(out);
    }
}

template<class In>
Result<void> Pipeline::consume(Sink<In>& sink, Packet<In>& packet, const CancelToken& cancel)
{
    TraceScope scope(m_options.trace, sink.name(), traceArgs(packet.chunk));
    if (packet.value)
        return sink.consume(packet.chunk, std::move(*packet.value), cancel);
    if (m_keeper && packet.chunk.kind == ChunkKind::N) {
        const StateParts parts = packet.state ? *packet.state : StateParts{};
        LQ_CHECKED(m_keeper->keepState(packet.chunk, makeState(parts, packet.chunk)));
    }
    return sink.endChunk(packet.chunk);
}

template<class In>
Result<void> Pipeline::sinkLoop(Sink<In>& sink, Edge<In>& in, const CancelToken& cancel)
{
    for (;;) {
        LQ_TRY(std::optional<Packet<In>> packet, in.pop());
        if (!packet)
            return cancel.isCancelled() ? cancelled() : Result<void>{};
        const ChunkSpec chunk = packet->chunk;
        const bool complete = !packet->value;
        LQ_CHECKED(concluded(sink.name(), chunk,
                             guarded(sink.name(), [&] { return consume(sink, *packet, cancel); })));
        if (complete)
            note(sink.name(), chunk, ExecutionStep::End);
    }
}

} // namespace loquor::pipeline
