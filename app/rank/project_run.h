// The portrait pack's pipeline for the lines and joins of a project.
#pragma once

#include <memory>

#include "app/rank/portrait_run.h"
#include "core/stages/task_queue.h"

namespace loquor::rank {

// What the lines of the run have in common.
stages::RunShape shapeOf(const comm::StartProject& job, const packs::PackManifest& pack);
stages::JoinTask toTask(comm::MakeJoin join, const packs::PackManifest& pack);
// Words of the prompt and tags that mean nothing are reported in `unknown`, for people.
stages::LineTask toTask(comm::MakeLine line, std::vector<std::string>& unknown);
stages::LinePiece toPiece(comm::LinePiece piece, std::vector<std::string>& unknown);

// Blocks until the queue is closed and empty, a task failed, or it is cancelled; tasks arrive meanwhile.
// `preparing` is set while what fails would fail again.
Result<comm::ProjectDone> runProject(const comm::StartProject& job, std::shared_ptr<stages::TaskQueue> queue,
                                     const RunTools& tools, bool& preparing, const CancelToken& cancel);

} // namespace loquor::rank
