// The first frames of a line, bent so that they follow from what was shown before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/portrait/motion.h"

namespace loquor::portrait {

// How many frames of the left neighbour's own continuation a join looks at.
inline constexpr int kJoinAnchors = 2;

// Frames 0 .. e-1 of `right`, where e = min(frames, right.size()). `left` is how the neighbour would have
// gone on at right's frames 0 and 1 (MotionSolver::preview). What differs there is faded out to nothing,
// with zero slope, at frame e: head, brows and breath from their difference and its speed, mouth and
// gaze from the difference alone, so that lips keep their timing. A blink that is under way on either side
// is brought to its end. `lipsShut` (may be empty, else one for each frame of right) marks frames whose
// lips are closed by p, b or m: they stay as closed as they are. Values stay within their ranges. Where
// nothing differs, frames are right's own, bit for bit. LOQUOR_CHECKs kJoinAnchors frames in `left`.
std::vector<Motion> joinMotion(std::span<const Motion> left, std::span<const Motion> right,
                               std::span<const std::uint8_t> lipsShut, int frames);

} // namespace loquor::portrait
