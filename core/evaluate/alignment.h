// Takes the head's pose out of tracked landmarks.
#pragma once

#include <array>
#include <vector>

#include "core/evaluate/numeric.h"
#include "core/evaluate/track.h"

namespace loquor::evaluate {

// Everything in eye distances (outer corners); x to the right, y up, z towards the viewer, all along the face.
struct Alignment
{
    std::vector<Landmarks> points;  // per frame, without the head's rotation, position and size
    std::array<Series, 3> angles;   // yaw, pitch, roll in degrees against the clip's mean pose
    std::array<Series, 2> shift;    // position of the head in the picture, in eye distances
    Series residual;                // rms of the rigid points against the mean face
    Series scale;                   // eye distances per pixel
    std::array<double, 3> meanPose{}; // degrees against the camera
};

// Landmarks of all frames, gaps filled. At least one frame.
Alignment alignRigid(const std::vector<Landmarks>& frames);

} // namespace loquor::evaluate
