// The facade: commands in, events and snapshots out. The only header set that ui/ and app/ need.
// Commands return at once with an id; what becomes of them arrives as events that carry the id.
// The engine thread behind it owns everything; no call here blocks on a file, a device or the engine.
#pragma once

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
#include "core/media/image.h"
#include "core/pipeline/render_settings.h"
#include "core/pipeline/reports.h"
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
    std::string activity;                 // untranslated key: "reference", "speech", "align", "render", "finish"
    std::int64_t framesDone = 0;          // encoded, or delivered to the preview
    std::int64_t framesTotal = 0;         // 0 = not known yet
    double fpsNow = 0;
    double secondsLeft = -1;              // < 0 = not known
    std::int64_t framesReady = 0;         // can be shown now, from 0 without a gap
    std::string device = "CPU";
    double rssMb = 0;
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
    };
    Kind kind = Kind::Warning;
    CommandId command = 0;
    std::string text;                     // for Warning, EngineRestarted
    std::optional<Error> error;           // for JobFailed
    std::optional<RenderReport> report;   // for JobFinished
    std::optional<CheckReport> check;     // for Checked
    std::optional<ChunkReport> chunk;     // for ChunkFinished
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
    virtual void cancel(CommandId job) = 0;
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
    bool preview = true;                   // false: no frames for latestFrame and frameAt (command line)
};
Result<std::unique_ptr<Session>> createSession(SessionOptions options = {});

} // namespace loquor::session
