// A stage that breaks pictures, for tests of what looks at them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/stages/project_chain.h"

namespace loquor::test {

enum class Planted { None = 0,
                     Black,
                     Frozen,
                     Colour,
                     NoNumber };

// Spoils the pictures of one chunk of a task (of any with the task 0), as often as it is told to.
class Spoiler : public stages::FrameStage
{
public:
    Spoiler(Planted what, std::uint64_t task, int chunk, int times)
        : m_what(what), m_task(task), m_chunk(chunk), m_times(times)
    {
    }
    const char* name() const override { return "spoil"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> run(const pipeline::ChunkSpec& chunk, stages::FrameGroup in, const pipeline::Emit<stages::FrameGroup>& emit,
                     const CancelToken&) override
    {
        const bool isMeant = (m_task == 0 || chunk.task == m_task) && chunk.indexInLine == m_chunk;
        if (isMeant && in.frames.front()->index == chunk.firstFrame)
            ++m_attempts;
        if (isMeant && m_attempts <= m_times) {
            for (FramePtr& frame : in.frames) {
                auto spoilt = std::make_shared<VideoFrame>(*frame);
                spoil(*spoilt);
                frame = std::move(spoilt);
            }
            if (m_what == Planted::NoNumber)
                in.motion.back().value[3] = std::nanf("");
        }
        return emit(std::move(in)) ? Result<void>{} : cancelled();
    }

private:
    void spoil(VideoFrame& frame)
    {
        auto& data = frame.image.data;
        if (m_what == Planted::Black)
            std::fill(data.begin(), data.end(), std::uint8_t(0));
        if (m_what == Planted::Frozen) {
            m_still = m_still.empty() ? data : m_still;
            data = m_still;
        }
        for (std::size_t i = 0; m_what == Planted::Colour && i < data.size(); i += 3)
            data[i] = static_cast<std::uint8_t>(std::min(255, data[i] + 40));
    }

    const Planted m_what;
    const std::uint64_t m_task;
    const int m_chunk;
    const int m_times;
    int m_attempts = 0;
    std::vector<std::uint8_t> m_still;
};

} // namespace loquor::test
