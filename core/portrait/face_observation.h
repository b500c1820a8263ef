// What the networks say about a photo: the input of the reference builder.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/media/image.h"

namespace loquor::portrait {

struct Point3
{
    float x = 0, y = 0, z = 0;
};

// 478 landmarks in pixels of the image they were measured on; pixel centres at +0.5 (the top left
// pixel covers 0..1). x right, y down, z away from the viewer at the scale of x. 0..467 face mesh,
// 468..472 iris on the image's left (subject's right), 473..477 the other.
using Landmarks = std::array<Point3, 478>;

// The photo cut to the working canvas, with all that the networks measured on that canvas.
struct FaceObservation
{
    Image canvas; // RGB, the cut and scaled photo
    Landmarks landmarks{};
    Image personMask;               // 1 channel, any size, covers the canvas: 255 = person
    double scale = 1;               // canvas pixels per photo pixel (> 1: the photo was enlarged)
    std::vector<std::string> notes; // of the cut; the model passes them on
};

} // namespace loquor::portrait
