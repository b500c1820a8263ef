// From speech timing and sound to motion frames, chunk by chunk, with explicit state.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/media/audio_block.h"
#include "core/portrait/motion.h"
#include "core/portrait/motion_prompt.h"

namespace loquor::portrait {

// A speech sound with its times in seconds of the run (not of the line). Same meaning as
// speech::Phoneme, repeated here because portrait depends on media values only.
struct Sound
{
    std::string symbol; // IPA without stress marks; empty = silence
    double start = 0, end = 0;
    float confidence = 1;
    bool stressed = false;
};

// Something to be done at a time of the run.
struct Cue
{
    CueKind kind = CueKind::None;
    double time = 0;
    double strength = 1; // 0..1
};

// What the solver hears: phonemes when known, else the sound alone. All times in seconds of the run.
// The window must reach kLookAhead seconds past the last frame asked for (or to the end of the run),
// and kLookBehind seconds before the first (or to the start of the run); sounds that reach into it are
// given whole. It may hold more: what lies farther away changes nothing.
struct SpeechWindow
{
    std::vector<Sound> sounds;   // where none is near (pauses are sounds too), the audio decides
    AudioBlock audio;            // mono, any rate, the same for the whole run; starts at audioStart
    double audioStart = 0;
    std::vector<Cue> cues;
    bool isLast = false;         // the run ends with this window: with its audio, else its last sound
    // Where the line ends that the frames asked for belong to (seconds of the run, a frame's start); to
    // be given in every window that reaches it, when beginLine() shall follow there.
    double lineEnd = std::numeric_limits<double>::infinity();
};
inline constexpr double kLookAheadSeconds = 0.6;
inline constexpr double kLookBehindSeconds = 0.6;

// One per run; not thread-safe. Memory is constant however long the run is.
class MotionSolver
{
public:
    // `seed` decides idle motion; the same seed, window and state give the same frames.
    MotionSolver(std::uint64_t seed, Rational fps, Style style);
    ~MotionSolver();
    MotionSolver(MotionSolver&&) noexcept;
    MotionSolver& operator=(MotionSolver&&) noexcept;

    // Frames [first, first + count) of the run. Calls must be contiguous from frame 0; splitting the
    // same run into other chunks gives exactly the same frames. A gap between calls or a window that
    // ends too early is a broken invariant (LOQUOR_CHECK).
    std::vector<Motion> solve(const SpeechWindow& window, FrameIndex first, int count);

    // At the end of a line that was told by `lineEnd`: the next frame is the first of another line, with
    // its own seed and style (both are taken over smoothly). What lay behind the end is forgotten; the
    // new line's windows need no sound from before it. The frames then depend on the state at the end of
    // the line alone, whether it came here through saveState() and restoreState() or not. At frame 0
    // only seed and style change. InvalidArgument anywhere else; the solver is unchanged then.
    Result<void> beginLine(std::uint64_t seed, Style style);
    // The next `count` frames as if the present line went on, without advancing; `window` as in solve().
    std::vector<Motion> preview(const SpeechWindow& window, int count);
    FrameIndex nextFrame() const;

    // State after the frames solved so far, for the chunk that follows: the boundary data of the
    // portrait pack. A few kilobytes, always the same size, valid on this machine's architecture.
    std::vector<std::uint8_t> saveState() const;
    // Continues where the bytes were saved. Another seed or style is taken over smoothly within a
    // second. Fails with Corrupt when the bytes are not such a state or were damaged, and with
    // InvalidArgument when they belong to another frame rate; the solver is unchanged then.
    Result<void> restoreState(const std::vector<std::uint8_t>& bytes);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::portrait
