// A row of teeth rendered once from a three-dimensional arch. Internal to core/portrait.
#pragma once

#include <opencv2/core.hpp>

#include "core/portrait/reference_work.h"

namespace loquor::portrait {

// Texture extent in the head plane and its raster.
struct MouthRaster
{
    double x0 = 0, x1 = 0, y0 = 0, y1 = 0; // head frame
    int width = 0, height = 0;

    double x(int column) const { return x0 + (column + .5) * (x1 - x0) / width; }
    double y(int row) const { return y0 + (row + .5) * (y1 - y0) / height; }
};

struct ArchLook
{
    bool upper = true;
    double edge = 0;                  // y of the incisal edge
    double bend = 0;                  // z = bend x^2
    Vector3 enamel = Vector3::Zero(); // RGB
    Vector3 gum = Vector3::Zero();
    Vector3 light = Vector3::Zero(); // I ~ 1 + light . n, head frame
    double softness = 0;             // antialiasing half width, u
};

struct Shaded
{
    cv::Mat color; // float RGBA, 0..255
    cv::Mat gloss; // float, 0..255
};

Shaded renderArch(const MouthRaster& raster, const ArchLook& look);
Shaded renderTongue(const MouthRaster& raster, const Vector3& color, const Vector3& light);

} // namespace loquor::portrait
