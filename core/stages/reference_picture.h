// The picture a reference file gives: a photo as it is, or the frame of a clip that suits best.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/image.h"
#include "core/portrait/face_observation.h"
#include "core/stages/face_analysis.h"

namespace loquor::stages {

struct ReferencePicture
{
    Image image;                            // RGB, upright
    std::string kind;                       // "image" or "video"
    std::string details;                    // "JPEG, CMYK, EXIF orientation 6"
    int fileWidth = 0, fileHeight = 0;      // as displayed, before any scaling down
    double seconds = 0;                     // of a clip
    int frame = -1;                         // of a clip: the one chosen, -1 = photo
    double frameSeconds = 0;
    std::vector<portrait::Landmarks> faces; // biggest first, pixels of `image`
    std::vector<std::string> warnings;
    double filePixelsPerPixel() const
    {
        return image.width > 0 ? static_cast<double>(fileWidth) / image.width : 1.0;
    }
};

// Reads the file and finds its faces. Errors name the file and the cause.
Result<ReferencePicture> readReference(const std::filesystem::path& file, FaceAnalysis& analysis,
                                       const CancelToken& cancel);

} // namespace loquor::stages
