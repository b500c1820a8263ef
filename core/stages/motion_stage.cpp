#include "core/stages/motion_stage.h"

#include <cmath>
#include <string>

#include "core/base/check.h"
#include "core/portrait/motion_join.h"
#include "core/stages/task_queue.h"

namespace loquor::stages {

namespace {

// From the time of a line to that of the solver, where the line starts at frame `origin`.
void shift(portrait::SpeechWindow& window, FrameIndex origin, const LineTask& line, Rational fps)
{
    const double seconds = secondsOf(origin, fps);
    for (portrait::Sound& sound : window.sounds) {
        sound.start += seconds;
        sound.end += seconds;
    }
    for (portrait::Cue& cue : window.cues)
        cue.time += seconds;
    const int rate = window.audio.sampleRate;
    window.audioStart =
        static_cast<double>(std::llround(window.audioStart * rate) + firstSampleOf(origin, rate, fps)) / rate;
    if (!line.open) // else its end is out of sight
        window.lineEnd = secondsOf(origin + line.frames, fps);
}

} // namespace

MotionStage::MotionStage(std::uint64_t seed, Rational fps, portrait::Style style)
    : m_fps(fps), m_solver(std::in_place, seed, fps, style)
{
}

MotionStage::MotionStage(Rational fps)
    : m_fps(fps)
{
}

Result<void> MotionStage::startTask(const LineTask& line, const pipeline::ChunkSpec& chunk, ChunkMotion& out)
{
    const bool follows = m_lineEnded;
    m_lineEnded = false;
    if (line.start == LineStart::Before) {
        if (!follows)
            return fail(ErrorCode::InvalidArgument,
                        "Line " + std::to_string(line.number) + " follows a line that was not made.");
        LQ_CHECKED(m_solver->beginLine(line.seed, line.style));
    } else {
        m_solver.emplace(line.seed, m_fps, line.style);
    }
    if (line.start == LineStart::Given) {
        LQ_TRY(const ChunkBoundary boundary, parseBoundary(line.boundary));
        LQ_CHECKED(m_solver->restoreState(boundary.state));
        if (chunk.startsLine)
            LQ_CHECKED(m_solver->beginLine(line.seed, line.style));
        else if (!boundary.frames.empty())
            out.before = boundary.frames.back();
    }
    m_origin = m_solver->nextFrame() - chunk.firstFrame;
    if (m_origin < 0)
        return fail(ErrorCode::InvalidArgument, "The boundary lies before the start of the line.");
    return {};
}

Result<void> MotionStage::solve(const pipeline::ChunkSpec& chunk, ChunkContext& in, ChunkMotion& out)
{
    out.sounds = in.window.sounds; // in the time of the chunk
    out.audio = std::move(in.audio);
    if (in.startsTask)
        LQ_CHECKED(startTask(*in.line, chunk, out));
    LOQUOR_CHECK(m_solver.has_value(), "a line starts with its first chunk");
    if (in.line)
        shift(in.window, m_origin, *in.line, m_fps);
    out.frames = m_solver->solve(in.window, m_origin + chunk.firstFrame, chunk.frames);
    LOQUOR_CHECK(static_cast<int>(out.frames.size()) == chunk.frames, "the solver gives one motion a frame");
    if (!in.line)
        return {};
    out.boundary.emplace();
    out.boundary->state = m_solver->saveState();
    if (chunk.endsLine)
        out.boundary->goesOn = m_solver->preview(in.window, portrait::kJoinAnchors);
    m_lineEnded = chunk.endsLine;
    return {};
}

Result<void> MotionStage::run(const pipeline::ChunkSpec& chunk, ChunkContext in,
                              const pipeline::Emit<ChunkMotion>& emit, const CancelToken& cancel)
{
    if (cancel.isCancelled())
        return cancelled();
    ChunkMotion out;
    if (in.join)
        out.frames = portrait::joinMotion(in.join->left.goesOn, in.join->right.frames, in.join->right.lipsShut,
                                          chunk.frames);
    else
        LQ_CHECKED(solve(chunk, in, out));
    return emit(std::move(out)) ? Result<void>{} : cancelled();
}

} // namespace loquor::stages
