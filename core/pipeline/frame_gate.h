// Stops a run whose pictures went wrong: black, one colour, or not numbers, after good ones; frozen or with a
// jump of colour, when the engine never makes such. Knows no engine; one bad chunk is enough, hours of black
// are not made.
#pragma once

#include <string>
#include <utility>

#include "core/pipeline/frame_look.h"
#include "core/pipeline/stage.h"

namespace loquor::pipeline {

// What is known of an engine's pictures.
struct GateRules
{
    std::string setting;      // what the message tells people to look at ("precision", "picture size")
    bool startsGood = false;  // black is a fault from the first frame on
    bool alwaysMoves = false; // no picture is the same as the one before for long
    double colourStep = 0;    // mean luma and colour never jump by more levels from frame to frame; 0 = not known
};

// Remembers whether good frames were seen. One thread.
class FrameGate
{
public:
    explicit FrameGate(std::string setting) : FrameGate(GateRules{std::move(setting)}) {}
    explicit FrameGate(GateRules rules) : m_rules(std::move(rules)), m_sawGood(m_rules.startsGood) {}

    // Frames of a chunk in order, a few at a time. Corrupt when one holds values that are not numbers or jumps,
    // or when as many in a row as the chunk has (at most 8) are black or one colour after good ones, or (at least
    // 6) the same.
    Result<void> check(const ChunkSpec& chunk, std::span<const FrameLook> looks);

private:
    const char* defect(const ChunkSpec& chunk, const FrameLook& look);
    bool isFrozen(const ChunkSpec& chunk, const FrameLook& look);
    bool jumps(const FrameLook& look) const;

    const GateRules m_rules;
    bool m_sawGood;
    int m_badInARow = 0, m_sameInARow = 1;
    FrameLook m_before; // contrast 0: none
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
    explicit GateStage(GateRules rules) : m_gate(std::move(rules)) {}
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
