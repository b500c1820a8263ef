// Watching a job of the session from the command line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/cli/session_loop.h"
#include "core/session/session.h"

namespace loquor::cli {

// Without preview, as the command line needs it. `keepQueue`: projects that are rendered survive this program.
Result<std::unique_ptr<session::Session>> openSession(bool keepQueue = false);

// How a job ended; neither: it was cancelled.
struct JobEnding
{
    std::optional<session::RenderReport> report;
    std::optional<Error> error;
};

// Shows progress and warnings until the job has ended; Ctrl-C cancels it.
JobEnding followJob(session::Session& session, session::CommandId job, bool quiet, Interrupts& interrupts);
// The same for several, one after the other; Ctrl-C cancels all. `onEnd` hears of each at once.
void followJobs(session::Session& session, std::vector<session::CommandId> jobs, bool quiet, Interrupts& interrupts,
                const std::function<void(session::CommandId, const JobEnding&)>& onEnd);

} // namespace loquor::cli
