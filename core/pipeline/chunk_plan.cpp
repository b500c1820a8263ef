#include "core/pipeline/chunk_plan.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/base/random.h"

namespace loquor::pipeline {

const char* toString(ChunkKind kind)
{
    switch (kind) {
    case ChunkKind::N: return "N";
    case ChunkKind::I: return "I";
    }
    return "?";
}

ChunkPlan::ChunkPlan(Rational fps, int sampleRate, ChunkNumbers numbers, std::uint64_t runSeed)
    : m_fps(fps), m_sampleRate(sampleRate), m_numbers(numbers), m_seed(runSeed)
{
    LOQUOR_CHECK(fps.num > 0 && sampleRate > 0, "rates must be positive");
    LOQUOR_CHECK(numbers.frames > 0 && numbers.firstFrames > 0, "chunks must have frames");
}

Result<void> ChunkPlan::addLine(const LineSpec& line)
{
    const std::string name = "Line " + std::to_string(line.number);
    if (m_last)
        return fail(ErrorCode::InvalidArgument, name + " follows the last line of the run.");
    LOQUOR_CHECK(m_done == m_lineFrames, "the current line still has chunks");
    if (line.samples <= 0)
        return fail(ErrorCode::InvalidArgument, name + " has no sound.");
    const FrameIndex firstFrame = m_firstFrame + m_lineFrames;
    const SampleIndex firstSample = m_firstSample + m_lineSamples;
    const SampleIndex end = firstSample + line.samples;
    // Inside a run a line ends where a frame's first sample is; the run itself ends anywhere.
    const FrameIndex endFrame = line.isLast ? framesCovering(end, m_sampleRate, m_fps)
                                            : frameOf(end, m_sampleRate, m_fps);
    if (!line.isLast && firstSampleOf(endFrame, m_sampleRate, m_fps) != end)
        return fail(ErrorCode::InvalidArgument,
                    name + " does not end on a frame boundary: " + std::to_string(end) +
                        " samples at " + std::to_string(m_sampleRate) + " Hz.");
    m_line = line;
    m_last = line.isLast;
    m_firstFrame = firstFrame;
    m_firstSample = firstSample;
    m_lineSamples = line.samples;
    m_lineFrames = endFrame - firstFrame;
    m_done = 0;
    if (!line.continues)
        m_nextInLine = 0;
    return {};
}

std::optional<ChunkSpec> ChunkPlan::next()
{
    if (m_done == m_lineFrames)
        return std::nullopt;
    const int wanted = m_nextIndex == 0 ? std::min(m_numbers.firstFrames, m_numbers.frames)
                                        : m_numbers.frames;
    ChunkSpec chunk;
    chunk.index = m_nextIndex++;
    chunk.lineId = m_line.id;
    chunk.line = m_line.number;
    chunk.indexInLine = m_nextInLine++;
    chunk.firstFrame = m_firstFrame + m_done;
    chunk.frames = static_cast<int>(std::min<FrameIndex>(wanted, m_lineFrames - m_done));
    m_done += chunk.frames;
    chunk.endsLine = m_done == m_lineFrames;
    chunk.endsRun = chunk.endsLine && m_last;
    chunk.firstSample = firstSampleOf(chunk.firstFrame, m_sampleRate, m_fps);
    const SampleIndex end = chunk.endsLine
                                ? m_firstSample + m_lineSamples
                                : firstSampleOf(m_firstFrame + m_done, m_sampleRate, m_fps);
    chunk.samples = end - chunk.firstSample;
    chunk.seed = mixSeed(mixSeed(m_seed, m_line.id), static_cast<std::uint64_t>(chunk.indexInLine));
    return chunk;
}

} // namespace loquor::pipeline
