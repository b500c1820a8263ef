// The measures of a finished video, from arrays.
#pragma once

#include "core/base/error.h"
#include "core/evaluate/evaluation.h"

namespace loquor::evaluate {

// Unreadable when fewer than eight frames were decoded. A video without a face is measured as far as
// that goes and flagged. Pure: no files, no threads.
Result<Evaluation> measure(const Clip& clip);

} // namespace loquor::evaluate
