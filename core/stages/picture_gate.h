// The gate behind the portrait engine: a chunk with broken pictures fails instead of being kept.
#pragma once

#include <cmath>
#include <memory>

#include "core/pipeline/frame_gate.h"
#include "core/stages/values.h"

template<>
struct loquor::pipeline::LookTraits<loquor::stages::FrameGroup>
{
    static std::vector<FrameLook> looks(const stages::FrameGroup& group)
    {
        std::vector<FrameLook> out;
        for (std::size_t i = 0; i < group.frames.size(); ++i) {
            out.push_back(lookAt(group.frames[i]->image));
            // Pixels are rounded to whole numbers; what was no number before is seen in the motion.
            if (i < group.motion.size())
                for (const float value : group.motion[i].value)
                    out.back().isFinite = out.back().isFinite && std::isfinite(value);
        }
        return out;
    }
};

namespace loquor::stages {

// A person in front of something is never black, breathes and blinks, and keeps its light: turning the head as
// far as it goes moves the mean of the picture by less than half of this step.
inline std::shared_ptr<pipeline::Stage<FrameGroup, FrameGroup>> makePictureGate()
{
    return std::make_shared<pipeline::GateStage<FrameGroup>>(
        pipeline::GateRules{.setting = "size", .startsGood = true, .alwaysMoves = true, .colourStep = 14});
}

} // namespace loquor::stages
