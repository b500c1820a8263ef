// What is behind the person when it is not the photo's own background.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/media/image.h"

namespace loquor::stages {

// "#rrggbb" or a picture file -> a picture of width x height (a file is scaled to cover it, centred).
// Empty for an empty `background`. InvalidArgument or what the image loader says.
Result<Image> makeBackdrop(const std::string& background, int width, int height);

} // namespace loquor::stages
