#include "core/session/export_job.h"

#include "core/base/guarded_thread.h"
#include "core/base/trace.h"
#include "core/session/export_writer.h"
#include "core/session/output_file.h"

namespace loquor::session {

ExportJob::ExportJob(CommandId id, ExportRequest request, Clock::time_point asked, ProjectTools tools)
    : m_id(id), m_request(std::move(request)), m_asked(asked), m_tools(std::move(tools))
{
}

ExportJob::~ExportJob()
{
    m_cancel.cancel();
    if (m_thread.joinable())
        m_thread.join();
}

void ExportJob::start()
{
    m_tools.board.beginJob(m_id, Phase::Finishing, "export");
    m_tools.memory.restart();
    const auto answer = [this](Result<RenderReport> report) {
        m_tools.box.put(WorkerNote{m_id, 0, 0, {}, {}, std::move(report), {}, {}});
    };
    m_thread = guardedThread(
        "exporting", [this, answer] { answer(work()); }, [answer](const Error& error) { answer(fail(error)); });
}

Result<RenderReport> ExportJob::work()
{
    const CancelToken cancel = m_cancel.token();
    LQ_CHECKED(checkExport(m_request));
    Trace trace;
    trace.nameThread("export");
    LQ_TRY(const Assembly assembly, laidOut(trace, cancel));
    m_framesTotal = assembly.frames;
    // Nothing of it may be evicted while it is being read.
    LQ_CHECKED(m_tools.store->protect(m_request.document.id, {assembly.keys.begin(), assembly.keys.end()}));
    LQ_TRY(RenderReport report,
           writeExport(m_request, assembly, [this](std::int64_t frames) { m_framesDone = frames; }, trace, cancel));
    if (!m_request.trace.empty()) {
        if (auto written = trace.writeChromeTrace(m_request.trace, "loquor"); !written)
            report.warnings.push_back(written.error().message());
    }
    return report;
}

Result<Assembly> ExportJob::laidOut(Trace& trace, const CancelToken& cancel) const
{
    const TraceScope scope(&trace, "assemble");
    return assemble(m_request.document, *m_tools.store, *m_tools.voices, m_tools.dataFolder, cancel);
}

void ExportJob::onWorker(WorkerNote&& note)
{
    if (m_over || !note.report)
        return;
    Result<RenderReport>& report = *note.report;
    if (!report) {
        if (report.error().isCancelled())
            return over(makeEvent(Event::Kind::JobCancelled, m_id), Phase::Cancelled);
        return abandon(std::move(report).error());
    }
    m_tools.memory.sample();
    report->totalSeconds = std::chrono::duration<double>(Clock::now() - m_asked).count();
    report->realtimeFactor = report->totalSeconds > 0 ? report->durationSeconds / report->totalSeconds : 0;
    report->peakRssMb = m_tools.memory.peakMb();
    Event finished = makeEvent(Event::Kind::JobFinished, m_id);
    finished.report = std::move(*report);
    over(std::move(finished), Phase::Done);
}

void ExportJob::cancel()
{
    m_cancel.cancel();
}

void ExportJob::abandon(Error error)
{
    if (m_over)
        return;
    m_cancel.cancel();
    Event failed = makeEvent(Event::Kind::JobFailed, m_id);
    failed.error = std::move(error);
    over(std::move(failed), Phase::Failed);
}

void ExportJob::over(Event event, Phase phase)
{
    m_over = true;
    m_tools.board.update([&](Snapshot& s) {
        s.phase = phase;
        s.activity.clear();
    });
    m_tools.board.post(std::move(event));
}

void ExportJob::tick()
{
    if (m_over)
        return;
    if (m_framesTotal > 0)
        m_rate.update(Clock::now(), m_framesDone, m_framesTotal);
    m_tools.board.update([this](Snapshot& s) {
        s.framesDone = s.framesReady = m_framesDone;
        s.framesTotal = m_framesTotal;
        s.fpsNow = m_rate.framesPerSecond();
        s.secondsLeft = m_rate.secondsLeft();
    });
}

} // namespace loquor::session
