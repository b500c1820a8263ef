// How a stream's pictures are meant to be shown. Private to core/media.
#pragma once

#include "core/media/ffmpeg_support.h"

namespace loquor::media {

struct DisplayShape
{
    int width = 0, height = 0;               // shown size: pixel shape and rotation applied
    int uprightWidth = 0, uprightHeight = 0; // pixel shape applied, before the rotation
    int orientation = 1;                     // EXIF number of the turn that shows it
    int rotationDegrees() const;             // clockwise part of the orientation
};

DisplayShape displayShape(AVFormatContext& context, AVStream& stream);

// EXIF orientation for FFmpeg's 3x3 display matrix; odd angles go to the nearest quarter turn.
int orientationOf(const std::int32_t* matrix);

// By pixel format, or by the tag that WebM uses.
bool hasAlpha(const AVStream& stream);

} // namespace loquor::media
