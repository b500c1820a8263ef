// What is asked of projects and told about them: values of the facade (session.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/media/burnt_caption.h"
#include "core/media/picture_label.h"
#include "core/media/sound_report.h"
#include "core/project/document.h"
#include "core/speech/pronunciations.h"
#include "core/speech/timing.h"

namespace loquor::session {

using CaptionStyle = media::CaptionStyle;
using PictureLabel = media::PictureLabel;

// Makes what is missing of a project: lines that are new or were changed, and the joins to their
// neighbours. Finished chunks go into the store at once and are never made twice.
struct ProjectRequest
{
    project::Document document;           // a copy: later edits do not matter to this run
    bool everything = false;              // also lines that are fresh, so that each continues the one before
    std::filesystem::path trace{};        // empty: none; else a Chrome trace is written there
    std::filesystem::path file{};         // where it lies, for the queue that survives a restart; empty: nowhere
};

// Cuts a recording into lines that can be added to a project.
struct RecordingRequest
{
    std::filesystem::path file;
    std::string text, language;           // what is said in it; "" = nobody knows
    Rational fps{25, 1};                  // of the project: lines begin and end on frames
    speech::Pronunciations pronunciations = {}; // of the project; the user's are added
    media::SoundImport import{};          // how it is taken in; the lines are parts of what that gives
};
struct RecordedLines
{
    std::vector<project::Line> lines;     // in order, with new ids; together the whole recording
    std::vector<std::string> warnings;    // sentences for people
};

// Says something to be heard: a word with what a dictionary makes of it.
struct SayRequest
{
    std::string text;                     // one line; may hold tags
    std::string voice, language;          // "" = default
    speech::Pronunciations pronunciations = {}; // all that count; the user's are not added
};

// What is in a sound file, to be seen before it is used.
struct SoundLook
{
    std::vector<media::AudioStreamInfo> streams;
    int stream = 0;                       // that was asked for; 0 = the first one with sound
    media::SoundReport report;            // of what was read so far
    std::vector<float> peaks;             // the loudest of equal stretches, 0 to 1
    double peakSeconds = 0;               // of a stretch
    bool finished = false;                // false: it goes on
};

enum class Captions { None = 1,
                      Track,    // in the file
                      Srt,      // beside it
                      Vtt,
                      VttWords, // with the time of each word
                      Burn };   // drawn into the pictures

// Puts the finished chunks of a project together.
struct ExportRequest
{
    project::Document document;
    std::filesystem::path output;
    bool overwrite = false;
    Captions captions = Captions::None;
    CaptionStyle captionStyle;            // of those that are drawn
    std::filesystem::path captionFile{};  // of those that lie in a file; empty: beside the video, under its name
    int width = 0, height = 0;            // 0 = as rendered; anything else is encoded again
    int quality = 0;                      // CRF when encoded again; 0 = as rendered
    PictureLabel label;                   // stays on every picture; encodes again
    std::filesystem::path trace;          // empty: none; else a Chrome trace is written there
};

// What a project is made of at the moment.
struct LineState
{
    enum class Kind {
        New = 1,   // never made
        Stale,     // made once, and changed since
        Partial,   // some of its chunks, or the join in front of it, are not there
        Fresh,     // all there
    };
    int number = 0;                       // position, from 1
    std::uint64_t id = 0;
    Kind kind = Kind::New;
    FrameIndex frames = 0;                // 0 = not known before it is spoken
    int chunks = 0, chunksMade = 0;       // 0 = not known before it is spoken
    std::uint64_t take = 0;               // the one that is shown; 0 = none
    bool joined = false;                  // the join in front of it is there or not needed
    std::string joinFault;                // why it could not be made, when it was tried; the next run tries again
    std::vector<int> grid{};              // frames of each of its chunks, when its sound is there
    int joinFrames = 0;                   // of those at its start that the join in front of it replaces; 0 = no join
    // What inspectWords() tells, when its sound is there: seconds and bytes of the line's text. Never changes.
    std::shared_ptr<const std::vector<speech::Word>> words{};
};
struct TakeInfo
{
    std::uint64_t id = 0, line = 0;
    int number = 0;                       // of the takes of its line, from 1
    FrameIndex frames = 0;
    bool complete = false, pinned = false;
    bool matches = false;                 // the line as it is now
    bool fits = false;                    // what is said and shown now, perhaps with other movements: it may be chosen
    bool available = false;               // its chunks are in the store
    std::uint64_t seed = 0;
    std::string createdAt;                // ISO 8601, UTC
};
// A caption of a line, in seconds of the line.
struct CaptionInfo
{
    double start = 0, end = 0;
    std::string text;
};
struct ProjectState
{
    std::vector<LineState> lines;
    std::vector<TakeInfo> takes;          // of all lines, by line and number
    std::uint64_t storeBytes = 0;
    std::vector<CaptionInfo> captions;    // of the line that was asked for, when its sound is there
};
const char* toString(LineState::Kind kind); // "new", "stale", "partial", "fresh"

// Of the sound that readLineSound() gives.
inline constexpr int kLineSoundRate = 48'000;

// A frame of a project: of a line, counted from the line's start.
struct ProjectPlace
{
    std::uint64_t line = 0;
    FrameIndex frame = 0;

    friend bool operator==(const ProjectPlace&, const ProjectPlace&) = default;
};

} // namespace loquor::session
