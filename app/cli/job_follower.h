// Watching a job of the session from the command line.
#pragma once

#include <memory>
#include <optional>

#include "app/cli/session_loop.h"
#include "core/session/session.h"

namespace loquor::cli {

// Without preview, as the command line needs it.
Result<std::unique_ptr<session::Session>> openSession();

// How a job ended; neither: it was cancelled.
struct JobEnding
{
    std::optional<session::RenderReport> report;
    std::optional<Error> error;
};

// Shows progress and warnings until the job has ended; Ctrl-C cancels it.
JobEnding followJob(session::Session& session, session::CommandId job, bool quiet, Interrupts& interrupts);

} // namespace loquor::cli
