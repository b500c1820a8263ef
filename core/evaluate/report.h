// An evaluation as JSON and as text for people.
#pragma once

#include <string>

#include "core/evaluate/evaluation.h"

namespace loquor::evaluate {

// The documented schema (docs/evaluate.md): version, video, container, sanity, face, metrics, lag_curve, seams,
// drop_suspects, blinks, flags, scorecard. Numbers that could not be measured are null.
std::string toJson(const Evaluation& evaluation);

// A scorecard of some fifty lines: metric, value, band of real people, verdict; then the flags.
std::string toText(const Evaluation& evaluation);

} // namespace loquor::evaluate
