// From photo and landmarks to a PortraitModel: cut, matte, plate, mesh, fields, eyes, mouth, light.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/portrait/face_observation.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

// Where to cut the photo: canvas of width x height px around the face, pure function of the
// landmarks on the full photo. Outer-eye distance 150/720 of the height (of 1.35 widths on tall
// canvases), more when the photo would not fill the canvas otherwise: up to 1.6 times, and as tight
// as the photo itself while the face fits. The cut leaves the photo only when the photo is smaller
// than that; `invented` and `notes` then say so.
struct CanvasCut
{
    double scale = 1;      // canvas px per photo px
    double x0 = 0, y0 = 0; // photo px of the canvas origin
    int width = 0, height = 0;
    double invented = 0;            // share of the canvas that lies outside the photo
    std::vector<std::string> notes; // for people; copy to FaceObservation::notes
};
CanvasCut planCanvas(const Landmarks& onPhoto, int photoWidth, int photoHeight, int canvasWidth,
                     int canvasHeight);
// Cuts and resamples (area + Gauss prefilter and Lanczos when shrinking; Lanczos, back-projection
// and limited sharpening when enlarging). What lies outside the photo is filled smoothly from its
// edge. RGB in, RGB out.
Image cutCanvas(const Image& photo, const CanvasCut& cut);
// Continues what lies outside the photo by what it shows at its edges: the background mirrored
// without the person and ever softer, the person's outline led on. `personMask` covers the canvas,
// 255 = person; `eyeDistance` in canvas px. Nothing changes where the photo fills the canvas.
void continueCanvas(Image& canvas, const CanvasCut& cut, int photoWidth, int photoHeight,
                    const Image& personMask, double eyeDistance);

// How much stands out beside the head, in levels of an 8-bit RGB `photo` (upper quartile of what is not
// smooth over .25 u); 0 where the photo shows nothing there. From `kBusyBackground` on, what a moving head
// uncovers is completed by a guess that can be seen.
inline constexpr float kBusyBackground = 14;
float backgroundUnrest(const Image& photo, const Landmarks& onPhoto);

// Takes <= 1 s for a 1280x720 canvas on one free core. Deterministic. Cancellable between steps.
// Fails with InvalidArgument when the landmarks are degenerate (no eye distance, outside the
// canvas).
Result<PortraitModelPtr> buildPortrait(const FaceObservation& face, const CancelToken& cancel);

} // namespace loquor::portrait
