// What the engine thread drives: one piece of work from start to its one end.
#pragma once

#include "core/comm/messages.h"
#include "core/comm/rank_process.h"
#include "core/session/notes.h"
#include "core/session/session.h"

namespace loquor::session {

// Engine thread only. Ends with exactly one of JobFinished, JobFailed, JobCancelled on the board; from
// then on isOver().
class Job
{
public:
    virtual ~Job() = default;
    virtual CommandId id() const = 0;
    virtual bool isOver() const = 0;
    virtual bool isFinished() const { return false; } // over, and what was asked for is made
    // Whose takes it makes or reads; 0 = of none.
    virtual std::uint64_t project() const { return 0; }
    virtual void start() = 0;
    virtual void cancel() = 0;
    virtual void pause() {}
    virtual void resume() {}
    // News of a thread that works for the job.
    virtual void onSpeech() {}
    virtual void onWorker(WorkerNote&&) {}
    virtual void onRank(const comm::FromRank&) {}
    virtual void onRankGone(const comm::RankDeath&) {}
    // Ends it at once with this error, whatever state it is in.
    virtual void abandon(Error error) = 0;
    // Several times a second: deadlines.
    virtual void tick() {}
};

} // namespace loquor::session
