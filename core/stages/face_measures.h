// What landmarks say about a face: pure functions, no network.
#pragma once

#include <string>
#include <vector>

#include "core/pipeline/reports.h"
#include "core/portrait/face_observation.h"

namespace loquor::stages {

// Distances in pixels of the picture, angles in degrees, the rest without unit.
struct FaceMeasures
{
    float eyeDistance = 0;  // outer eye corners, in space
    float yaw = 0;          // + = turned towards the image's right
    float pitch = 0;        // + = looking down
    float roll = 0;         // + = tilted clockwise
    float mouthGap = 0;     // inner lips, in eye distances
    float mouthWidth = 0;   // in eye distances
    float eyeOpening = 0;   // mean lid gap in eye distances; about .08-.12 when open
};
FaceMeasures measureFace(const portrait::Landmarks& landmarks);

// Index is left at 1; box and outline as fractions of a picture of this size. `filePixelsPerPixel`: the
// file's pixels for one of the measured picture (> 1 when it was scaled down for measuring).
pipeline::FaceInfo describeFace(const portrait::Landmarks& landmarks, int width, int height,
                                double filePixelsPerPixel);

// How well a frame of a clip suits as the reference, 0..1: frontal, neutral, eyes open, sharp.
// `sharpness` is any positive number, the same kind for all frames compared; best = the highest of them.
double suitability(const FaceMeasures& face, double sharpness, double best);

} // namespace loquor::stages
