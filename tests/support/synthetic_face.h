// A drawn face with plausible landmarks and a mask: needs no photo and no network.
#pragma once

#include "core/portrait/face_observation.h"

namespace loquor::test {

// Eye distance `u` px, centred at (cx, cy); parted lips when `mouthGap` (u) > .022. Throws
// std::runtime_error when the landmark file of the test data is missing.
portrait::FaceObservation syntheticFace(int width, int height, float cx, float cy, float u,
                                        float mouthGap = 0.f);

} // namespace loquor::test
