// From lines to chunks: pure, incremental, works on an endless list of lines.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/pipeline/chunk_spec.h"

namespace loquor::pipeline {

// Chunk lengths in frames; from the pack. The first chunk of a run may be shorter, so that the first
// picture comes early; all others have `frames` or what is left of their line.
struct ChunkNumbers
{
    int firstFrames = 8;
    int frames = 25;
};

// One line with the pause after it, or a piece of one: a long line may come in pieces, so that its
// first clause can be drawn while the others are still being spoken.
struct LineSpec
{
    std::uint64_t id = 0;
    int number = 1;          // position, from 1
    SampleIndex samples = 0; // whole frames, unless isLast
    bool isLast = false;     // nothing follows in this run
    bool continues = false;  // more of the line before; its chunks are counted on
};

// Not thread-safe. Holds at most the lines that were added and not yet cut.
class ChunkPlan
{
public:
    // LOQUOR_CHECKs positive numbers.
    ChunkPlan(Rational fps, int sampleRate, ChunkNumbers numbers, std::uint64_t runSeed);

    // Replaces the current line, whose chunks must all have been taken. InvalidArgument: the line has
    // no samples, is not a whole number of frames and not the last, or follows the last line.
    Result<void> addLine(const LineSpec& line);
    // The next chunk of the current line; nothing when a new line is needed or the run is over.
    std::optional<ChunkSpec> next();

    bool needsLine() const { return m_done == m_lineFrames && !m_last; }
    bool isFinished() const { return m_done == m_lineFrames && m_last; }
    // Frames and samples of all lines added so far.
    FrameIndex framesPlanned() const { return m_firstFrame + m_lineFrames; }
    SampleIndex samplesPlanned() const { return m_firstSample + m_lineSamples; }

private:
    const Rational m_fps;
    const int m_sampleRate;
    const ChunkNumbers m_numbers;
    const std::uint64_t m_seed;
    LineSpec m_line;
    bool m_last = false;
    FrameIndex m_firstFrame = 0;   // of the current line
    FrameIndex m_lineFrames = 0;
    FrameIndex m_done = 0;         // frames of the line that were handed out
    SampleIndex m_firstSample = 0; // of the current line
    SampleIndex m_lineSamples = 0;
    int m_nextIndex = 0;
    int m_nextInLine = 0;
};

} // namespace loquor::pipeline
