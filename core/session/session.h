// The facade: commands in, events and snapshots out. The only header set that ui/ and app/ need.
// Commands return at once with an id; what becomes of them arrives as events that carry the id.
// The engine thread behind it owns everything; no call here blocks on a file, a device or the engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"
#include "core/media/image.h"
#include "core/media/sound_import.h"
#include "core/pipeline/render_settings.h"
#include "core/pipeline/reports.h"
#include "core/project/document.h"
#include "core/session/project_values.h"
#include "core/speech/timing.h"

namespace loquor::session {

using CommandId = std::uint64_t;

// --- what is asked for -----------------------------------------------------------------------------

using Framing = pipeline::Framing;
using RenderSettings = pipeline::RenderSettings;

// The speech: exactly one of text and audioFile is the master; text beside audioFile is its transcript.
struct SpeechInput
{
    std::string text;                     // UTF-8, may hold tags ([smile], [pause 0.5s])
    std::filesystem::path audioFile;
    media::SoundImport import{};          // how the recording is taken in
    std::string voice;                    // "" = default voice of the language
    std::string language;                 // "" = from the voice, else English
};

struct RenderRequest
{
    std::filesystem::path reference;      // photo or clip
    SpeechInput speech;
    RenderSettings settings;
    std::filesystem::path output;         // empty: preview only, nothing is written
    std::filesystem::path timingOut;      // empty: none
    bool overwrite = false;
    PictureLabel label;                   // stays on every picture of the file
    // What is said, to be read. A recording needs its text for them. Drawn ones are not shown in the preview; with a track
    // there are no frames to be had once the run is over.
    Captions captions = Captions::None;
    CaptionStyle captionStyle;            // of those that are drawn
    std::filesystem::path captionFile{};  // empty: beside the output, under its name
    std::filesystem::path trace;          // empty: none; else a Chrome trace is written there
};

// --- what comes back -------------------------------------------------------------------------------

using StageCost = pipeline::StageCost;
using ChunkReport = pipeline::ChunkReport;
using FaceInfo = pipeline::FaceInfo;
using CheckReport = pipeline::CheckReport;

// The report of a finished run; its JSON form is documented in docs/report.md and stable.
struct RenderReport
{
    std::int64_t frames = 0;
    Rational fps;
    double durationSeconds = 0;           // of the video
    double audioSeconds = 0;
    double firstFrameSeconds = 0;         // from the command to the first encoded frame
    double totalSeconds = 0;
    double realtimeFactor = 0;            // durationSeconds / totalSeconds
    double peakRssMb = 0;                 // all processes together
    double engineCpuSeconds = 0;          // everything but the encoder
    double encoderCpuSeconds = 0;
    std::uint64_t seed = 0;
    int width = 0, height = 0;
    std::map<std::string, StageCost> stages;
    std::vector<ChunkReport> chunks;
    std::vector<std::string> warnings;
    std::string pack, voice, output;
    struct FailedLine
    {
        int line = 0;                     // position, from 1
        std::string reason;
    };
    std::vector<FailedLine> failedLines;  // of a project: given up after three tries
    std::vector<FailedLine> failedJoins;  // in front of these lines: the lines are there, an export is not possible
    bool streamCopied = false;            // of an export: nothing was encoded again
};

enum class Phase {
    Idle = 1,
    Preparing,
    Speaking,
    Rendering,
    Finishing,
    Done,
    Failed,
    Cancelled,
};
const char* toString(Phase phase);

// Merged state: always the latest values. Cheap to copy.
struct Snapshot
{
    std::uint64_t revision = 0;           // grows with every change
    Phase phase = Phase::Idle;
    CommandId job = 0;
    std::string activity;                 // untranslated key: "reference", "speech", "align", "recording", "render", "finish"
    std::int64_t framesDone = 0;          // encoded, or delivered to the preview
    std::int64_t framesTotal = 0;         // 0 = not known yet
    double fpsNow = 0;
    double secondsLeft = -1;              // < 0 = not known
    std::int64_t framesReady = 0;         // can be shown now, from 0 without a gap
    std::string device = "CPU";
    double rssMb = 0;
    bool paused = false;
    double copying = -1;                  // part of the processed copy of a recording that is being made; < 0 = none is
    std::vector<CommandId> waiting;       // jobs behind this one, in order
};

// Facts: queued, never dropped, in order.
struct Event
{
    enum class Kind {
        JobStarted = 1,
        Warning,
        LineTimed,
        ChunkFinished,
        JobFinished,
        JobFailed,
        JobCancelled,
        Checked,
        EngineRestarted,
        ProjectInspected,
        RecordingCut,
        Said,
        SoundLooked,
        SoundTaken,
        PartCut,
        CommandFailed,
    };
    Kind kind = Kind::Warning;
    CommandId command = 0;
    std::string text;                     // for Warning, EngineRestarted ("" = a Warning has told it)
    std::optional<Error> error;           // for JobFailed, CommandFailed, Checked (the engine's own fault)
    std::optional<RenderReport> report;   // for JobFinished
    std::optional<CheckReport> check;     // for Checked
    std::optional<ChunkReport> chunk;     // for ChunkFinished
    std::optional<ProjectState> project;  // for ProjectInspected
    std::optional<RecordedLines> lines;   // for RecordingCut
    std::shared_ptr<const AudioBlock> sound; // for Said: mono
    std::shared_ptr<const SoundLook> look; // for SoundLooked; several, the last one is finished
    SampleIndex samples = 0;              // for SoundTaken: how many the sound has at project::kRecordingRate
    std::optional<project::Recording> part; // for PartCut: where the copy is
    std::optional<speech::Timing> timing; // for LineTimed: times from the start of the run
    // For Checked of a photo or clip: what the engine sees (orientation and colour applied; of a clip
    // the best frame), RGB, longest side at most 1280. Null for sound, text and what cannot be decoded.
    std::shared_ptr<const Image> picture;
};

struct VoiceInfo
{
    std::string id, name, language, licence;
    int sampleRate = 0;
    bool exactTiming = false;
};

// --- the facade ------------------------------------------------------------------------------------

// Virtual so that the UI can be tested against a fake.
class Session
{
public:
    virtual ~Session() = default;

