// From photo and landmarks to a PortraitModel: cut, matte, plate, mesh, fields, eyes, mouth, light.
#pragma once

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/portrait/face_observation.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

// Where to cut the photo: canvas of width x height px around the face, pure function of the landmarks
// on the full photo. The cut never leaves the photo unless the photo is smaller than the canvas asks.
struct CanvasCut
{
    double scale = 1;         // canvas px per photo px
    double x0 = 0, y0 = 0;    // photo px of the canvas origin
    int width = 0, height = 0;
};
CanvasCut planCanvas(const Landmarks& onPhoto, int photoWidth, int photoHeight, int canvasWidth,
                     int canvasHeight);
// Cuts and resamples (Gauss prefilter + Lanczos). RGB in, RGB out.
Image cutCanvas(const Image& photo, const CanvasCut& cut);

// Takes <= 1 s for a 1280x720 canvas on one free core. Deterministic. Cancellable between steps.
// Fails with InvalidArgument when the landmarks are degenerate (no eye distance, outside the canvas).
Result<PortraitModelPtr> buildPortrait(const FaceObservation& face, const CancelToken& cancel);

} // namespace loquor::portrait
