#include "core/pipeline/pipeline.h"

namespace loquor::pipeline {

Pipeline::Work Pipeline::onNamedThread(const char* name, Work work)
{
    return [this, name, work = std::move(work)](const CancelToken& cancel) {
        if (m_streams && m_options.trace)
            m_options.trace->nameThread(name);
        return work(cancel);
    };
}

Result<void> Pipeline::start()
{
    LOQUOR_CHECK(m_complete, "the chain has no sink");
    if (m_options.startState.isEmpty())
        return {};
    LQ_TRY(StateParts parts, readState(m_options.startState));
    for (const auto& [name, stateful] : m_stateful) {
        const auto part = parts.find(name);
        if (part == parts.end())
            return fail(ErrorCode::Corrupt, "The state behind the chunk before has no part for the stage '" +
                                                name + "'. It was made by another engine; render the line again.");
        LQ_CHECKED(stateful->restoreState(part->second));
    }
    return {};
}

Result<void> Pipeline::concluded(const char* stage, const ChunkSpec& chunk, Result<void> result)
{
    if (result)
        return result;
    const bool asked = result.error().isCancelled();
    note(stage, chunk, asked ? ExecutionStep::Cancel : ExecutionStep::Fail);
    if (asked)
        return result;
    const std::string line = std::to_string(chunk.line);
    if (chunk.kind == ChunkKind::I)
        result.error().addContext("making the join in front of chunk " +
                                  std::to_string(chunk.rightChunk + 1) + " of line " + line);
    else
        result.error().addContext("making chunk " + std::to_string(chunk.index + 1) + " of line " + line);
    return result;
}

void Pipeline::addState(const char* stage, const ChunkSpec& chunk, std::shared_ptr<StateParts>& parts)
{
    const auto stateful = m_stateful.find(stage);
    if (!m_keeper || chunk.kind != ChunkKind::N || stateful == m_stateful.end())
        return;
    if (!parts)
        parts = std::make_shared<StateParts>();
    (*parts)[stage] = stateful->second->saveState();
}

Result<bool> Pipeline::pull(ChunkSource& source, Edge<ChunkSpec>& out, int chunks,
                            const CancelToken& cancel)
{
    bool joinIsDue = false;
    for (int taken = 0; chunks == 0 || taken < chunks || joinIsDue; ++taken) {
        LQ_TRY(const std::optional<ChunkSpec> next, source.next(cancel));
        if (!next)
            return false;
        const ChunkSpec& chunk = *next;
        if (cancel.isCancelled() || !out.push({chunk, chunk, nullptr, {}}, packetCost(chunk)) ||
            !out.push({chunk, {}, nullptr, {}}))
            return cancelled();
        // A window does not end between a chunk and its join.
        joinIsDue = chunk.kind == ChunkKind::N && chunk.joinFrames > 0;
    }
    return true;
}

} // namespace loquor::pipeline
