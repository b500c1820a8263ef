// Whether a label can be shown, before a video is made with it.
#pragma once

#include "core/base/error.h"
#include "core/media/picture_label.h"

namespace loquor::media {

// Draws it once. InvalidArgument: control characters, letters that no installed font has (they are named), no room on
// a picture of that size, or a size out of range. Unsupported: no font at all.
Result<void> checkLabel(const PictureLabel& label, int width, int height);

} // namespace loquor::media
