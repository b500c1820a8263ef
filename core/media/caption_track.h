// Captions as a track of a finished video, to be switched on in players.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/segments.h"

namespace loquor::media {

// Copies a video of Mp4Writer to `target` with the captions as one more track; pictures, sound and tags stay as they are.
// Nothing is encoded. `target` is there only when it is whole; it is another file than `video`. Blocks. Errors:
// InvalidArgument (captions out of order), those of both files.
Result<> copyWithCaptions(const std::filesystem::path& video, const std::vector<Caption>& captions,
                          const std::filesystem::path& target, platform::IfExists ifExists, const CancelToken& cancel = {});

} // namespace loquor::media
