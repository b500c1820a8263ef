// Everything that can reach the engine thread, and the box it arrives in.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "core/comm/messages.h"
#include "core/comm/rank_process.h"
#include "core/session/line_speech.h"
#include "core/session/project_keys.h"
#include "core/session/recorded_line.h"
#include "core/session/session.h"

namespace loquor::session {

using Clock = std::chrono::steady_clock;

struct CheckNote
{
    CommandId id = 0;
    std::filesystem::path file;
};
struct RenderNote
{
    CommandId id = 0;
    RenderRequest request;
    Clock::time_point asked;
};
struct ProjectNote
{
    CommandId id = 0;
    ProjectRequest request;
    Clock::time_point asked;
};
struct ExportNote
{
    CommandId id = 0;
    ExportRequest request;
    Clock::time_point asked;
};
struct InspectNote
{
    CommandId id = 0;
    project::Document document;
    int captionsOf = 0; // number of the line whose captions are asked for; 0: of none
    bool words = false; // of all lines
};
struct RecordingNote
{
    CommandId id = 0;
    RecordingRequest request;
};
struct SayNote
{
    CommandId id = 0;
    SayRequest request;
};
struct LookNote
{
    CommandId id = 0;
    std::filesystem::path file;
    int stream = 0;
};
struct TakeInNote
{
    CommandId id = 0;
    std::filesystem::path file;
    media::SoundImport import;
};
struct CutPartNote
{
    CommandId id = 0;
    project::Recording part;
    std::filesystem::path target;
};
struct QueueResumedNote // all that was taken over has been put before it
{
};
struct CloseNote
{
    project::Document document;
};
struct TakeNote
{
    CommandId id = 0;
    enum class Change { Pin = 1,
                        Unpin,
                        Remove } change = Change::Pin;
    std::uint64_t take = 0;
};
struct PauseNote
{
    CommandId job = 0;
    bool pause = true;
};
struct MoveNote
{
    CommandId job = 0;
    int place = 0;
};
struct CancelNote
{
    CommandId job = 0;
};
struct WarmUpNote
{
    std::string voice;
};
struct PrepareNote
{
    std::filesystem::path reference;
    RenderSettings settings;
};
struct FetchNote
{
};
// From the reader thread of the rank; `generation` tells an old rank's last words from a new one's.
struct RankNote
{
    int generation = 0;
    comm::FromRank message;
};
struct RankGoneNote
{
    int generation = 0;
    comm::RankDeath death;
};
struct SpeechNote
{
    CommandId job = 0;
};
// From a thread that works for a job; exactly one of the first three optionals is there, or the last.
struct WorkerNote
{
    CommandId job = 0;
    std::size_t scene = 0, item = 0;
    std::optional<Result<LineSound>> sound;   // of `item`
    std::optional<Result<SceneFacts>> facts;
    std::optional<Result<RenderReport>> report;
    std::optional<RecordingCut> cut;          // beside `sound`, to be stored too
    std::optional<SpokenSoFar> soFar;         // alone: `item` is being said
};
// A project was looked at.
struct InspectedNote
{
    CommandId id = 0;
    Result<ProjectState> state;
};
// A file that needed no rank was looked at.
struct CheckedNote
{
    CommandId id = 0;
    CheckReport report;
};
struct QuitNote
{
};

using Note = std::variant<CheckNote, RenderNote, ProjectNote, ExportNote, InspectNote, RecordingNote,
                          SayNote, LookNote, TakeInNote, CutPartNote, QueueResumedNote, CloseNote, TakeNote, PauseNote,
                          MoveNote, WorkerNote, InspectedNote, CancelNote, WarmUpNote, PrepareNote, FetchNote, RankNote,
                          RankGoneNote, SpeechNote, CheckedNote, QuitNote>;

// Any thread puts, the engine thread takes.
class NoteBox
{
public:
    void put(Note note)
    {
        {
            std::lock_guard lock(m_mutex);
            m_notes.push_back(std::move(note));
        }
        m_changed.notify_one();
    }
    std::optional<Note> take(std::chrono::milliseconds atMost)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, atMost, [this] { return !m_notes.empty(); });
        if (m_notes.empty())
            return std::nullopt;
        Note out = std::move(m_notes.front());
        m_notes.pop_front();
        return out;
    }

private:
    std::mutex m_mutex; // guards m_notes
    std::condition_variable m_changed;
    std::deque<Note> m_notes;
};

} // namespace loquor::session
