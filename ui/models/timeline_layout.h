// The lines of a project in time: what each is made of, what is there, what is missing. Values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QString>

#include "core/base/time.h"
#include "core/project/document.h"
#include "core/session/project_values.h"

namespace loquor::ui {

// How it stands with a line, or with a chunk of one.
enum class Look {
    New = 1,   // never made
    Stale,     // made once, and changed since
    Waiting,   // the run will make it
    Rendering, // the run is at it
    Partial,   // some of it is there
    Ready,
    Failed,    // the last run gave it up
};

struct LayoutChunk
{
    FrameIndex start = 0, frames = 0; // in frames of the whole
    Look look = Look::New;
    bool isJoin = false; // lies over the beginning of its line
};

struct LayoutLine
{
    std::uint64_t id = 0;
    int number = 0;               // from 1
    QString label;                // its text
    FrameIndex start = 0, frames = 0;
    bool isMeasured = false;      // false: frames are estimated, its sound is not there
    Look look = Look::New;
    QString problem;              // why it failed, or its join
    std::vector<int> grid;        // frames of its chunks; empty: not known
    int chunksMade = 0;
    int joinFrames = 0;           // replaced by the join in front of it; 0 = no join
    bool isJoined = false;        // the join is there
    std::shared_ptr<const std::vector<speech::Word>> words; // null: not known; seconds of the line

    FrameIndex end() const { return start + frames; }
    FrameIndex ready() const; // frames that can be shown, from its start without a gap
    bool isToBeMade() const { return look != Look::Ready; }
};

class TimelineLayout
{
public:
    TimelineLayout() = default;
    // Gives the lines their starts.
    TimelineLayout(Rational fps, std::vector<LayoutLine> lines);

    Rational fps() const { return m_fps; }
    const std::vector<LayoutLine>& lines() const { return m_lines; }
    FrameIndex total() const { return m_lines.empty() ? 0 : m_lines.back().end(); }
    // Null before the start, behind the end, and for an id that is not there.
    const LayoutLine* lineAt(FrameIndex frame) const;
    const LayoutLine* line(std::uint64_t id) const;
    bool isReady(FrameIndex frame) const { return readyUntil(frame) > frame; }
    // End of the stretch without a gap that begins with `frame`; `frame` when that one is not ready.
    FrameIndex readyUntil(FrameIndex frame) const;
    // The first ready frame from there on; -1 = none.
    FrameIndex nextReady(FrameIndex frame) const;
    FrameIndex readyFrames() const;
    bool isAllReady() const;
    const LayoutLine* firstToBeMade() const;
    std::optional<session::ProjectPlace> placeOf(FrameIndex frame) const;
    // Where that place is now; nothing when its line is gone. Behind the end of a line that got shorter: its last frame.
    std::optional<FrameIndex> frameOf(const session::ProjectPlace& place) const;
    // The word that is said there; null = none.
    const speech::Word* wordAt(FrameIndex frame) const;

private:
    Rational m_fps{25, 1};
    std::vector<LayoutLine> m_lines;
};

// N chunks in order, then the join.
std::vector<LayoutChunk> chunksOf(const LayoutLine& line);

// Why a line could not be made, and the line as it was then: once it is edited that is over.
struct LineFault
{
    QString reason;
    project::Line line;
};

struct LayoutInput
{
    const project::Document& document;
    const session::ProjectState* state = nullptr;   // the last inspection, of the document `inspected`
    const project::Document* inspected = nullptr;
    const project::Document* running = nullptr;     // that a run is making now
    const std::map<std::uint64_t, LineFault>* faults = nullptr;
};
// An edited line is stale (or new) until the next inspection; the others are what the last one said.
TimelineLayout makeLayout(const LayoutInput& input);

// Whether the video of this line may differ between the two documents.
bool isSameLine(const project::Line& a, const project::Line& b);
bool isSamePicture(const project::Document& a, const project::Document& b);

} // namespace loquor::ui
