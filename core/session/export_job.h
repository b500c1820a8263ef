// Puts the finished chunks of a project together, on a thread of its own.
#pragma once

#include <atomic>
#include <thread>

#include "core/session/progress_rate.h"
#include "core/session/project_assembly.h"
#include "core/session/project_job.h"

namespace loquor::session {

// Engine thread only. Needs no rank.
class ExportJob : public Job
{
public:
    ExportJob(CommandId id, ExportRequest request, Clock::time_point asked, ProjectTools tools);
    ~ExportJob() override;

    CommandId id() const override { return m_id; }
    bool isOver() const override { return m_over; }
    std::uint64_t project() const override { return m_request.document.id; }
    void start() override;
    void cancel() override;
    void onWorker(WorkerNote&& note) override;
    void abandon(Error error) override;
    void tick() override;

private:
    Result<RenderReport> work();
    Result<Assembly> laidOut(Trace& trace, const CancelToken& cancel) const;
    void over(Event event, Phase phase);

    const CommandId m_id;
    const ExportRequest m_request;
    const Clock::time_point m_asked;
    ProjectTools m_tools;
    CancelSource m_cancel;
    std::atomic<std::int64_t> m_framesDone{0}, m_framesTotal{0};
    ProgressRate m_rate;
    bool m_over = false;
    std::thread m_thread;
};

} // namespace loquor::session
