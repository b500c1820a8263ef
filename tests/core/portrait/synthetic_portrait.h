// A small hand-made portrait: a grid mesh cut along mouth and lids, simple fields, flat colours with
// texture. Everything the renderer reads is there, without photo, networks or builder.
#pragma once

#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

struct SyntheticOptions
{
    int width = 400, height = 240;
    bool openMouth = false;
    bool details = true; // wrinkle maps, cheek shifts
};
PortraitModelPtr makeSyntheticPortrait(const SyntheticOptions& options = {});

} // namespace loquor::portrait