    // Called on an unspecified thread whenever there is something to look at; it must only set a flag
    // or post. Set once, before the first command.
    virtual void setWakeup(std::function<void()> wakeup) = 0;

    virtual CommandId check(const std::filesystem::path& file) = 0;
    virtual CommandId render(RenderRequest request) = 0;
    // Ends with JobFinished, JobFailed or JobCancelled, as render() does.
    virtual CommandId renderProject(ProjectRequest request) = 0;
    virtual CommandId exportProject(ExportRequest request) = 0;
    // Answered by ProjectInspected or CommandFailed.
    virtual CommandId inspectProject(project::Document document) = 0;
    // The same, and the captions of the line with this number.
    virtual CommandId inspectCaptions(project::Document document, int line)
    {
        static_cast<void>(line);
        return inspectProject(std::move(document));
    }
    // The same, and the words of every line whose sound is there.
    virtual CommandId inspectWords(project::Document document) { return inspectProject(std::move(document)); }
    // Answered by RecordingCut or CommandFailed; cancel() ends it with CommandFailed (Cancelled).
    virtual CommandId cutRecording(RecordingRequest request) = 0;
    // Answered by Said or CommandFailed; cancel() ends it with CommandFailed (Cancelled). Takes turns with the job that
    // runs, a clause at a time.
    virtual CommandId say(SayRequest request) = 0;
    // What is in a sound, while it is read: answered by SoundLooked several times, or CommandFailed. `stream`: 0 = the
    // first one with sound.
    virtual CommandId lookAtSound(const std::filesystem::path& file, int stream) = 0;
    // Makes sure that a recording can be taken in so, and makes the processed copy ahead where one is needed (see
    // Snapshot::copying): SoundTaken or CommandFailed.
    virtual CommandId takeIn(const std::filesystem::path& file, const media::SoundImport& import) = 0;
    // Copies a part of a recording, as it was taken in and with what is heard around it, to a FLAC file of its own:
    // PartCut or CommandFailed. For recording over it.
    virtual CommandId cutPart(const project::Recording& part, const std::filesystem::path& target) = 0;
    // The project is not open any more: what it shows may be evicted from now on, and takes of tries that were
    // given up are forgotten (never pinned or chosen ones). Jobs of it that run or wait come first. Not asked for:
    // it happens when the session ends.
    virtual void closeProject(project::Document document) = 0;
    // Changes of takes; errors come as CommandFailed, the new state is to be asked for.
    virtual CommandId pinTake(std::uint64_t take, bool pinned) = 0;
    virtual CommandId removeTake(std::uint64_t take) = 0;
    // Works for running and waiting jobs, and for work on recordings and what is being said: those end with
    // CommandFailed (Cancelled).
    virtual void cancel(CommandId job) = 0;
    // Of a running project: chunks in the making are given up, finished ones stay.
    virtual void pause(CommandId job) = 0;
    virtual void resume(CommandId job) = 0;
    // Of a waiting job: its new place among those that wait, from 0.
    virtual void moveJob(CommandId job, int place) = 0;
    // Projects that programs before this one were making or had waiting when they ended, in whatever way: they join
    // the queue, in their order. Needs a queue folder; reads it.
    struct Resumed
    {
        CommandId job = 0;          // 0: its file is gone, so it is left out
        std::filesystem::path file; // of the request
    };
    virtual std::vector<Resumed> resumeQueue() { return {}; }
    // Starts processes and loads the voice ahead, so that the first render is warm.
    virtual void warmUp(const std::string& voice) = 0;
    // Gets a reference ready ahead of the first render.
    virtual void prepareReference(const std::filesystem::path& reference,
                                  const RenderSettings& settings) = 0;

