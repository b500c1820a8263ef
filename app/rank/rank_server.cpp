#include "app/rank/rank_server.h"

#include "app/rank/file_check.h"
#include "core/base/guarded_thread.h"
#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/packs/pack_finder.h"
#include "core/pipeline/stage.h"
#include "core/platform/memory.h"

namespace loquor::rank {

namespace {

constexpr int kBeatMilliseconds = 250;

// Marks the rank as busy while it lives.
class BusyMark
{
public:
    explicit BusyMark(std::atomic<int>& busy) : m_busy(busy) { ++m_busy; }
    ~BusyMark() { --m_busy; }
    BusyMark(const BusyMark&) = delete;
    BusyMark& operator=(const BusyMark&) = delete;

private:
    std::atomic<int>& m_busy;
};

} // namespace

RankServer::RankServer(ServerOptions options, comm::Channel& channel, packs::PackManifest pack,
                       std::optional<comm::FrameRing> ring)
    : m_options(std::move(options)), m_channel(channel), m_pack(std::move(pack)), m_ring(std::move(ring)),
      m_desk(m_pack, m_options.dataFolder / "models", m_options.cacheFolder), m_avatars(m_options.dataFolder / "models")
{
    // Without one of its threads this process is no use: it ends, and the session starts another.
    const auto end = [this](const Error&) {
        m_broken = true;
        m_channel.shutdown();
    };
    m_renderThread = guardedThread("rendering", [this] { renderLoop(); }, end);
    m_referenceThread = guardedThread("preparing references", [this] { referenceLoop(); }, end);
    m_beatThread = guardedThread("giving signs of life", [this] { beatLoop(); }, end);
}

RankServer::~RankServer()
{
    m_all.cancel();
    m_renders.abort();
    m_references.abort();
    m_renderThread.join();
    m_referenceThread.join();
    m_beatThread.join();
}

void RankServer::tell(const comm::FromRank& message)
{
    if (auto sent = m_channel.send(comm::encode(message)); !sent)
        log(LogLevel::Debug, "rank", sent.error().logText());
}

int RankServer::run()
{
    tell(comm::Ready{m_pack.label(), "CPU"});
    for (;;) {
        auto frame = m_channel.receive(-1);
        if (!frame) {
            // The session is gone: nobody wants the result.
            log(LogLevel::Info, "rank", frame.error().logText());
            return m_broken ? 1 : 0;
        }
        const std::optional<comm::Frame>& given = *frame;
        if (!given)
            continue;
        auto message = comm::decodeToRank(*given);
        if (!message) {
            log(LogLevel::Info, "rank", message.error().logText());
            return 1;
        }
        if (!receive(std::move(*message)))
            return 0;
    }
}

bool RankServer::receive(comm::ToRank message)
{
    if (auto* check = std::get_if<comm::CheckFile>(&message)) {
        m_references.push({*check, tokenFor(check->id)});
    } else if (auto* prepare = std::get_if<comm::PrepareReference>(&message)) {
        m_references.push({*prepare, tokenFor(prepare->id)});
    } else if (auto* job = std::get_if<comm::StartRender>(&message)) {
        auto track = std::make_shared<stages::SpeechTrack>(job->sampleRate, job->channels);
        const CancelToken cancel = tokenFor(job->id);
        {
            std::lock_guard lock(m_mutex);
            m_tracks[job->id] = track;
        }
        m_renders.push(RenderTask{std::move(*job), std::move(track), cancel});
    } else if (receiveProject(message)) {
        return true;
    } else if (auto* line = std::get_if<comm::SpeechLine>(&message)) {
        addLine(std::move(*line));
    } else if (auto* cancel = std::get_if<comm::CancelJob>(&message)) {
        cancelJob(cancel->job);
    } else if (auto* fetch = std::get_if<comm::FetchFrame>(&message)) {
        tell(comm::FrameFetched{fetch->job, fetch->index, m_scrubber.draw(fetch->job, fetch->index)});
    } else {
        return false;
    }
    return true;
}

bool RankServer::receiveProject(comm::ToRank& message)
{
    if (auto* start = std::get_if<comm::StartProject>(&message)) {
        auto queue = std::make_shared<stages::TaskQueue>(shapeOf(*start, m_pack));
        const CancelToken cancel = tokenFor(start->id);
        {
            std::lock_guard lock(m_mutex);
            m_queues[start->id] = queue;
        }
        m_renders.push(ProjectTask{std::move(*start), std::move(queue), cancel});
    } else if (auto* line = std::get_if<comm::MakeLine>(&message)) {
        const comm::JobId job = line->job;
        std::vector<std::string> unknown;
        stages::LineTask task = toTask(std::move(*line), unknown);
        tellUnknown(job, unknown);
        if (auto queue = queueOf(job))
            added(job, queue->add(std::move(task)));
    } else if (auto* piece = std::get_if<comm::LinePiece>(&message)) {
        const comm::JobId job = piece->job;
        std::vector<std::string> unknown;
        stages::LinePiece more = toPiece(std::move(*piece), unknown);
        tellUnknown(job, unknown);
        if (auto queue = queueOf(job))
            added(job, queue->extend(std::move(more)));
    } else if (auto* join = std::get_if<comm::MakeJoin>(&message)) {
        const comm::JobId job = join->job;
        if (auto queue = queueOf(job))
            added(job, queue->add(toTask(std::move(*join), m_pack)));
    } else if (const auto* end = std::get_if<comm::EndProject>(&message)) {
        if (auto queue = queueOf(end->job))
            queue->close();
    } else {
        return false;
    }
    return true;
}

void RankServer::tellUnknown(comm::JobId job, const std::vector<std::string>& unknown)
{
    for (const std::string& text : unknown)
        tell(comm::JobWarning{job, text});
}

// Null for a job that is over.
std::shared_ptr<stages::TaskQueue> RankServer::queueOf(comm::JobId job)
{
    std::lock_guard lock(m_mutex);
    const auto found = m_queues.find(job);
    return found == m_queues.end() ? nullptr : found->second;
}

// A task that was refused ends its run.
void RankServer::added(comm::JobId job, Result<void> result)
{
    if (result)
        return;
    log(LogLevel::Info, "rank", result.error().logText()); // the client tells it
    {
        std::lock_guard lock(m_mutex);
        m_refused.insert_or_assign(job, result.error());
    }
    cancelJob(job);
}

void RankServer::addLine(comm::SpeechLine line)
{
    const comm::JobId job = line.job;
    std::shared_ptr<stages::SpeechTrack> track;
    {
        std::lock_guard lock(m_mutex);
        if (const auto found = m_tracks.find(job); found != m_tracks.end())
            track = found->second;
    }
    if (!track) // of a job that is over
        return;
    std::vector<std::string> unknown;
    stages::TrackLine converted = toTrackLine(std::move(line), unknown);
    for (const std::string& tag : unknown)
        tell(comm::JobWarning{job, "The direction [" + tag + "] is not known and was left out."});
    if (auto added = track->append(std::move(converted)); !added) {
        tellFailed(job, added.error(), false);
        cancelJob(job);
    }
}

CancelToken RankServer::tokenFor(comm::JobId job)
{
    std::lock_guard lock(m_mutex);
    const auto [entry, fresh] = m_cancels.try_emplace(job, m_all.token());
    return entry->second.token();
}

void RankServer::cancelJob(comm::JobId job)
{
    std::lock_guard lock(m_mutex);
    if (const auto found = m_cancels.find(job); found != m_cancels.end()) {
        found->second.cancel();
        m_cancels.erase(found); // nothing more comes for this job
    }
}

void RankServer::forget(comm::JobId job)
{
    std::lock_guard lock(m_mutex);
    m_cancels.erase(job);
    m_tracks.erase(job);
    m_queues.erase(job);
    m_running.reset();
    m_runningQueue.reset();
}

RunTools RankServer::tools(bool preview)
{
    return {m_pack,
            m_desk,
            m_scrubber,
            preview && m_ring ? &*m_ring : nullptr,
            m_options.cacheFolder,
            [this](const comm::FromRank& message) { tell(message); },
            m_work,
            m_cpuBefore,
            m_options.behindDecode};
}

void RankServer::renderLoop()
{
    while (auto task = m_renders.pop()) {
        BusyMark busy(m_busy);
        if (auto* render = std::get_if<RenderTask>(&*task))
            this->render(*render);
        else
            renderProject(std::get<ProjectTask>(*task));
        platform::returnFreeMemory(); // encoder, frames and renderer are gone
    }
}

Result<packs::PackManifest> RankServer::packFor(const pipeline::RenderSettings& settings) const
{
    if (settings.pack == m_pack.id)
        return m_pack;
    return packs::findPack(settings.pack, packs::packFolders(m_options.dataFolder));
}

Result<comm::RenderDone> RankServer::renderWith(const packs::PackManifest& pack, RenderTask& task)
{
    return pack.isAvatar() ? runAvatar(task.job, task.track, pack, m_avatars, tools(task.job.preview), task.cancel)
                           : runPortrait(task.job, task.track, tools(task.job.preview), task.cancel);
}

void RankServer::render(RenderTask& task)
{
    {
        std::lock_guard lock(m_mutex);
        m_running = task.track;
    }
    auto done = pipeline::guarded("render", [&]() -> Result<comm::RenderDone> {
        LQ_TRY(const packs::PackManifest pack, packFor(task.job.settings));
        return renderWith(pack, task);
    });
    const comm::JobId id = task.job.id;
    forget(id);
    m_cpuBefore = processCpuSeconds();
    if (done)
        tell(*done);
    else
        tellFailed(id, done.error(), false);
}

void RankServer::renderProject(ProjectTask& task)
{
    {
        std::lock_guard lock(m_mutex);
        m_runningQueue = task.queue;
    }
    bool preparing = true;
    auto done = pipeline::guarded("render", [&] {
        return runProject(task.job, task.queue, tools(task.job.preview), preparing, task.cancel);
    });
    const comm::JobId id = task.job.id;
    std::optional<Error> refused;
    {
        std::lock_guard lock(m_mutex);
        if (const auto found = m_refused.find(id); found != m_refused.end())
            refused = found->second;
        m_refused.erase(id);
    }
    forget(id);
    m_cpuBefore = processCpuSeconds();
    if (done)
        tell(*done);
    else
        tellFailed(id, refused ? *refused : done.error(), preparing && !refused);
}

void RankServer::tellFailed(comm::JobId job, const Error& error, bool preparing)
{
    if (m_all.token().isCancelled()) // this process ends: nobody cancelled the job, and its death tells enough
        return;
    if (error.code() != ErrorCode::Cancelled)
        log(LogLevel::Info, "rank", error.logText()); // the client says it in plain words
    tell(comm::JobFailed{job, error, preparing});
}

Result<void> RankServer::prepareReference(const comm::PrepareReference& prepare, const CancelToken& cancel)
{
    LQ_TRY(const packs::PackManifest pack, packFor(prepare.settings));
    if (pack.isAvatar()) {
        LQ_CHECKED(m_avatars.prepare(pack, {prepare.reference, prepare.settings}, cancel));
        return {};
    }
    LQ_CHECKED(m_desk.prepare({prepare.reference, prepare.settings}, nullptr, cancel));
    return {};
}

void RankServer::referenceLoop()
{
    if (auto warm = pipeline::guarded("loading", [&] { return m_desk.warmUp(m_all.token()); }); !warm)
        log(LogLevel::Info, "rank", warm.error().logText()); // said again when it matters
    while (auto task = m_references.pop()) {
        BusyMark busy(m_busy);
        ++m_work;
        if (const auto* check = std::get_if<comm::CheckFile>(&task->what)) {
            tell(checkPicture(*check, m_desk, task->cancel));
            cancelJob(check->id); // forgets its token
            continue;
        }
        const auto& prepare = std::get<comm::PrepareReference>(task->what);
        const auto prepared = pipeline::guarded("reference", [&] { return prepareReference(prepare, task->cancel); });
        if (prepared)
            tell(comm::ReferencePrepared{prepare.id});
        else
            tellFailed(prepare.id, prepared.error(), true);
    }
}

void RankServer::beatLoop()
{
    const CancelToken stop = m_all.token();
    do {
        comm::Heartbeat beat;
        beat.ticks = m_work;
        beat.busy = m_busy > 0;
        {
            std::lock_guard lock(m_mutex);
            beat.waiting =
                (m_running && m_running->isWaiting()) || (m_runningQueue && m_runningQueue->isWaiting());
        }
        beat.rssBytes = platform::memoryUse().rssBytes;
        tell(beat);
    } while (!stop.waitFor(kBeatMilliseconds));
}

} // namespace loquor::rank
