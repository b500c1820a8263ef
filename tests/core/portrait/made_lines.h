// Lines one after another on one solver, as a project renders them.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/core/portrait/motion_test_support.h"

namespace loquor::portrait::made {

// What a caller cuts for frames [first, first + count) of a line that starts at frame `origin` of the
// solver: nothing before the line, silence behind it.
inline SpeechWindow lineWindow(const Speech& line, Rational fps, FrameIndex origin, FrameIndex first, int count)
{
    const int rate = line.audio.sampleRate;
    const double from = secondsOf(first, fps) - kLookBehindSeconds;
    const double to = secondsOf(first + count - 1, fps) + kLookAheadSeconds;
    const double shift = secondsOf(origin, fps);
    const auto begin = static_cast<std::int64_t>(std::max(0.0, std::floor(from * rate)));
    const auto end = static_cast<std::int64_t>(std::ceil(to * rate));
    SpeechWindow window;
    window.audio = {rate, 1, {}};
    for (std::int64_t i = begin; i <= end; ++i)
        window.audio.samples.push_back(i < line.audio.frames() ? line.audio.samples[static_cast<std::size_t>(i)] : 0.f);
    window.audioStart = static_cast<double>(firstSampleOf(origin, rate, fps) + begin) / rate;
    for (const Sound& sound : line.sounds)
        if (sound.end > from && sound.start < to)
            window.sounds.push_back({sound.symbol, sound.start + shift, sound.end + shift, 1, sound.stressed});
    for (const Cue& cue : line.cues)
        if (cue.time > from && cue.time < to)
            window.cues.push_back({cue.kind, cue.time + shift, cue.strength});
    window.lineEnd = secondsOf(origin + frameCount(line, fps), fps);
    return window;
}

// All frames of a line from where the solver stands, in chunks whose sizes repeat.
inline std::vector<Motion> solveLine(MotionSolver& solver, const Speech& line, Rational fps, const std::vector<int>& sizes)
{
    const FrameIndex origin = solver.nextFrame(), total = frameCount(line, fps);
    std::vector<Motion> frames;
    for (std::size_t i = 0; static_cast<FrameIndex>(frames.size()) < total; ++i) {
        const auto at = static_cast<FrameIndex>(frames.size());
        const auto count = static_cast<int>(std::min<FrameIndex>(sizes[i % sizes.size()], total - at));
        const auto part = solver.solve(lineWindow(line, fps, origin, at, count), origin + at, count);
        frames.insert(frames.end(), part.begin(), part.end());
    }
    return frames;
}

// How a finished line would go on.
inline std::vector<Motion> goesOn(MotionSolver& solver, const Speech& line, Rational fps, int count)
{
    const FrameIndex total = frameCount(line, fps);
    return solver.preview(lineWindow(line, fps, solver.nextFrame() - total, total, count), count);
}

} // namespace loquor::portrait::made
