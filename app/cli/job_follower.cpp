#include "app/cli/job_follower.h"

#include <algorithm>

#include "app/cli/progress.h"
#include "core/platform/paths.h"

namespace loquor::cli {

Result<std::unique_ptr<session::Session>> openSession(bool keepQueue)
{
    session::SessionOptions options;
    options.preview = false;
    if (keepQueue)
        options.queueFolder = platform::cacheFolder() / "queue";
    return session::createSession(options);
}

JobEnding followJob(session::Session& session, session::CommandId job, bool quiet, Interrupts& interrupts)
{
    JobEnding out;
    followJobs(session, {job}, quiet, interrupts, [&](session::CommandId, const JobEnding& ending) { out = ending; });
    return out;
}

void followJobs(session::Session& session, std::vector<session::CommandId> jobs, bool quiet, Interrupts& interrupts,
                const std::function<void(session::CommandId, const JobEnding&)>& onEnd)
{
    using Kind = session::Event::Kind;
    Progress progress(Progress::styleFor(quiet));
    SessionLoop loop(session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (std::find(jobs.begin(), jobs.end(), event.command) == jobs.end())
                return true;
            if (!event.text.empty() && (event.kind == Kind::Warning || event.kind == Kind::EngineRestarted))
                progress.message("warning: " + event.text);
            const JobEnding ending{std::move(event.report), std::move(event.error)};
            if (!ending.error && !ending.report && event.kind != Kind::JobCancelled)
                return true;
            progress.finish();
            std::erase(jobs, event.command);
            onEnd(event.command, ending);
            return !jobs.empty();
        },
        [&] { progress.show(session.snapshot()); },
        [&] {
            for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) // those that wait before the one that runs
                session.cancel(*job);
            return true; // until they have ended
        },
    });
    progress.finish();
}

} // namespace loquor::cli
