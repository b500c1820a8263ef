// What the engine makes at once: a run of frames with its place in the script and in the sound.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace loquor::pipeline {

// N chunks carry the timeline. I chunks make the join of two neighbouring N chunks from anchors of
// both; a plan that makes joins puts I(k-1) right behind N(k) in execution order.
enum class ChunkKind {
    N = 1,
    I,
};
const char* toString(ChunkKind kind); // "N", "I"

// Plain value. firstFrame and firstSample count from the start of the run, frameInLine and sampleInLine
// from the start of the line. Every sample and every frame of the run belongs to exactly one N chunk;
// an I chunk has the place of the frames it replaces, the first ones of the chunk at its right.
struct ChunkSpec
{
    ChunkKind kind = ChunkKind::N;
    int index = 0;                // in execution order, from 0, both kinds
    std::uint64_t task = 0;       // number of the request it belongs to, where there are several
    std::uint64_t lineId = 0;     // permanent identity of the line; of an I chunk: of the right one
    int line = 1;                 // position of the line, from 1, for people
    int indexInLine = 0;          // of N chunks: every line starts its own chunk grid
    FrameIndex firstFrame = 0;
    int frames = 0;
    SampleIndex firstSample = 0;  // of one channel
    SampleIndex samples = 0;      // 0 of an I chunk
    std::uint64_t seed = 0;       // N: hash(run seed, line id, indexInLine); I: of both neighbours
    bool endsLine = false;
    bool endsRun = false;
    bool startsLine = false;
    FrameIndex frameInLine = 0;
    SampleIndex sampleInLine = 0;
    // N: how many of its first frames a join replaces (0 = all are shown). I: `frames`.
    int joinFrames = 0;
    // Of an I chunk: the neighbours by `index`, and how many frames at the end of the left one and from
    // `joinFrames` on of the right one it may look at.
    int leftChunk = -1, rightChunk = -1;
    int anchorsLeft = 0, anchorsRight = 0;

    friend bool operator==(const ChunkSpec&, const ChunkSpec&) = default;
};

// Where a plan makes joins.
enum class JoinAt {
    None = 0,
    Lines,  // between lines: the chunks of one line continue each other
    Chunks, // between all N chunks
};

// The pack's rule for joins; none when `frames` is 0.
struct JoinNumbers
{
    int frames = 0; // replaced at the start of the right chunk
    int anchorsLeft = 0, anchorsRight = 0;
    JoinAt at = JoinAt::None;

    bool isNone() const { return frames <= 0 || at == JoinAt::None; }
};

// How many frames a join in front of `right` replaces: fewer than `joins.frames` when the chunk is too
// short to keep its anchors, 0 when it has nothing else.
int joinLength(const ChunkSpec& right, const JoinNumbers& joins);
// The I chunk between two neighbours (whatever `joins.at` says); nothing when its length would be 0.
// Its index is left at -1.
std::optional<ChunkSpec> makeJoin(const ChunkSpec& left, const ChunkSpec& right,
                                  const JoinNumbers& joins);

} // namespace loquor::pipeline
