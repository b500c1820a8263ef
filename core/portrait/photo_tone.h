// How colourful a photo is: what is drawn must fit a black and white one too. Internal to core/portrait.
#pragma once

#include "core/portrait/reference_work.h"

namespace loquor::portrait {

struct PhotoTone
{
    float colorful = 1;   // 0 = one hue (black and white, sepia): colour is brightness times `hue`
    Vec3 hue{1, 1, 1};    // brightness 1
};

PhotoTone findTone(const ReferenceWork& work);

} // namespace loquor::portrait
