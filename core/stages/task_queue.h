// Tasks come in at one end, chunks go out at the other, without a gap between lines.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/stage.h"
#include "core/stages/chunk_boundary.h"
#include "core/stages/context_reach.h"
#include "core/stages/tasks.h"

namespace loquor::stages {

// A join with its two sides read.
struct JoinSides
{
    JoinTask task;
    ChunkBoundary left, right;
};
using AnyTask = std::variant<std::shared_ptr<const LineTask>, std::shared_ptr<const JoinSides>>;

// What all lines of a run have in common.
struct RunShape
{
    Rational fps{25, 1};
    int sampleRate = 0, channels = 1; // of all sound
    pipeline::ChunkNumbers numbers;
    pipeline::JoinNumbers joins;
};

// The tasks of one run, in order. Any thread adds; one thread takes (TaskSource), one looks tasks up
// (LineContextStage).
class TaskQueue
{
public:
    explicit TaskQueue(RunShape shape);

    // What cannot be made is refused at once and changes nothing: InvalidArgument (shape of the sound, no
    // sound, more sound than frames, no such chunk, a number that is in use, after close()), Corrupt
    // (boundaries).
    Result<void> add(LineTask task);
    Result<void> add(JoinTask task);
    // More of a line that is open: after close(), too. InvalidArgument: there is none, or its sound has another
    // shape. Tasks that next() or line() gave stay as they are.
    Result<void> extend(LinePiece piece);
    // Nothing follows.
    void close();

    // The next task; blocks until one is there. Nothing once closed and empty.
    Result<std::optional<AnyTask>> next(const CancelToken& cancel);
    // A task that next() gave, until it is released.
    std::shared_ptr<const LineTask> line(std::uint64_t task) const;
    std::shared_ptr<const JoinSides> join(std::uint64_t task) const;
    void release(std::uint64_t task);
    // Blocks until there is more of an open line than `seen`.
    Result<void> waitForMore(const LineTask& seen, const CancelToken& cancel);

    // True while somebody waits for more to be added.
    bool isWaiting() const;
    const RunShape& shape() const { return m_shape; }
    // Cuts the line of a task, as far as it is known, from its chunk 0 on.
    Result<pipeline::ChunkPlan> plan(const LineTask& task) const;

private:
    Result<void> addOpen(LineTask task, const std::string& name);
    Result<void> enter(std::uint64_t number, AnyTask task);
    template<class Condition>
    Result<void> waitUntil(std::unique_lock<std::mutex>& lock, const CancelToken& cancel, Condition condition);

    const RunShape m_shape;
    mutable std::mutex m_mutex; // guards all below
    std::condition_variable m_changed;
    std::deque<std::uint64_t> m_queue;
    std::map<std::uint64_t, AnyTask> m_known; // queued or being cut; an open line is replaced when it grows
    bool m_closed = false, m_waiting = false;
};

// Cuts the tasks of a queue into chunks, in order. Frames and samples of a chunk count from the start of
// its line; endsRun is never set. Chunks of an open line come as soon as nothing that follows can change them.
class TaskSource : public pipeline::ChunkSource
{
public:
    TaskSource(std::shared_ptr<TaskQueue> queue, ContextReach reach) : m_queue(std::move(queue)), m_reach(reach) {}
    Result<std::optional<pipeline::ChunkSpec>> next(const CancelToken& cancel) override;

private:
    Result<std::optional<pipeline::ChunkSpec>> nextOfLine(const CancelToken& cancel);
    Result<std::optional<pipeline::ChunkSpec>> nextOfOpenLine(const CancelToken& cancel);
    Result<pipeline::ChunkPlan> planFrom(const LineTask& line, int chunk) const;
    pipeline::ChunkSpec joinChunk(const JoinSides& sides);

    std::shared_ptr<TaskQueue> m_queue;
    const ContextReach m_reach;
    std::uint64_t m_task = 0;
    std::optional<pipeline::ChunkPlan> m_plan; // of the line being cut, once it is whole
    std::optional<int> m_openChunk;            // of the line being cut, while it is open: the next one
    int m_nextIndex = 0;
};

// Tasks that went wrong: what is left of them is not made, the others go on. Any thread.
class TaskFaults
{
public:
    // Called once for each failing task, on the thread of the stage that failed.
    using Report = std::function<void(const pipeline::ChunkSpec&, const Error&)>;
    explicit TaskFaults(Report report) : m_report(std::move(report)) {}

    // True when this chunk was not made and will not be. Sinks ask before they keep a chunk.
    bool has(const pipeline::ChunkSpec& chunk) const;
    void add(const pipeline::ChunkSpec& chunk, Error error);
    // False for what ends the whole run: cancelled, full disk, no memory, the other side gone.
    static bool isOfTask(const Error& error);

private:
    const Report m_report;
    mutable std::mutex m_mutex;
    std::map<std::uint64_t, int> m_failed; // task -> index of the first chunk that was not made; m_mutex
};

// A stage whose failures end the task, not the run.
template<class In, class Out>
class TaskStage : public pipeline::Stage<In, Out>
{
public:
    TaskStage(std::shared_ptr<pipeline::Stage<In, Out>> stage, std::shared_ptr<TaskFaults> faults)
        : m_stage(std::move(stage)), m_faults(std::move(faults))
    {
    }
    const char* name() const override { return m_stage->name(); }
    std::size_t memoryEstimate() const override { return m_stage->memoryEstimate(); }
    Result<void> run(const pipeline::ChunkSpec& chunk, In in, const pipeline::Emit<Out>& emit,
                     const CancelToken& cancel) override
    {
        if (m_faults->has(chunk))
            return {};
        auto result = pipeline::guarded(name(), [&] { return m_stage->run(chunk, std::move(in), emit, cancel); });
        if (result || cancel.isCancelled() || !TaskFaults::isOfTask(result.error()))
            return result;
        m_faults->add(chunk, std::move(result).error());
        return {};
    }

private:
    std::shared_ptr<pipeline::Stage<In, Out>> m_stage;
    std::shared_ptr<TaskFaults> m_faults;
};

} // namespace loquor::stages
