#include "core/stages/refinement_stage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>

namespace loquor::stages {

using portrait::Motion;
using portrait::Param;

namespace {

struct Range
{
    float low, high;
};

using Ranges = std::array<Range, portrait::kParamCount>;

// The range of each parameter that the renderer draws well.
Ranges makeRanges()
{
    Ranges out;
    out.fill({0, 1.2f});
    const auto set = [&out](std::initializer_list<Param> params, Range range) {
        for (const Param p : params)
            out[static_cast<std::size_t>(p)] = range;
    };
    set({Param::JawSide, Param::MouthX, Param::GazeX, Param::GazeY, Param::Breath}, {-1, 1});
    set({Param::Pitch, Param::Yaw, Param::Roll}, {-12, 12});
    set({Param::Tx, Param::Ty, Param::Tz}, {-.2f, .2f});
    for (auto i = static_cast<std::size_t>(Param::Residual0); i < portrait::kParamCount; ++i)
        out[i] = {-4, 4};
    return out;
}

bool isBilabial(const std::string& symbol)
{
    return symbol.starts_with('p') || symbol.starts_with('b') || symbol.starts_with('m');
}

constexpr float kClosed = .9f;
constexpr float kTrusted = .3f; // confidence of a sound

// Clamps; the first of the frames is number `first`, for the message.
Result<void> limit(std::vector<Motion>& frames, FrameIndex first)
{
    static const Ranges ranges = makeRanges();
    for (std::size_t f = 0; f < frames.size(); ++f) {
        for (std::size_t i = 0; i < portrait::kParamCount; ++i) {
            float& value = frames[f].value[i];
            if (!std::isfinite(value))
                return fail(ErrorCode::Internal, "The motion of frame " +
                                                     std::to_string(first + static_cast<FrameIndex>(f)) +
                                                     " is not a number (parameter " + std::to_string(i) + ").");
            value = std::clamp(value, ranges[i].low, ranges[i].high);
        }
    }
    return {};
}

} // namespace

Result<void> RefinementStage::run(const pipeline::ChunkSpec& chunk, ChunkMotion in,
                                  const pipeline::Emit<ChunkMotion>& emit, const CancelToken&)
{
    LQ_CHECKED(limit(in.frames, chunk.firstFrame));
    if (in.boundary)
        LQ_CHECKED(limit(in.boundary->goesOn, chunk.firstFrame + chunk.frames));
    closeLips(chunk, in);
    if (in.boundary)
        completeBoundary(chunk, in);
    return emit(std::move(in)) ? Result<void>{} : cancelled();
}

void RefinementStage::completeBoundary(const pipeline::ChunkSpec& chunk, ChunkMotion& motion) const
{
    motion.boundary->frames = motion.frames;
    motion.boundary->lipsShut.assign(motion.frames.size(), 0);
    for (const portrait::Sound& sound : motion.sounds) {
        if (!isBilabial(sound.symbol) || sound.confidence < kTrusted)
            continue;
        const auto count = static_cast<FrameIndex>(motion.frames.size());
        const auto from = static_cast<FrameIndex>(std::floor(sound.start * m_fps.toDouble())) - chunk.firstFrame;
        const auto to = static_cast<FrameIndex>(std::ceil(sound.end * m_fps.toDouble())) - chunk.firstFrame;
        for (FrameIndex f = std::max<FrameIndex>(0, from); f < std::min(to, count); ++f)
            motion.boundary->lipsShut[static_cast<std::size_t>(f)] = 1;
    }
}

void RefinementStage::closeLips(const pipeline::ChunkSpec& chunk, ChunkMotion& motion)
{
    for (const portrait::Sound& sound : motion.sounds) {
        if (!isBilabial(sound.symbol) || sound.confidence < kTrusted)
            continue;
        const double middle = (sound.start + sound.end) / 2;
        const auto frame = static_cast<FrameIndex>(std::floor(middle * m_fps.toDouble()));
        const FrameIndex local = frame - chunk.firstFrame;
        if (local < 0 || local >= static_cast<FrameIndex>(motion.frames.size()))
            continue;
        float& close = motion.frames[static_cast<std::size_t>(local)][Param::Close];
        if (close < kClosed) {
            close = kClosed;
            ++m_closuresHelped;
        }
    }
}

} // namespace loquor::stages
