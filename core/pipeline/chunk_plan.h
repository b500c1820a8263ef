// From lines to chunks: pure, incremental, works on an endless list of lines.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/pipeline/chunk_spec.h"

namespace loquor::pipeline {

// Chunk lengths in frames; from the pack.
struct ChunkNumbers
{
    int firstFrames = 8; // of the first chunk of a grid, so that the first picture comes early
    int frames = 25;     // of the others, or what is left of their line
};

enum class GridMode {
    Run = 1, // one grid of frames and samples for the run; only its first chunk is short
    Lines,   // every line counts frames and samples from its own start and has a short first chunk
};

struct PlanOptions
{
    GridMode grid = GridMode::Run;
    JoinNumbers joins;
    std::optional<ChunkSpec> left = {}; // made earlier, in front of the first line: gets a join too
};

// One line with the pause after it, or a piece of one: a long line may come in pieces, so that its
// first clause can be drawn while the others are still being spoken.
struct LineSpec
{
    std::uint64_t id = 0;
    int number = 1;          // position, from 1
    SampleIndex samples = 0; // GridMode::Run: whole frames, unless isLast
    bool isLast = false;     // nothing follows in this run
    bool continues = false;  // more of the line before; its chunks are counted on
    // GridMode::Lines: length in frames, which the sound may not exceed (silence fills the rest);
    // 0 = as many as the sound needs.
    FrameIndex frames = 0;
};

// Not thread-safe. Holds one line, its last chunk and at most one join that is due.
class ChunkPlan
{
public:
    // LOQUOR_CHECKs positive numbers.
    ChunkPlan(Rational fps, int sampleRate, ChunkNumbers numbers, std::uint64_t runSeed,
              PlanOptions options = {});

    // Replaces the current line, whose chunks must all have been taken. InvalidArgument: the line has
    // no samples, does not end on a frame boundary where it must (GridMode::Run: unless it is the last;
    // GridMode::Lines: when a piece follows), is longer than its frames, or follows the last line.
    Result<void> addLine(const LineSpec& line);
    // The next chunk in execution order: N0, N1, I0, N2, I1 ...; nothing when a new line is needed or
    // the run is over. A line keeps at least `anchorsLeft` frames for its last chunk where it can.
    std::optional<ChunkSpec> next();

    // True when next() would give the same N chunk if the current line were longer.
    bool isNextCertain() const;

    bool needsLine() const { return isDrained() && !m_line.isLast; }
    bool isFinished() const { return isDrained() && m_line.isLast; }
    // Frames and samples of all lines added so far.
    FrameIndex framesPlanned() const { return m_firstFrame + m_lineFrames; }
    SampleIndex samplesPlanned() const { return m_firstSample + m_lineSamples; }

private:
    Result<FrameIndex> framesOnRunGrid(const LineSpec& line) const;
    Result<FrameIndex> framesOnLineGrid(const LineSpec& line) const;
    bool isDrained() const { return m_done == m_lineFrames && !m_join; }
    FrameIndex wantedLength() const;
    int nextLength() const;
    void placeSound(ChunkSpec& chunk) const;
    void planJoin(ChunkSpec& chunk);

    const Rational m_fps;
    const int m_sampleRate;
    const ChunkNumbers m_numbers;
    const std::uint64_t m_seed;
    const PlanOptions m_options;
    LineSpec m_line;                // or the current piece of one
    FrameIndex m_firstFrame = 0;    // of m_line, in the run
    FrameIndex m_lineFrames = 0;
    FrameIndex m_done = 0;          // frames of m_line that were handed out
    SampleIndex m_firstSample = 0;  // of m_line, in the run
    SampleIndex m_lineSamples = 0;
    FrameIndex m_frameBefore = 0;   // of the same line, in earlier pieces
    SampleIndex m_sampleBefore = 0;
    int m_nextIndex = 0;
    int m_nextInLine = 0;
    std::optional<ChunkSpec> m_left; // the last N chunk
    std::optional<ChunkSpec> m_join; // due before the next N chunk
};

} // namespace loquor::pipeline
