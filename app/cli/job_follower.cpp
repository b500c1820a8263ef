#include "app/cli/job_follower.h"

#include "app/cli/progress.h"

namespace loquor::cli {

Result<std::unique_ptr<session::Session>> openSession()
{
    session::SessionOptions options;
    options.preview = false;
    return session::createSession(options);
}

JobEnding followJob(session::Session& session, session::CommandId job, bool quiet, Interrupts& interrupts)
{
    using Kind = session::Event::Kind;
    Progress progress(Progress::styleFor(quiet));
    JobEnding out;
    SessionLoop loop(session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (event.command != job)
                return true;
            if (event.kind == Kind::Warning || event.kind == Kind::EngineRestarted)
                progress.message("warning: " + event.text);
            out.error = std::move(event.error);
            out.report = std::move(event.report);
            return !out.error && !out.report && event.kind != Kind::JobCancelled;
        },
        [&] { progress.show(session.snapshot()); },
        [&] {
            session.cancel(job);
            return true; // until it has ended
        },
    });
    progress.finish();
    return out;
}

} // namespace loquor::cli
