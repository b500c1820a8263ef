#include "core/pipeline/frame_gate.h"

#include <algorithm>
#include <cmath>

namespace loquor::pipeline {

namespace {

constexpr double kBlack = 3;        // luma: below, nothing is seen
constexpr double kOneColour = 0.5;  // contrast: below, all pixels are the same
constexpr double kGoodContrast = 4; // any photograph has more
constexpr int kEnough = 8;          // a third of a second
constexpr int kStill = 6;           // fewer pictures may be the same by chance

bool isFlat(const FrameLook& look)
{
    return look.contrast < kOneColour;
}

} // namespace

bool FrameGate::isFrozen(const ChunkSpec& chunk, const FrameLook& look)
{
    m_sameInARow = look.print != 0 && look.print == m_before.print ? m_sameInARow + 1 : 1;
    return m_rules.alwaysMoves && m_sameInARow >= std::clamp(chunk.frames, kStill, kEnough);
}

bool FrameGate::jumps(const FrameLook& look) const
{
    if (m_rules.colourStep <= 0 || m_before.contrast < kGoodContrast)
        return false;
    const double steps[] = {look.luma - m_before.luma, look.red - m_before.red, look.blue - m_before.blue};
    return std::ranges::any_of(steps, [this](double step) { return std::abs(step) > m_rules.colourStep; });
}

// What is wrong by now; counts.
const char* FrameGate::defect(const ChunkSpec& chunk, const FrameLook& look)
{
    if (!look.isFinite)
        return "values that are not numbers";
    if (isFlat(look)) {
        if (m_sawGood)
            ++m_badInARow;
        if (m_badInARow >= std::min(kEnough, chunk.frames))
            return look.luma < kBlack ? "black frames" : "frames of a single colour";
        return nullptr;
    }
    m_badInARow = 0;
    m_sawGood = m_sawGood || look.contrast >= kGoodContrast;
    const bool frozen = isFrozen(chunk, look);
    const char* out = frozen ? "a picture that stands still" : jumps(look) ? "frames with a jump of colour"
                                                                           : nullptr;
    m_before = look;
    return out;
}

Result<void> FrameGate::check(const ChunkSpec& chunk, std::span<const FrameLook> looks)
{
    for (const FrameLook& look : looks) {
        if (const char* what = defect(chunk, look))
            return fail(ErrorCode::Corrupt, std::string("The engine made ") + what +
                                                (m_before.contrast >= kGoodContrast ? " after good ones" : "") +
                                                ". Rendering was stopped; look at the setting '" +
                                                m_rules.setting + "'.");
    }
    return {};
}

} // namespace loquor::pipeline
