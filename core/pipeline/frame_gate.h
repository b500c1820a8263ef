// Stops a run whose pictures went wrong: black, one colour, or not numbers, after good ones. Knows no
// engine; one bad chunk is enough, hours of black are not made.
#pragma once

#include <string>
#include <utility>

#include "core/pipeline/frame_look.h"
#include "core/pipeline/stage.h"

namespace loquor::pipeline {

// Remembers whether good frames were seen. One thread.
class FrameGate
{
public:
    // `setting`: what the message tells people to look at ("precision", "picture size"); from the pack.
    explicit FrameGate(std::string setting) : m_setting(std::move(setting)) {}

    // Frames of a chunk in order, a few at a time. Corrupt when one holds values that are not numbers,
    // or when as many in a row as the chunk has (at most 8) are black or one colour after good ones.
    Result<void> check(const ChunkSpec& chunk, std::span<const FrameLook> looks);

private:
    const std::string m_setting;
    bool m_sawGood = false;
    int m_badInARow = 0;
};

// How frames are looked at: from a member of this name, or specialise.
template<class T>
struct LookTraits
{
    static std::vector<FrameLook> looks(const T& value) { return value.looks(); }
};

// The gate as a stage: passes everything on until it stops the run.
template<class T>
class GateStage : public Stage<T, T>
{
public:
    explicit GateStage(std::string setting) : m_gate(std::move(setting)) {}
    const char* name() const override { return "gate"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> run(const ChunkSpec& chunk, T in, const Emit<T>& emit, const CancelToken&) override
    {
        LQ_CHECKED(m_gate.check(chunk, LookTraits<T>::looks(in)));
        return emit(std::move(in)) ? Result<void>{} : cancelled();
    }

private:
    FrameGate m_gate;
};

} // namespace loquor::pipeline
