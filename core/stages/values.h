// What travels between the stages of the portrait engine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/queue.h"
#include "core/media/audio_block.h"
#include "core/media/image.h"
#include "core/pipeline/render_settings.h"
#include "core/pipeline/reports.h"
#include "core/portrait/motion.h"
#include "core/portrait/motion_solver.h"
#include "core/portrait/portrait_model.h"
#include "core/stages/chunk_boundary.h"

namespace loquor::stages {

// Who is to talk, and on what picture.
struct ReferenceRequest
{
    std::filesystem::path file; // photo or clip
    pipeline::RenderSettings settings;
};

// The person made ready, and where the canvas lies on the output picture.
struct ReferenceContext
{
    portrait::PortraitModelPtr model;
    int offsetX = 0, offsetY = 0;      // of the canvas on the output; non-zero with Framing::Fit
    std::vector<std::string> warnings; // what to expect
    bool fromCache = false;
};

struct LineTask;
struct JoinSides;

// A chunk's speech with its surroundings.
struct ChunkContext
{
    portrait::SpeechWindow window;
    AudioBlock audio; // of the chunk alone, as it goes into the file
    // In a project run, where times count from the start of the line:
    std::shared_ptr<const LineTask> line;  // of an N chunk
    std::shared_ptr<const JoinSides> join; // of an I chunk; it has no sound
    bool startsTask = false;               // the first chunk to make of `line`
};

// A chunk's motion. `sounds` are those of the window.
struct ChunkMotion
{
    std::vector<portrait::Motion> frames;
    std::vector<portrait::Sound> sounds;
    AudioBlock audio;
    std::optional<ChunkBoundary> boundary; // N chunks of project runs; without motion yet
    std::optional<portrait::Motion> before; // of the frame before the first, when a line is continued
};

// A few finished frames in playback order. The first group of a chunk carries the chunk's sound, the last
// one its boundary (N chunks of project runs).
struct FrameGroup
{
    std::vector<FramePtr> frames;
    std::vector<portrait::Motion> motion; // of the same frames
    std::vector<float> lipGap;            // of the same frames: portrait::lipGap
    AudioBlock audio;
    std::vector<std::byte> boundary;

    ItemCost cost() const
    {
        ItemCost sum;
        for (const FramePtr& frame : frames)
            sum.bytes += frame->image.data.size();
        sum.bytes += audio.samples.size() * sizeof(float);
        return sum;
    }
};

} // namespace loquor::stages
