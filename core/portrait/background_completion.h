// What could stand behind the person when the background is busy. Internal to core/portrait.
#pragma once

#include <opencv2/core.hpp>

namespace loquor::portrait {

// Completes `rgb` (float) where `source` (8-bit, 255 = background) is zero with patches of the
// background (PatchMatch on a reduced picture, then the same offsets at full size). `u` = eye
// distance in px. Returns `smooth` (float RGB, a smooth fill) where there are no patches to copy
// from.
cv::Mat completeBackground(const cv::Mat& rgb, const cv::Mat& source, const cv::Mat& smooth,
                           double u);

} // namespace loquor::portrait
