// What a project run is asked to make: whole lines, and the joins between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "core/media/audio_block.h"
#include "core/portrait/motion_solver.h"

namespace loquor::stages {

// What the first chunk of a task is conditioned on.
enum class LineStart {
    Nothing = 1, // the reference alone: the person comes out of the photo's pose
    Before,      // the end of the line made just before it in this run
    Given,       // `boundary`
};

// One line with its pause, on its own grid: frame 0, sample 0 and second 0 are its start. Beyond its ends
// there is silence, unless it is a piece of a recording.
struct LineTask
{
    std::uint64_t task = 0;   // the caller's number; in ChunkSpec::task of its chunks
    std::uint64_t lineId = 0; // permanent identity
    int number = 1;           // position, for people
    std::uint64_t seed = 0;
    portrait::Style style;
    LineStart start = LineStart::Nothing;
    std::vector<std::byte> boundary; // of the line before; with firstChunk > 0 of the chunk before
    int firstChunk = 0;              // chunks before it exist already
    FrameIndex frames = 0;           // 0 = as many as the sound needs
    // Interleaved, at the run's rate. The first and last samples may be those of the neighbours in the
    // same recording: they are heard, but do not belong to the line.
    AudioBlock audio;
    SampleIndex contextBefore = 0, contextAfter = 0;
    std::vector<portrait::Sound> sounds; // empty: the sound alone decides
    std::vector<portrait::Cue> cues;
    // More of the line follows as LinePieces. `frames` then counts those that are there whole; everything before
    // `known` seconds is final: samples, sounds that begin there, cues. No context, and from chunk 0 on.
    bool open = false;
    double known = 0;

    SampleIndex samples() const { return audio.frames() - contextBefore - contextAfter; }
};

// What was said since, of a line that is open.
struct LinePiece
{
    std::uint64_t task = 0;
    AudioBlock audio;
    std::vector<portrait::Sound> sounds;
    std::vector<portrait::Cue> cues;
    bool isLast = false; // the line is whole now
    double known = 0;    // as LineTask::known
};

// The first frames of a line, made anew so that they follow from the line before.
struct JoinTask
{
    std::uint64_t task = 0;
    std::uint64_t lineId = 0;     // of the right line
    int number = 1;               // of the right line
    int frames = 0;               // at most; the right chunk may be shorter
    std::vector<std::byte> left;  // boundary of the left line's last chunk
    std::vector<std::byte> right; // boundary of the right line's first chunk
};

} // namespace loquor::stages
