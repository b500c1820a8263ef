// The engine thread: owns the state of the session, the worker process and the running job.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "core/session/audio_spool.h"
#include "core/session/file_checker.h"
#include "core/session/frame_store.h"
#include "core/session/memory_watch.h"
#include "core/session/notes.h"
#include "core/session/project_inspector.h"
#include "core/session/project_job.h"
#include "core/session/project_preview.h"
#include "core/session/queue_file.h"
#include "core/session/rank_link.h"
#include "core/session/render_job.h"
#include "core/session/state_board.h"
#include "core/session/voice_shelf.h"
#include "core/session/work_desk.h"

namespace loquor::session {

// Parts that other threads may touch directly; each says so itself.
struct Shared
{
    StateBoard board;
    NoteBox box;
    AudioSpool audio;
    FrameStore frames;
    ProjectPreview preview{[this] { board.wake(); }};
};

// Made and destroyed by the session; everything else happens on its own thread.
class Engine
{
public:
    Engine(Shared& shared, SessionOptions options, std::shared_ptr<VoiceShelf> voices, QueueFile& queue);
    // Ends the running job as if cancelled, ends the rank, joins.
    ~Engine();

private:
    void run();
    void handle(Note note);
    void enqueue(Note note);
    void cancelJob(CommandId job);
    void moveJob(const MoveNote& move);
    void changeTake(const TakeNote& change);
    void inspect(InspectNote& note);
    void postInspected(const InspectedNote& note);
    void closeProject(const project::Document& document);
    void closeWaiting();
    bool isBusyWith(std::uint64_t project) const;
    void cutRecording(RecordingNote& note);
    void say(SayNote& note);
    void look(LookNote& note);
    void takeIn(TakeInNote& note);
    void cutPart(CutPartNote& note);
    WorkDesk& desk(std::unique_ptr<WorkDesk>& made, const char* name);
    void showQueue();
    void saveQueue();
    void startNext();
    std::unique_ptr<Job> makeJob(Note note);
    // Opens the store at the first use.
    Result<std::shared_ptr<cache::ChunkStore>> store();
    void failCommand(CommandId id, Error error);
    void onRank(const comm::FromRank& message);
    void onRankGone(const RankGoneNote& note);
    void onChecked(const comm::FileChecked& checked);
    void fetchFrame();
    void warmUp(const std::string& voice);
    void tick();
    // NotFound: the pack or one of its networks is not installed.
    Result<void> engineIsThere() const;
    void check(const CheckNote& check);
    // `fault`: the engine's, not the file's.
    void postChecked(CommandId id, CheckReport report, Image picture, std::optional<Error> fault = {});
    void removePreview();
    JobTools tools();
    ProjectTools projectTools(std::shared_ptr<cache::ChunkStore> store);

    Shared& m_shared;
    const SessionOptions m_options;
    std::shared_ptr<VoiceShelf> m_voices;
    RankLink m_rank;
    MemoryWatch m_memory;
    FileChecker m_checker;
    std::shared_ptr<cache::ChunkStore> m_store; // null until it is needed
    std::unique_ptr<ProjectInspector> m_inspector; // likewise
    std::unique_ptr<WorkDesk> m_recordings, m_heard, m_sounds; // likewise
    std::unique_ptr<Job> m_job;
    std::optional<ProjectRequest> m_project; // what m_job makes, if it is a project
    std::deque<Note> m_waiting; // RenderNote, ProjectNote, ExportNote
    QueueFile& m_queue;
    std::vector<project::Document> m_closing; // projects to be closed once their jobs are over
    std::set<CommandId> m_checks;        // with the rank, unanswered
    CommandId m_lastJob = 0;             // whose frames can be fetched
    std::filesystem::path m_preview;     // of a preview-only job: goes with the next one
    Clock::time_point m_lastTick;
    double m_copying = -1; // as the snapshot says
    std::thread m_warming;
    CancelSource m_warmingCancel;
    bool m_quit = false;
    std::thread m_thread;
};

} // namespace loquor::session
