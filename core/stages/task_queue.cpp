#include "core/stages/task_queue.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/check.h"
#include "core/pipeline/line_grid.h"
#include "core/portrait/motion_join.h"

namespace loquor::stages {

using pipeline::ChunkSpec;

namespace {

int chunksOf(pipeline::ChunkPlan plan)
{
    int count = 0;
    while (plan.next())
        ++count;
    return count;
}

} // namespace

TaskQueue::TaskQueue(RunShape shape)
    : m_shape(shape)
{
    LOQUOR_CHECK(shape.fps.num > 0 && shape.sampleRate > 0 && shape.channels > 0, "rates must be positive");
}

Result<pipeline::ChunkPlan> TaskQueue::plan(const LineTask& task) const
{
    pipeline::ChunkPlan plan(m_shape.fps, m_shape.sampleRate, m_shape.numbers, task.seed,
                             {pipeline::GridMode::Lines, m_shape.joins});
    pipeline::LineSpec line;
    line.id = task.lineId;
    line.number = task.number;
    line.samples = task.samples();
    line.frames = task.frames;
    line.isLast = true; // of its own plan
    LQ_CHECKED(plan.addLine(line));
    return plan;
}

Result<void> TaskQueue::add(LineTask task)
{
    const std::string name = "Line " + std::to_string(task.number);
    if (task.audio.sampleRate != m_shape.sampleRate || task.audio.channels != m_shape.channels)
        return fail(ErrorCode::InvalidArgument, "The sound of line " + std::to_string(task.number) +
                                                    " has another shape than the run.");
    if (task.contextBefore < 0 || task.contextAfter < 0 || task.samples() <= 0)
        return fail(ErrorCode::InvalidArgument, name + " has no sound.");
    if (task.frames == 0)
        task.frames = pipeline::framesOfLine(task.samples(), m_shape.sampleRate, m_shape.fps);
    LQ_TRY(pipeline::ChunkPlan plan, this->plan(task));
    if (task.firstChunk < 0 || task.firstChunk >= chunksOf(std::move(plan)))
        return fail(ErrorCode::InvalidArgument, name + " has no chunk " + std::to_string(task.firstChunk + 1) + ".");
    if (task.firstChunk > 0 && task.start != LineStart::Given)
        return fail(ErrorCode::InvalidArgument, name + " cannot start at chunk " + std::to_string(task.firstChunk + 1) +
                                                    " without the boundary of the chunk before it.");
    if (task.start == LineStart::Given) {
        auto boundary = parseBoundary(task.boundary);
        if (!boundary)
            return fail(std::move(boundary).error().addContext("starting line " + std::to_string(task.number)));
    }
    const std::uint64_t number = task.task;
    return enter(number, std::make_shared<const LineTask>(std::move(task)));
}

Result<void> TaskQueue::add(JoinTask task)
{
    const std::string doing = "joining line " + std::to_string(task.number) + " to the one before it";
    auto left = parseBoundary(task.left);
    auto right = parseBoundary(task.right);
    if (!left || !right)
        return fail((left ? std::move(right).error() : std::move(left).error()).addContext(doing));
    if (left->goesOn.size() < static_cast<std::size_t>(portrait::kJoinAnchors))
        return fail(Error(ErrorCode::InvalidArgument, "The left side is not the last chunk of its line.").addContext(doing));
    task.frames = std::min(task.frames, static_cast<int>(right->frames.size()));
    if (task.frames <= 0)
        return fail(Error(ErrorCode::InvalidArgument, "There are no frames to make.").addContext(doing));
    const std::uint64_t number = task.task;
    return enter(number, std::make_shared<const JoinSides>(
                             JoinSides{std::move(task), std::move(*left), std::move(*right)}));
}

Result<void> TaskQueue::enter(std::uint64_t number, AnyTask task)
{
    {
        std::lock_guard lock(m_mutex);
        if (m_closed)
            return fail(ErrorCode::InvalidArgument, "Nothing may follow the last task of a run.");
        if (!m_known.emplace(number, task).second)
            return fail(ErrorCode::InvalidArgument, "There is a task " + std::to_string(number) + " already.");
        m_queue.push_back(std::move(task));
    }
    m_changed.notify_all();
    return {};
}

void TaskQueue::close()
{
    {
        std::lock_guard lock(m_mutex);
        m_closed = true;
    }
    m_changed.notify_all();
}

Result<std::optional<AnyTask>> TaskQueue::next(const CancelToken& cancel)
{
    std::unique_lock lock(m_mutex);
    m_waiting = true;
    // The token may fire between test and wait: short waits bound how late that is noticed.
    while (m_queue.empty() && !m_closed && !cancel.isCancelled())
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
    m_waiting = false;
    if (cancel.isCancelled())
        return cancelled();
    if (m_queue.empty())
        return std::nullopt;
    AnyTask task = std::move(m_queue.front());
    m_queue.pop_front();
    return task;
}

std::shared_ptr<const LineTask> TaskQueue::line(std::uint64_t task) const
{
    std::lock_guard lock(m_mutex);
    const auto found = m_known.find(task);
    LOQUOR_CHECK(found != m_known.end(), "a chunk belongs to a task");
    return std::get<std::shared_ptr<const LineTask>>(found->second);
}

std::shared_ptr<const JoinSides> TaskQueue::join(std::uint64_t task) const
{
    std::lock_guard lock(m_mutex);
    const auto found = m_known.find(task);
    LOQUOR_CHECK(found != m_known.end(), "a chunk belongs to a task");
    return std::get<std::shared_ptr<const JoinSides>>(found->second);
}

void TaskQueue::release(std::uint64_t task)
{
    std::lock_guard lock(m_mutex);
    m_known.erase(task);
}

bool TaskQueue::isWaiting() const
{
    std::lock_guard lock(m_mutex);
    return m_waiting;
}

std::optional<ChunkSpec> TaskSource::nextOfLine()
{
    while (m_plan) {
        std::optional<ChunkSpec> chunk = m_plan->next();
        if (!chunk) {
            m_plan.reset();
        } else if (chunk->indexInLine >= m_firstChunk) {
            chunk->task = m_task;
            chunk->index = m_nextIndex++;
            chunk->endsRun = false;
            return chunk;
        }
    }
    return std::nullopt;
}

ChunkSpec TaskSource::joinChunk(const JoinSides& sides)
{
    ChunkSpec chunk;
    chunk.kind = pipeline::ChunkKind::I;
    chunk.task = sides.task.task;
    chunk.index = m_nextIndex++;
    chunk.lineId = sides.task.lineId;
    chunk.line = sides.task.number;
    chunk.frames = chunk.joinFrames = sides.task.frames;
    chunk.startsLine = true;
    return chunk;
}

Result<std::optional<ChunkSpec>> TaskSource::next(const CancelToken& cancel)
{
    for (;;) {
        if (std::optional<ChunkSpec> chunk = nextOfLine())
            return chunk;
        LQ_TRY(const std::optional<AnyTask> task, m_queue->next(cancel));
        if (!task)
            return std::nullopt;
        if (const auto* join = std::get_if<std::shared_ptr<const JoinSides>>(&*task))
            return joinChunk(**join);
        const auto& line = std::get<std::shared_ptr<const LineTask>>(*task);
        LQ_TRY(pipeline::ChunkPlan plan, m_queue->plan(*line));
        m_plan.emplace(std::move(plan));
        m_task = line->task;
        m_firstChunk = line->firstChunk;
    }
}

bool TaskFaults::has(const ChunkSpec& chunk) const
{
    std::lock_guard lock(m_mutex);
    const auto found = m_failed.find(chunk.task);
    return found != m_failed.end() && chunk.index >= found->second;
}

void TaskFaults::add(const ChunkSpec& chunk, Error error)
{
    bool isFirst = false;
    {
        std::lock_guard lock(m_mutex);
        const auto [entry, isNew] = m_failed.emplace(chunk.task, chunk.index);
        entry->second = std::min(entry->second, chunk.index);
        isFirst = isNew;
    }
    error.addContext(chunk.kind == pipeline::ChunkKind::I
                         ? "making the join in front of line " + std::to_string(chunk.line)
                         : "making chunk " + std::to_string(chunk.indexInLine + 1) + " of line " +
                               std::to_string(chunk.line));
    if (isFirst && m_report)
        m_report(chunk, error);
}

bool TaskFaults::isOfTask(const Error& error)
{
    constexpr std::array kOfRun{ErrorCode::Cancelled, ErrorCode::DiskFull, ErrorCode::OutOfMemory,
                                ErrorCode::ConnectionLost};
    return std::ranges::find(kOfRun, error.code()) == kOfRun.end();
}

} // namespace loquor::stages
