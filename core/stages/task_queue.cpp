#include "core/stages/task_queue.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "core/base/check.h"
#include "core/pipeline/line_grid.h"
#include "core/portrait/motion_join.h"
#include "core/stages/line_context_stage.h"

namespace loquor::stages {

using pipeline::ChunkSpec;

namespace {

// Of an open line: frames that are there whole, and how far everything is final.
void measure(LineTask& line, Rational fps)
{
    const int rate = line.audio.sampleRate;
    line.frames = frameOf(line.samples(), rate, fps);
    line.known = std::min(line.known, static_cast<double>(line.samples()) / rate);
}

int chunksOf(pipeline::ChunkPlan plan)
{
    int count = 0;
    while (plan.next())
        ++count;
    return count;
}

Result<void> checkStart(const LineTask& task)
{
    if (task.start != LineStart::Given)
        return {};
    auto boundary = parseBoundary(task.boundary);
    if (!boundary)
        return fail(std::move(boundary).error().addContext("starting line " + std::to_string(task.number)));
    return {};
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
    line.samples = task.open ? firstSampleOf(task.frames, m_shape.sampleRate, m_shape.fps) : task.samples();
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
    if (task.open)
        return addOpen(std::move(task), name);
    if (task.frames == 0)
        task.frames = pipeline::framesOfLine(task.samples(), m_shape.sampleRate, m_shape.fps);
    LQ_TRY(pipeline::ChunkPlan plan, this->plan(task));
    if (task.firstChunk < 0 || task.firstChunk >= chunksOf(std::move(plan)))
        return fail(ErrorCode::InvalidArgument, name + " has no chunk " + std::to_string(task.firstChunk + 1) + ".");
    if (task.firstChunk > 0 && task.start != LineStart::Given)
        return fail(ErrorCode::InvalidArgument, name + " cannot start at chunk " + std::to_string(task.firstChunk + 1) +
                                                    " without the boundary of the chunk before it.");
    LQ_CHECKED(checkStart(task));
    const std::uint64_t number = task.task;
    return enter(number, std::make_shared<const LineTask>(std::move(task)));
}

Result<void> TaskQueue::addOpen(LineTask task, const std::string& name)
{
    if (task.firstChunk > 0 || task.contextBefore > 0 || task.contextAfter > 0)
        return fail(ErrorCode::InvalidArgument, name + " cannot come in pieces.");
    LQ_CHECKED(checkStart(task));
    measure(task, m_shape.fps);
    const std::uint64_t number = task.task;
    return enter(number, std::make_shared<const LineTask>(std::move(task)));
}

Result<void> TaskQueue::extend(LinePiece piece)
{
    {
        std::lock_guard lock(m_mutex);
        const auto found = m_known.find(piece.task);
        const auto* line = found == m_known.end() ? nullptr : std::get_if<std::shared_ptr<const LineTask>>(&found->second);
        if (line == nullptr || !(*line)->open)
            return fail(ErrorCode::InvalidArgument, "There is no line in the making that task " +
                                                        std::to_string(piece.task) + " could go on with.");
        if (piece.audio.sampleRate != m_shape.sampleRate || piece.audio.channels != m_shape.channels)
            return fail(ErrorCode::InvalidArgument, "The sound of line " + std::to_string((*line)->number) +
                                                        " has another shape than the run.");
        auto longer = std::make_shared<LineTask>(**line);
        longer->audio.samples.insert(longer->audio.samples.end(), piece.audio.samples.begin(), piece.audio.samples.end());
        std::move(piece.sounds.begin(), piece.sounds.end(), std::back_inserter(longer->sounds));
        longer->cues.insert(longer->cues.end(), piece.cues.begin(), piece.cues.end());
        longer->open = !piece.isLast;
        longer->known = piece.known;
        if (longer->open)
            measure(*longer, m_shape.fps);
        else
            longer->frames = pipeline::framesOfLine(longer->samples(), m_shape.sampleRate, m_shape.fps);
        found->second = std::shared_ptr<const LineTask>(std::move(longer));
    }
    m_changed.notify_all();
    return {};
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
        m_queue.push_back(number);
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

// m_mutex is held.
template<class Condition>
Result<void> TaskQueue::waitUntil(std::unique_lock<std::mutex>& lock, const CancelToken& cancel, Condition condition)
{
    m_waiting = true;
    // The token may fire between test and wait: short waits bound how late that is noticed.
    while (!condition() && !cancel.isCancelled())
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
    m_waiting = false;
    if (cancel.isCancelled())
        return cancelled();
    return {};
}

Result<std::optional<AnyTask>> TaskQueue::next(const CancelToken& cancel)
{
    std::unique_lock lock(m_mutex);
    LQ_CHECKED(waitUntil(lock, cancel, [this] { return !m_queue.empty() || m_closed; }));
    if (m_queue.empty())
        return std::nullopt;
    const std::uint64_t number = m_queue.front();
    m_queue.pop_front();
    return m_known.at(number);
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

Result<void> TaskQueue::waitForMore(const LineTask& seen, const CancelToken& cancel)
{
    std::unique_lock lock(m_mutex);
    return waitUntil(lock, cancel, [&] {
        const auto found = m_known.find(seen.task);
        LOQUOR_CHECK(found != m_known.end(), "a line is held until its last chunk");
        return std::get<std::shared_ptr<const LineTask>>(found->second).get() != &seen;
    });
}

bool TaskQueue::isWaiting() const
{
    std::lock_guard lock(m_mutex);
    return m_waiting;
}

// The plan of a line, from this chunk on.
Result<pipeline::ChunkPlan> TaskSource::planFrom(const LineTask& line, int chunk) const
{
    LQ_TRY(pipeline::ChunkPlan plan, m_queue->plan(line));
    for (int i = 0; i < chunk; ++i)
        plan.next();
    return plan;
}

// Blocks until the next chunk does not depend on what follows, or the line is whole.
Result<std::optional<ChunkSpec>> TaskSource::nextOfOpenLine(const CancelToken& cancel)
{
    for (;;) {
        const auto line = m_queue->line(m_task);
        if (!line->open) {
            LQ_TRY(pipeline::ChunkPlan plan, planFrom(*line, *m_openChunk));
            m_plan.emplace(std::move(plan));
            m_openChunk.reset();
            return m_plan->next();
        }
        if (line->frames > 0) {
            LQ_TRY(pipeline::ChunkPlan plan, planFrom(*line, *m_openChunk));
            const bool certain = plan.isNextCertain();
            const std::optional<ChunkSpec> chunk = plan.next();
            if (certain && chunk && windowEnd(*chunk, m_queue->shape().fps, m_reach) <= line->known) {
                ++*m_openChunk;
                return chunk;
            }
        }
        LQ_CHECKED(m_queue->waitForMore(*line, cancel));
    }
}

Result<std::optional<ChunkSpec>> TaskSource::nextOfLine(const CancelToken& cancel)
{
    std::optional<ChunkSpec> chunk;
    if (m_openChunk) {
        LQ_TRY(chunk, nextOfOpenLine(cancel));
    } else if (m_plan) {
        chunk = m_plan->next();
    }
    if (!chunk) {
        m_plan.reset();
        return chunk;
    }
    chunk->task = m_task;
    chunk->index = m_nextIndex++;
    chunk->endsRun = false;
    return chunk;
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
        LQ_TRY(std::optional<ChunkSpec> chunk, nextOfLine(cancel));
        if (chunk)
            return chunk;
        LQ_TRY(const std::optional<AnyTask> task, m_queue->next(cancel));
        if (!task)
            return std::nullopt;
        if (const auto* join = std::get_if<std::shared_ptr<const JoinSides>>(&*task))
            return joinChunk(**join);
        const auto& line = std::get<std::shared_ptr<const LineTask>>(*task);
        m_task = line->task;
        if (line->open) {
            m_openChunk = 0;
        } else {
            LQ_TRY(pipeline::ChunkPlan plan, planFrom(*line, line->firstChunk));
            m_plan.emplace(std::move(plan));
        }
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
