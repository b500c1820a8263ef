// The curves of an evaluation as one picture.
#pragma once

#include "core/evaluate/evaluation.h"
#include "core/media/image.h"

namespace loquor::evaluate {

// 1600 pixels wide, RGB: lips against sound, jaw, eyes and gaze, head, identity, colour, the lag curve and
// the scorecard. What could not be measured is left out.
Image plot(const Evaluation& evaluation);

} // namespace loquor::evaluate