    virtual Snapshot snapshot() const = 0;
    virtual std::vector<Event> takeEvents() = 0;

    // Preview. latestFrame: the newest finished frame of the running job (or nothing new since
    // `afterIndex`). frameAt: a finished frame near `index` for scrubbing; null when it is not there yet -
    // then it is being fetched and a wakeup follows.
    virtual FramePtr latestFrame(std::int64_t afterIndex) = 0;
    virtual FramePtr frameAt(std::int64_t index) = 0;
    // Of a running project: latestFrame gives what was made last; its index counts the frames the run has made,
    // and livePlace says which one it is (nothing when it is not one of the newest).
    virtual std::optional<ProjectPlace> livePlace(std::int64_t index) = 0;
    // Stored frames of the project that was inspected or rendered last; what a run finishes is there at once.
    // projectFrame: null when it is not rendered (joins are shown where they are made), or not there yet - then it
    // is being decoded and a wakeup follows; the newest request replaces the one before. `index` of the frame is
    // that of its chunk.
    virtual FramePtr projectFrame(ProjectPlace place) = 0;
    // Frames of all lines whose length is known, and which one comes at that time of the project.
    virtual FrameIndex projectFrames() const = 0;
    virtual std::optional<ProjectPlace> placeOf(FrameIndex index) const = 0;
    // Sound of a line of that project, mono at kLineSoundRate, counted from the line's start. Copies what is stored of
    // samples [from, from + count) and returns how many those are: the pause behind a recording is not. Any thread;
    // may read a file.
    virtual std::size_t readLineSound(std::uint64_t line, std::int64_t from, float* out, std::size_t count)
    {
        static_cast<void>(line), static_cast<void>(from), static_cast<void>(out), static_cast<void>(count);
        return 0;
    }
    // Nothing is being waited for any more.
    virtual void forgetFrameRequests() = 0;
    // Sound of the running or last job as mono float, for playing along; grows while lines are made.
    // Copies samples [from, from + out.size()) and returns how many were there.
    virtual std::size_t readAudio(std::int64_t from, float* out, std::size_t count) = 0;
    virtual int audioRate() const = 0;

    virtual std::vector<VoiceInfo> voices() const = 0;
};

struct SessionOptions
{
    std::filesystem::path rankProgram;     // empty: loquor-rank beside this program
    std::filesystem::path phonemeProgram;  // empty: loquor-phonemes beside this program
    std::filesystem::path dataFolder;      // empty: XDG data folder
    std::filesystem::path cacheFolder;     // empty: XDG cache folder
    std::filesystem::path storeFolder;     // empty: "store" in the cache folder
    std::filesystem::path queueFolder;     // where the queue of projects survives; empty: it does not
    std::uint64_t storeMaxBytes = 20ull << 30;
    bool preview = true;                   // false: no frames for latestFrame and frameAt (command line)
    // For tests: after so much silence, or so long without progress, an engine process is ended.
    std::chrono::milliseconds rankSilence{20'000}, rankStall{60'000};
};
Result<std::unique_ptr<Session>> createSession(SessionOptions options = {});

} // namespace loquor::session
