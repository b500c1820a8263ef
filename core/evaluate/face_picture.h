// What is measured of one face in one picture. Internal to core/evaluate.
#pragma once

#include <optional>

#include <opencv2/core.hpp>

#include "core/evaluate/track.h"
#include "core/media/image.h"

namespace loquor::evaluate {

// An image as an OpenCV matrix that shares its pixels.
cv::Mat viewOf(const Image& image);

// The box of the 468 face points, whole pixels; x and y at least 0, the rest as it is.
cv::Rect faceBox(const Landmarks& face, const cv::Size& picture);
// The same for the identity network, which expects faces without forehead.
Box identityBox(const Landmarks& face);

// Mean Lab over the skin (the outline without mouth and jaw); nothing when the face is outside.
std::optional<Lab> skinColour(const cv::Mat& rgb, const Landmarks& face);

// The upper face in a fixed pose: 64x72 grey values.
std::optional<cv::Mat> upperFace(const cv::Mat& grey, const Landmarks& face);
// Variance of its Laplacian over its own variance.
double sharpnessOf(const cv::Mat& upper);

} // namespace loquor::evaluate
