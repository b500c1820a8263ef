// What a finished MP4 must be. Private to core/media.
#pragma once

#include "core/media/mp4_writer.h"

namespace loquor::media {

struct Mp4Expectation
{
    int width = 0, height = 0;
    Rational fps{25, 1};
    std::int64_t frames = 0;
    bool hasSound = false; // that differs from the picture by less than a frame
};

// Looks at the part file as any player would; Corrupt says what is wrong with it.
Result<> verifyMp4(const platform::AtomicFile& file, const Mp4Expectation& expected);
// InvalidArgument for sizes, rates and tags.
Result<> checkOptions(const Mp4Options& options);

} // namespace loquor::media
