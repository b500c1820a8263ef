#include "core/stages/reference_picture.h"

#include "core/media/image_loader.h"
#include "core/platform/paths.h"

namespace loquor::stages {

Result<ReferencePicture> readReference(const std::filesystem::path& file, FaceAnalysis& analysis,
                                       const CancelToken& cancel)
{
    LQ_TRY(media::LoadedImage loaded, media::loadImage(file));
    ReferencePicture out;
    out.kind = "image";
    out.details = loaded.info.describe();
    out.fileWidth = loaded.info.width;
    out.fileHeight = loaded.info.height;
    out.warnings = std::move(loaded.info.warnings);
    out.image = std::move(loaded.image);
    LQ_TRY(out.faces, analysis.findFaces(out.image, cancel));
    return out;
}

} // namespace loquor::stages
