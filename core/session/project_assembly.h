// A rendered project laid out in time: which stored files are shown and heard when. What an export needs.
#pragma once

#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/base/trace.h"
#include "core/session/project_lines.h"
#include "core/speech/timing.h"
#include "core/speech/written_captions.h"

namespace loquor::session {

// Frames [skip, skip + frames) of a stored chunk, in playback order.
struct ShownSegment
{
    std::filesystem::path file;
    int skip = 0;
    int frames = 0;
    TraceArgs of{};
};

// A stored line's sound: `samples` of it from `skip` on, of which the file gives at most `available`;
// silence is the rest. Rounding to the grid of the whole run gives or takes one sample of the pause.
struct HeardSound
{
    std::filesystem::path file;
    SampleIndex samples = 0;
    SampleIndex skip = 0;
    SampleIndex available = std::numeric_limits<SampleIndex>::max();
};

// What is said in a line, and when.
struct SaidText
{
    double start = 0, length = 0; // of the line, seconds of the run
    std::string text;
    speech::Timing timing;                       // seconds of the line; words alone
    std::vector<speech::WrittenCaption> written; // of the user; empty: the captions are made of the text
};
// Of a line whose sound is stored; it begins at 0.
Result<SaidText> saidText(const LineItem& item, cache::ChunkStore& store);

struct Assembly
{
    std::vector<ShownSegment> picture;
    std::vector<HeardSound> sound;           // mono, kProjectRate
    std::vector<SaidText> texts;              // what captions are made of
    FrameIndex frames = 0;
    std::vector<pipeline::ChunkReport> chunks;
    std::vector<SceneFacts> scenes;          // of scenes with lines
    std::set<std::string> keys;              // of all entries used
    std::vector<std::string> warnings;       // sentences for the user
};

// Looks up everything; InvalidArgument naming the lines that are not rendered (or whose join is missing)
// and what to do. Blocks; verifies the files once per process.
Result<Assembly> assemble(const project::Document& document, cache::ChunkStore& store, const VoiceShelf& voices,
                          const std::filesystem::path& dataFolder, const CancelToken& cancel);

} // namespace loquor::session
