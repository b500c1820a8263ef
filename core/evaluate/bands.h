// What real people measure, and how a clip compares.
#pragma once

#include <optional>
#include <span>

#include "core/evaluate/evaluation.h"

namespace loquor::evaluate {

// The 10th to the 90th percentile of real talking people (27 clips for the lips, 16 for the rest).
struct Band
{
    const char* metric;
    const char* group; // lip, eyes, upper, head, identity, temporal
    std::optional<double> low, high; // absent: that side does not count
    double minSeconds;               // shorter clips are not judged by it
};
std::span<const Band> realPeople();

// Shares of metrics inside the bands for a verdict without hard flags. Real people, each against the
// others: median 0.78, 10th percentile 0.62. One metric outside says nothing.
inline constexpr double kPassShare = 0.65;
inline constexpr double kStrongShare = 0.80;

Scorecard makeScorecard(const Evaluation& evaluation);

} // namespace loquor::evaluate
