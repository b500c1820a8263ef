#include "core/pipeline/frame_gate.h"

#include <algorithm>

namespace loquor::pipeline {

namespace {

constexpr double kBlack = 3;        // luma: below, nothing is seen
constexpr double kOneColour = 0.5;  // contrast: below, all pixels are the same
constexpr double kGoodContrast = 4; // any photograph has more
constexpr int kEnough = 8;          // a third of a second

const char* defect(const FrameLook& look)
{
    if (!look.isFinite)
        return "values that are not numbers";
    if (look.contrast >= kOneColour)
        return nullptr;
    return look.luma < kBlack ? "black frames" : "frames of a single colour";
}

} // namespace

Result<void> FrameGate::check(const ChunkSpec& chunk, std::span<const FrameLook> looks)
{
    for (const FrameLook& look : looks) {
        const char* what = defect(look);
        if (!what) {
            m_badInARow = 0;
            m_sawGood = m_sawGood || look.contrast >= kGoodContrast;
            continue;
        }
        if (m_sawGood)
            ++m_badInARow;
        if (!look.isFinite || m_badInARow >= std::min(kEnough, chunk.frames))
            return fail(ErrorCode::Corrupt, std::string("The engine made ") + what +
                                                (m_sawGood ? " after good ones" : "") +
                                                ". Rendering was stopped; look at the setting '" +
                                                m_setting + "'.");
    }
    return {};
}

} // namespace loquor::pipeline
