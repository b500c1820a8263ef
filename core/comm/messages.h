// What session and rank say to each other, as typed values. On the wire: JSON plus raw bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/comm/channel.h"
#include "core/media/audio_block.h"
#include "core/media/burnt_caption.h"
#include "core/media/image.h"
#include "core/media/picture_label.h"
#include "core/pipeline/render_settings.h"
#include "core/pipeline/reports.h"
#include "core/speech/timing.h"

namespace loquor::comm {

using JobId = std::uint64_t;

// --- session to rank -------------------------------------------------------------------------------

// Looks at a picture or clip; answered by FileChecked.
struct CheckFile
{
    JobId id = 0;
    std::filesystem::path file;
};

// Builds a reference ahead of its first use; answered by ReferencePrepared or JobFailed.
struct PrepareReference
{
    JobId id = 0;
    std::filesystem::path reference;
    pipeline::RenderSettings settings;
};

// Starts a run; lines follow as SpeechLine. Answered by RenderDone or JobFailed.
struct StartRender
{
    JobId id = 0;
    std::filesystem::path reference;
    pipeline::RenderSettings settings; // seed is set
    int sampleRate = 0, channels = 0;  // of all lines
    std::filesystem::path output;      // always set
    bool overwrite = false;
    bool preview = false;              // frames also go into the ring
    bool audioOnlyMotion = false;      // the lines carry no phonemes
    std::map<std::string, std::string> metadata; // goes into the file ("comment" ...)
    media::PictureLabel label;         // on every picture of the file
    std::optional<media::CaptionStyle> captionStyle; // captions come with the lines and are drawn; nothing: none do
    std::filesystem::path trace;       // empty: none; else a Chrome trace is written there at the end
};

// A motion direction of the script, by its tag ("nod"), at a time of the run.
struct LineCue
{
    std::string tag;
    double time = 0;
    double strength = 1;
};

// One line with its pause, or a piece of one: a whole number of frames unless it is the last.
struct SpeechLine
{
    JobId job = 0;
    std::uint64_t id = 0;  // permanent identity
    int number = 1;        // position
    bool isLast = false;
    bool continues = false; // more of the line before
    speech::Timing timing; // times from the start of the run; no phonemes = the sound alone
    std::vector<LineCue> cues;
    std::vector<media::BurntCaption> captions; // of the line, with its first piece; times of the run
    AudioBlock audio;      // payload
};

// Starts a run that makes single chunks of a project; MakeLine and MakeJoin follow, in the order in which
// they are to be made, then EndProject. Each chunk is answered by ChunkMade, the whole by ProjectDone or
// JobFailed. All lines have the same sample rate and shape of sound.
struct StartProject
{
    JobId id = 0;
    std::filesystem::path reference;
    pipeline::RenderSettings settings; // prompt and seed come with the lines
    int sampleRate = 0, channels = 0;
    std::filesystem::path staging;     // existing folder; chunks are made in folders below it
    bool preview = false;              // frames also go into the ring, numbered from firstIndex on as they are made
    std::int64_t firstIndex = 0;
    std::filesystem::path trace;       // empty: none; else a Chrome trace is written there at the end
};

// What a line's first chunk is conditioned on.
enum class BoundaryFrom {
    Nothing = 1, // the reference alone
    Before,      // the end of the line made just before it in this run
    Given,       // the bytes that come with the message
};

// One whole line with its pause: a whole number of frames. Times count from its first sample. Or the beginning of
// one (`open`): LinePieces follow, of this line before those of any other.
struct MakeLine
{
    JobId job = 0;
    std::uint64_t task = 0;            // named in the answers
    std::uint64_t id = 0;              // permanent identity of the line
    int number = 1;                    // position
    std::uint64_t seed = 0;
    std::string prompt;
    bool audioOnly = false;            // there are no phonemes
    BoundaryFrom boundaryFrom = BoundaryFrom::Nothing;
    int firstChunk = 0;                // > 0: chunks before it exist; the boundary is that of the one before it
    speech::Timing timing;
    std::vector<LineCue> cues;
    SampleIndex contextBefore = 0, contextAfter = 0; // samples of `audio` that belong to the neighbours
    bool open = false;
    double known = 0;                  // of an open line: seconds of it before which everything is final
    std::vector<std::byte> boundary;   // payload, when Given
    AudioBlock audio;                  // payload
};

// What was said since, of an open line. With the last one the line is a whole number of frames.
struct LinePiece
{
    JobId job = 0;
    std::uint64_t task = 0;
    bool isLast = false;
    double known = 0;                  // as MakeLine::known
    speech::Timing timing;             // new ones only, in seconds of the line
    std::vector<LineCue> cues;         // new ones
    AudioBlock audio;                  // payload
};

// The join between two finished chunks of neighbouring lines.
struct MakeJoin
{
    JobId job = 0;
    std::uint64_t task = 0;
    int number = 1;                    // of the right line
    std::vector<std::byte> left;       // payload: boundary data of the left line's last chunk
    std::vector<std::byte> right;      // payload: of the right line's first chunk
};

struct EndProject
{
    JobId job = 0;
};

struct CancelJob
{
    JobId job = 0;
};

// Draws a finished frame of the newest job again, for scrubbing; answered by FrameFetched.
struct FetchFrame
{
    JobId job = 0;
    std::int64_t index = 0;
};

struct Shutdown
{
};

using ToRank = std::variant<CheckFile, PrepareReference, StartRender, SpeechLine, StartProject, MakeLine,
                            LinePiece, MakeJoin, EndProject, CancelJob, FetchFrame, Shutdown>;

// --- rank to session -------------------------------------------------------------------------------

// First message: the rank is there and has loaded what it needs.
struct Ready
{
    std::string version;
    std::string device = "CPU";
};

// Sign of life, several times a second. `ticks` grows with every piece of work done: a rank that is
// busy, not waiting for speech, and stops counting is hanging.
struct Heartbeat
{
    std::uint64_t ticks = 0;
    bool busy = false;
    bool waiting = false;
    std::uint64_t rssBytes = 0;
};

struct JobProgress
{
    JobId job = 0;
    std::string activity;          // "reference", "render", "finish"
    std::int64_t framesDone = 0;   // encoded
    SampleIndex samplesDone = 0;   // of the speech; lets session send more
};

struct JobWarning
{
    JobId job = 0;
    std::string text;
};

struct ChunkDone
{
    JobId job = 0;
    pipeline::ChunkReport chunk;
    std::vector<float> lipGap; // of each frame: the opening that was drawn, eye distances
};

// In a project run with preview: the next frames in the ring are those of this chunk, from this index on.
struct ChunkBegun
{
    JobId job = 0;
    std::uint64_t task = 0;
    FrameIndex frameInLine = 0;        // of its first frame
    std::int64_t firstIndex = 0;       // counts the frames of the run as they are made
};

// A chunk of a project run lies finished in `folder`, which holds video.mp4 and, of an N chunk,
// boundary.bin. It belongs to the session from now on.
struct ChunkMade
{
    JobId job = 0;
    std::uint64_t task = 0;
    pipeline::ChunkReport chunk;
    int indexInLine = 0;
    std::filesystem::path folder;
    double firstFrameSeconds = 0;      // from StartProject to the first encoded frame of the run
};

struct ProjectDone
{
    JobId job = 0;
    double engineCpuSeconds = 0, encoderCpuSeconds = 0;
    double peakRssMb = 0;              // of the rank
    std::map<std::string, pipeline::StageCost> stages;
    std::string pack;
};

struct FileChecked
{
    JobId id = 0;
    pipeline::CheckReport report;
    Image picture; // payload: what the engine sees, RGB, small; empty when it could not be decoded
};

struct ReferencePrepared
{
    JobId id = 0;
};

struct RenderDone
{
    JobId job = 0;
    std::int64_t frames = 0;
    SampleIndex samples = 0;
    double firstFrameSeconds = 0;  // from StartRender to the first encoded frame
    double engineCpuSeconds = 0, encoderCpuSeconds = 0;
    double peakRssMb = 0;          // of the rank
    std::map<std::string, pipeline::StageCost> stages;
    std::string pack;              // "portrait 1"
};

struct JobFailed
{
    JobId job = 0;
    Error error{ErrorCode::Internal, {}};
    bool preparing = false;            // of a project run: before its first chunk; trying again is no use
};

struct FrameFetched
{
    JobId job = 0;
    std::int64_t index = 0;
    Image image; // payload; empty: there is no such frame
};

using FromRank = std::variant<Ready, Heartbeat, JobProgress, JobWarning, ChunkDone, ChunkBegun, ChunkMade, FileChecked,
                              ReferencePrepared, RenderDone, ProjectDone, JobFailed, FrameFetched>;

// Never fails for values this program makes.
Frame encode(const ToRank& message);
Frame encode(const FromRank& message);
// Corrupt, with the field's name, when a frame is not a message of this version.
Result<ToRank> decodeToRank(const Frame& frame);
Result<FromRank> decodeFromRank(const Frame& frame);

} // namespace loquor::comm
