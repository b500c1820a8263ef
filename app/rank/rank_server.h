// The worker process: hears the session, runs jobs, sends signs of life.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "app/rank/avatar_run.h"
#include "app/rank/job_context.h"
#include "app/rank/portrait_run.h"
#include "app/rank/project_run.h"
#include "core/base/queue.h"
#include "core/comm/channel.h"
#include "core/comm/frame_ring.h"

namespace loquor::rank {

struct ServerOptions
{
    std::filesystem::path dataFolder, cacheFolder;
    bool preview = false;
    std::shared_ptr<stages::FrameStage> behindDecode; // see runProgram()
};

// Threads: the caller's receives; one looks after references and checks; one renders; one beats. Ends when
// told to, or when the session is gone.
class RankServer
{
public:
    RankServer(ServerOptions options, comm::Channel& channel, packs::PackManifest pack,
               std::optional<comm::FrameRing> ring);
    ~RankServer();
    // Exit code of the program.
    int run();

private:
    struct RenderTask
    {
        comm::StartRender job;
        std::shared_ptr<stages::SpeechTrack> track;
        CancelToken cancel;
    };
    struct ProjectTask
    {
        comm::StartProject job;
        std::shared_ptr<stages::TaskQueue> queue;
        CancelToken cancel;
    };
    struct ReferenceTask
    {
        std::variant<comm::CheckFile, comm::PrepareReference> what;
        CancelToken cancel;
    };

    bool receive(comm::ToRank message); // false: shut down
    bool receiveProject(comm::ToRank& message); // false: it is of another kind
    void addLine(comm::SpeechLine line);
    std::shared_ptr<stages::TaskQueue> queueOf(comm::JobId job);
    void added(comm::JobId job, Result<void> result);
    void render(RenderTask& task);
    Result<packs::PackManifest> packFor(const pipeline::RenderSettings& settings) const;
    Result<comm::RenderDone> renderWith(const packs::PackManifest& pack, RenderTask& task);
    Result<void> prepareReference(const comm::PrepareReference& prepare, const CancelToken& cancel);
    void renderProject(ProjectTask& task);
    RunTools tools(bool preview);
    void cancelJob(comm::JobId job);
    CancelToken tokenFor(comm::JobId job);
    void forget(comm::JobId job);
    void renderLoop();
    void referenceLoop();
    void beatLoop();
    void tell(const comm::FromRank& message);
    void tellUnknown(comm::JobId job, const std::vector<std::string>& unknown);
    void tellFailed(comm::JobId job, const Error& error, bool preparing);

    const ServerOptions m_options;
    comm::Channel& m_channel;
    const packs::PackManifest m_pack;
    std::optional<comm::FrameRing> m_ring; // render thread only
    ReferenceDesk m_desk;
    AvatarDesk m_avatars;
    Scrubber m_scrubber;
    WorkCounter m_work{0};
    CancelSource m_all; // parent of every job
    BoundedQueue<std::variant<RenderTask, ProjectTask>> m_renders{QueueLimits{}};
    BoundedQueue<ReferenceTask> m_references{QueueLimits{}};
    double m_cpuBefore = 0; // render thread only: CPU seconds of earlier runs; a first bears the start, too
    std::mutex m_mutex;     // guards the six below
    std::map<comm::JobId, CancelSource> m_cancels;
    std::map<comm::JobId, std::shared_ptr<stages::SpeechTrack>> m_tracks;
    std::map<comm::JobId, std::shared_ptr<stages::TaskQueue>> m_queues;
    std::map<comm::JobId, Error> m_refused;  // a task of theirs could not be taken
    std::shared_ptr<stages::SpeechTrack> m_running; // track of the run in progress
    std::shared_ptr<stages::TaskQueue> m_runningQueue;
    std::atomic<int> m_busy{0};
    std::atomic<bool> m_broken{false}; // one of the threads is gone
    std::thread m_renderThread, m_referenceThread, m_beatThread;
};

} // namespace loquor::rank
