// Makes what is missing of a project, chunk by chunk, into the store.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/session/disk_watch.h"
#include "core/session/frame_store.h"
#include "core/session/job.h"
#include "core/session/memory_watch.h"
#include "core/session/progress_rate.h"
#include "core/session/project_lines.h"
#include "core/session/project_preview.h"
#include "core/session/project_speaker.h"
#include "core/session/rank_link.h"
#include "core/session/state_board.h"

namespace loquor::session {

struct ProjectTools
{
    StateBoard& board;
    NoteBox& box;
    RankLink& rank;
    MemoryWatch& memory;
    FrameStore& frames;
    ProjectPreview& preview;
    std::shared_ptr<cache::ChunkStore> store;
    std::shared_ptr<VoiceShelf> voices;
    std::filesystem::path dataFolder;
};

// A line that is with the rank while it is still being said. Its chunks wait here until its sound is stored:
// what lies in the store was made from sound that lies there, too.
struct OpenLine
{
    std::uint64_t task = 0;
    std::size_t samples = 0, phonemes = 0, cues = 0; // of its sound that were sent
    std::vector<comm::ChunkMade> held;
};

// Engine thread only. Scene by scene: the sound of each line (stored or spoken), the take that fits, else
// its chunks from the first missing one on, then the joins. The rank makes what it is sent in order; every
// chunk that arrives is in the store before the next step. A rank that dies or fails costs the chunk it
// was at: the run starts again behind the last finished chunk, one line at a time until that one is
// through; the third failure of a chunk ends its line, not the others.
class ProjectJob : public Job
{
public:
    ProjectJob(CommandId id, ProjectRequest request, Clock::time_point asked, ProjectTools tools);
    ~ProjectJob() override;

    CommandId id() const override { return m_id; }
    bool isOver() const override { return m_over; }
    bool isFinished() const override { return m_finished; }
    std::uint64_t project() const override { return m_request.document.id; }
    void start() override;
    void cancel() override;
    void pause() override;
    void resume() override;
    void onWorker(WorkerNote&& note) override;
    void onRank(const comm::FromRank& message) override;
    void onRankGone(const comm::RankDeath& death) override;
    void abandon(Error error) override;
    void tick() override;

private:
    enum class Stage {
        Unknown = 1, // its sound is not known
        Asked,       // being spoken
        Ready,
        Working,     // with the rank
        Settled,     // all chunks are in the store
        Failed,
    };
    struct Item : LineItem
    {
        Stage stage = Stage::Unknown;
        std::vector<std::string> keys; // of its finished chunks
        std::string boundary;          // hash of the one behind the last finished chunk
        std::string boundaryIn;        // of the one in front of the first
        std::optional<cache::TakeId> take;
        int failures = 0;              // of the chunk behind the finished ones
        bool joinChecked = false, joinSent = false; // the join in front of it
        int joinFailures = 0;
        std::optional<OpenLine> open;  // Stage::Working only
    };
    struct Task // with the rank, in the order in which it works
    {
        std::uint64_t id = 0;
        std::size_t item = 0;
        bool join = false;
        std::string joinKey;
    };

    Result<void> prepare();
    void startScene();
    void onScene(Result<SceneFacts> facts);
    Result<void> advance();
    Result<void> askForSpeech();
    Result<void> onSound(std::size_t item, Result<LineSound> sound, const std::optional<RecordingCut>& cut);
    Result<void> onSaid(std::size_t item, const SpokenSoFar& soFar);
    Result<void> sendOpenLine(Item& item, const SpokenSoFar& soFar);
    Result<void> sendPiece(OpenLine& open, const LineSound& sound, double known, bool isLast);
    Result<void> completeOpenLine(Item& item, const LineSound& sound);
    Result<void> startWork(Item& item, comm::MakeLine line);
    void skipDone();
    Result<bool> scheduleLine();
    Result<std::optional<cache::Take>> takeToKeep(const Item& item, const std::optional<std::string>& boundary);
    Result<bool> useTake(Item& item, const std::optional<std::string>& boundary);
    Result<void> sendLine(Item& item, Item* left);
    Result<void> scheduleJoins();
    Result<void> sendJoin(std::size_t right, const std::string& key);
    Result<void> ensureRun();
    Result<void> endSceneIfDone();
    void sceneDone();
    void endSpeech();
    void onBegun(const comm::ChunkBegun& begun);
    Result<void> onMade(const comm::ChunkMade& made);
    Result<void> onLineChunk(const Task& task, const comm::ChunkMade& made);
    Result<void> keepJoin(const Task& task, const comm::ChunkMade& made);
    void settle(Item& item);
    void failLine(Item& item, const std::string& reason);
    void failJoin(Item& right, const std::string& key, const std::string& reason);
    // True when a warning says that it is tried again.
    bool blame(const Error& error);
    void letGo();
    void runEnded();
    void act(Result<void> result);
    Item* leftOf(std::size_t item);
    bool inFlight() const { return !m_tasks.empty(); }
    void reportChunk(pipeline::ChunkReport chunk);
    void showProgress(const char* activity);
    void showLines();
    void showLine(const Item& item);
    void showJoin(const Item& right, const std::string& key);
    Result<void> protectTakes();
    Result<void> protect();
    void forgetAbandoned();
    void warn(const std::string& text);
    void watchDisk();
    void failWith(Error error);
    void finish();
    void over(Event event, Phase phase);

    const CommandId m_id;
    const ProjectRequest m_request;
    const Clock::time_point m_asked;
    ProjectTools m_tools;
    std::unique_ptr<ProjectSpeaker> m_speaker;
    std::thread m_hashing;
    CancelSource m_hashingCancel;
    std::size_t m_scene = 0;
    int m_linesBefore = 0;              // of earlier scenes
    std::unique_ptr<LineLookup> m_lookup;
    std::vector<Item> m_items;          // of the scene
    std::size_t m_next = 0;             // first item that is not scheduled
    std::size_t m_nextJoin = 1;         // joins before this one are in the store
    std::deque<Task> m_tasks;
    std::uint64_t m_nextTask = 1;
    bool m_runActive = false, m_endSent = false;
    std::filesystem::path m_staging;
    bool m_cautious = false;            // after a failure: one line at a time
    bool m_lettingGo = false;           // the rank was told to end the run for a pause, and has not yet
    bool m_paused = false, m_cancelled = false, m_over = false, m_finished = false;
    std::optional<Error> m_error;
    std::optional<Clock::time_point> m_deadline; // for the rank to let go
    std::int64_t m_firstLive = 0;       // number of the next run's first frame in the ring
    std::set<std::string> m_shown;      // keys the project uses
    std::vector<cache::TakeId> m_takes; // of this run, also those of lines that failed
    RenderReport m_report;
    std::int64_t m_framesDone = 0, m_framesMade = 0, m_framesKnown = 0;
    DiskWatch m_disk;
    Clock::time_point m_diskSeen;
    ProgressRate m_rate;
    std::size_t m_linesKnown = 0;
    double m_cpuBefore = 0, m_speechCpu = 0;
};

} // namespace loquor::session
