#include "core/pipeline/chunk_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/pipeline/line_grid.h"

namespace loquor::pipeline {

const char* toString(ChunkKind kind)
{
    switch (kind) {
    case ChunkKind::N: return "N";
    case ChunkKind::I: return "I";
    }
    return "?";
}

int joinLength(const ChunkSpec& right, const JoinNumbers& joins)
{
    return std::max(0, std::min(joins.frames, right.frames - joins.anchorsRight));
}

std::optional<ChunkSpec> makeJoin(const ChunkSpec& left, const ChunkSpec& right,
                                  const JoinNumbers& joins)
{
    LOQUOR_CHECK(left.kind == ChunkKind::N && right.kind == ChunkKind::N, "N chunks have joins");
    const int length = joinLength(right, joins);
    if (length == 0)
        return std::nullopt;
    ChunkSpec join = right;
    join.kind = ChunkKind::I;
    join.index = -1;
    join.frames = length;
    join.samples = 0;
    join.seed = mixSeed(mixSeed(right.seed, left.seed), "join");
    join.endsLine = join.endsRun = false;
    join.joinFrames = length;
    join.leftChunk = left.index;
    join.rightChunk = right.index;
    join.anchorsLeft = std::min(joins.anchorsLeft, left.frames);
    join.anchorsRight = joins.anchorsRight;
    return join;
}

ChunkPlan::ChunkPlan(Rational fps, int sampleRate, ChunkNumbers numbers, std::uint64_t runSeed,
                     PlanOptions options)
    : m_fps(fps), m_sampleRate(sampleRate), m_numbers(numbers), m_seed(runSeed), m_options(options), m_left(options.left)
{
    LOQUOR_CHECK(fps.num > 0 && sampleRate > 0, "rates must be positive");
    LOQUOR_CHECK(numbers.frames > 0 && numbers.firstFrames > 0, "chunks must have frames");
    const JoinNumbers& joins = options.joins;
    LOQUOR_CHECK(joins.frames >= 0 && joins.anchorsLeft >= 0 && joins.anchorsRight >= 0,
                 "numbers of joins cannot be negative");
}

// Inside a run a line ends where a frame's first sample is; the run itself ends anywhere.
Result<FrameIndex> ChunkPlan::framesOnRunGrid(const LineSpec& line) const
{
    const SampleIndex end = samplesPlanned() + line.samples;
    const FrameIndex endFrame = line.isLast ? framesCovering(end, m_sampleRate, m_fps)
                                            : frameOf(end, m_sampleRate, m_fps);
    if (!line.isLast && firstSampleOf(endFrame, m_sampleRate, m_fps) != end)
        return fail(ErrorCode::InvalidArgument,
                    "Line " + std::to_string(line.number) + " does not end on a frame boundary: " +
                        std::to_string(end) + " samples at " + std::to_string(m_sampleRate) + " Hz.");
    return endFrame - framesPlanned();
}

Result<FrameIndex> ChunkPlan::framesOnLineGrid(const LineSpec& line) const
{
    const std::string name = "Line " + std::to_string(line.number);
    const FrameIndex before = line.continues ? m_frameBefore + m_lineFrames : 0;
    const SampleIndex samplesBefore = line.continues ? m_sampleBefore + m_lineSamples : 0;
    if (firstSampleOf(before, m_sampleRate, m_fps) != samplesBefore)
        return fail(ErrorCode::InvalidArgument,
                    name + " goes on behind a piece that does not end on a frame boundary: " +
                        std::to_string(samplesBefore) + " samples.");
    const SampleIndex end = samplesBefore + line.samples;
    const FrameIndex frames = line.frames > 0 ? line.frames
                                              : framesOfLine(end, m_sampleRate, m_fps) - before;
    if (end > samplesOfLine(before + frames, m_sampleRate, m_fps))
        return fail(ErrorCode::InvalidArgument,
                    name + " has more sound than its " + std::to_string(frames) + " frames hold.");
    return frames;
}

Result<void> ChunkPlan::addLine(const LineSpec& line)
{
    const std::string name = "Line " + std::to_string(line.number);
    if (m_line.isLast)
        return fail(ErrorCode::InvalidArgument, name + " follows the last line of the run.");
    LOQUOR_CHECK(isDrained(), "the current line still has chunks");
    if (line.samples <= 0)
        return fail(ErrorCode::InvalidArgument, name + " has no sound.");
    LQ_TRY(const FrameIndex frames, m_options.grid == GridMode::Lines ? framesOnLineGrid(line)
                                                                      : framesOnRunGrid(line));
    m_frameBefore = line.continues ? m_frameBefore + m_lineFrames : 0;
    m_sampleBefore = line.continues ? m_sampleBefore + m_lineSamples : 0;
    m_firstFrame += m_lineFrames;
    m_firstSample += m_lineSamples;
    m_line = line;
    m_lineSamples = line.samples;
    m_lineFrames = frames;
    m_done = 0;
    if (!line.continues)
        m_nextInLine = 0;
    return {};
}

FrameIndex ChunkPlan::wantedLength() const
{
    const bool first = m_options.grid == GridMode::Lines ? m_nextInLine == 0 : m_nextIndex == 0;
    return first ? std::min(m_numbers.firstFrames, m_numbers.frames) : m_numbers.frames;
}

bool ChunkPlan::isNextCertain() const
{
    // What is left behind it must be a chunk of its own, and hold the anchors of the join behind the line.
    const FrameIndex rest = m_lineFrames - m_done - wantedLength();
    return !m_join && rest >= std::max(1, m_options.joins.isNone() ? 0 : m_options.joins.anchorsLeft);
}

int ChunkPlan::nextLength() const
{
    const FrameIndex wanted = wantedLength();
    const FrameIndex left = m_lineFrames - m_done;
    const FrameIndex rest = left - wanted;
    if (rest <= 0)
        return static_cast<int>(left);
    const FrameIndex missing = m_options.joins.isNone() ? 0 : m_options.joins.anchorsLeft - rest;
    if (missing <= 0)
        return static_cast<int>(wanted);
    // The last chunk of the line would be too short to hold the anchors of the join behind it.
    return static_cast<int>(left <= m_numbers.frames ? left : std::max<FrameIndex>(1, wanted - missing));
}

void ChunkPlan::placeSound(ChunkSpec& chunk) const
{
    const FrameIndex end = chunk.firstFrame + chunk.frames;
    if (m_options.grid == GridMode::Run) {
        chunk.firstSample = firstSampleOf(chunk.firstFrame, m_sampleRate, m_fps);
        const SampleIndex last = chunk.endsLine ? samplesPlanned()
                                                : firstSampleOf(end, m_sampleRate, m_fps);
        chunk.samples = last - chunk.firstSample;
        chunk.sampleInLine = m_sampleBefore + chunk.firstSample - m_firstSample;
        return;
    }
    // Sound that is shorter than the line's frames ends inside a chunk or before it.
    const SampleIndex lineEnd = m_sampleBefore + m_lineSamples;
    chunk.sampleInLine =
        std::min(lineEnd, firstSampleOf(chunk.frameInLine, m_sampleRate, m_fps));
    const SampleIndex chunkEnd =
        std::min(lineEnd, firstSampleOf(chunk.frameInLine + chunk.frames, m_sampleRate, m_fps));
    chunk.firstSample = m_firstSample + chunk.sampleInLine - m_sampleBefore;
    chunk.samples = chunkEnd - chunk.sampleInLine;
}

void ChunkPlan::planJoin(ChunkSpec& chunk)
{
    const JoinNumbers& joins = m_options.joins;
    const bool wanted = m_left && !joins.isNone() &&
                        (joins.at == JoinAt::Chunks || (chunk.startsLine && !m_line.continues));
    if (wanted) {
        chunk.joinFrames = joinLength(chunk, joins);
        m_join = makeJoin(*m_left, chunk, joins);
    }
    m_left = chunk;
}

std::optional<ChunkSpec> ChunkPlan::next()
{
    if (m_join) {
        std::optional<ChunkSpec> join = std::exchange(m_join, std::nullopt);
        join->index = m_nextIndex++;
        return join;
    }
    if (m_done == m_lineFrames)
        return std::nullopt;
    ChunkSpec chunk;
    chunk.frames = nextLength();
    chunk.index = m_nextIndex++;
    chunk.lineId = m_line.id;
    chunk.line = m_line.number;
    chunk.indexInLine = m_nextInLine++;
    chunk.startsLine = chunk.indexInLine == 0;
    chunk.firstFrame = m_firstFrame + m_done;
    chunk.frameInLine = m_frameBefore + m_done;
    m_done += chunk.frames;
    chunk.endsLine = m_done == m_lineFrames;
    chunk.endsRun = chunk.endsLine && m_line.isLast;
    placeSound(chunk);
    chunk.seed = mixSeed(mixSeed(m_seed, m_line.id), static_cast<std::uint64_t>(chunk.indexInLine));
    planJoin(chunk);
    return chunk;
}

} // namespace loquor::pipeline
