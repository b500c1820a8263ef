// From the order in which chunks are made to the order in which their frames are shown.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/pipeline/chunk_spec.h"

namespace loquor::pipeline {

// Frames of one chunk that are seen one after another.
struct ShownPart
{
    int chunk = 0;     // ChunkSpec::index
    int skip = 0;      // frames of the chunk in front of the part
    int frames = 0;
    FrameIndex at = 0; // of the first of them, in the run

    friend bool operator==(const ShownPart&, const ShownPart&) = default;
};

// What is seen of a chunk: all of an I chunk, and what a join leaves of an N chunk (possibly nothing).
std::optional<ShownPart> shownPart(const ChunkSpec& chunk);

// Chunks in execution order in, parts in playback order out, for an endless run: N0, I0, N1 from frame
// e on, I1 ... Holds at most one part. Not thread-safe.
class PlaybackSequence
{
public:
    // The parts that are due now, appended to `out`. LOQUOR_CHECKs that a join follows its chunk.
    void add(const ChunkSpec& chunk, std::vector<ShownPart>& out);
    // A part still waits for the join in front of it.
    bool isWaiting() const { return m_waitsFor >= 0; }

private:
    int m_waitsFor = -1; // index of the N chunk whose join is due
    std::optional<ShownPart> m_held;
};

std::vector<ShownPart> playbackOrder(std::span<const ChunkSpec> executionOrder);

} // namespace loquor::pipeline
