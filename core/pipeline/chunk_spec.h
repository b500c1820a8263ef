// What the engine makes at once: a run of frames with its place in the script and in the sound.
#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace loquor::pipeline {

// N chunks carry the timeline. I chunks make the join of two neighbouring N chunks from anchors of
// both; a plan that makes joins puts I(k-1) right behind N(k) in execution order.
enum class ChunkKind {
    N = 1,
    I,
};
const char* toString(ChunkKind kind); // "N", "I"

// Plain value. Frames and samples count from the start of the run. Every sample of the run belongs to
// exactly one N chunk, and so does every frame.
struct ChunkSpec
{
    ChunkKind kind = ChunkKind::N;
    int index = 0;                // in execution order, from 0
    std::uint64_t lineId = 0;     // permanent identity of the line
    int line = 1;                 // position of the line, from 1, for people
    int indexInLine = 0;          // every line starts its own chunk grid
    FrameIndex firstFrame = 0;
    int frames = 0;
    SampleIndex firstSample = 0;  // of one channel
    SampleIndex samples = 0;
    std::uint64_t seed = 0;       // hash(run seed, line id, chunk number within the line)
    bool endsLine = false;
    bool endsRun = false;

    friend bool operator==(const ChunkSpec&, const ChunkSpec&) = default;
};

} // namespace loquor::pipeline
