#include "core/stages/reference_stage.h"

#include <algorithm>
#include <cmath>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/media/face_framing.h"
#include "core/pipeline/face_choice.h"
#include "core/platform/hash.h"
#include "core/portrait/portrait_builder.h"
#include "core/stages/face_measures.h"
#include "core/stages/reference_picture.h"

namespace loquor::stages {

using pipeline::Framing;
using portrait::CanvasCut;
using portrait::Landmarks;

namespace {

constexpr int kCacheFormat = 6; // counts up when this file makes something else of the same input

// Framing::Fit
CanvasCut wholePhoto(int photoWidth, int photoHeight, int width, int height)
{
    const media::PhotoCut cut = media::cutWhole(photoWidth, photoHeight, width, height);
    return {cut.scale, cut.x0, cut.y0, cut.width, cut.height, cut.invented, {}};
}

Landmarks onCanvas(const Landmarks& onPhoto, const CanvasCut& cut)
{
    Landmarks out = onPhoto;
    for (portrait::Point3& p : out) {
        p.x = static_cast<float>((p.x - cut.x0) * cut.scale);
        p.y = static_cast<float>((p.y - cut.y0) * cut.scale);
        p.z = static_cast<float>(p.z * cut.scale);
    }
    return out;
}

Result<int> choose(const ReferencePicture& picture, int wanted, std::vector<std::string>& warnings)
{
    std::vector<pipeline::FaceInfo> faces;
    for (const Landmarks& landmarks : picture.faces) {
        faces.push_back(describeFace(landmarks, picture.image.width, picture.image.height,
                                     picture.filePixelsPerPixel()));
        faces.back().index = static_cast<int>(faces.size());
    }
    LQ_TRY(const int chosen, pipeline::chooseFace(faces, wanted));
    const pipeline::FaceInfo& face = faces[static_cast<std::size_t>(chosen)];
    if (std::string problem = pipeline::faceProblem(face); !problem.empty())
        return fail(ErrorCode::NoFace, std::move(problem));
    if (faces.size() > 1 && wanted == 0)
        warnings.push_back("The picture shows " + std::to_string(faces.size()) +
                           " faces; the biggest one is used.");
    for (std::string& warning : pipeline::faceWarnings(face))
        warnings.push_back(std::move(warning));
    return chosen;
}

} // namespace

ReferenceStage::ReferenceStage(std::shared_ptr<FaceAnalysis> analysis, ReferenceCache cache,
                               std::string stamp)
    : m_analysis(std::move(analysis)), m_cache(std::move(cache)), m_stamp(std::move(stamp))
{
}

Result<std::string> ReferenceStage::cacheKey(const ReferenceRequest& request,
                                             const CancelToken& cancel) const
{
    LQ_TRY(const std::string file, platform::sha256File(request.file, cancel));
    const pipeline::RenderSettings& settings = request.settings;
    return platform::sha256(file + '|' + m_stamp + '|' + std::to_string(kCacheFormat) + '|' +
                            std::to_string(settings.width) + 'x' + std::to_string(settings.height) +
                            '|' + (settings.framing == Framing::Fit ? "fit" : "fill") + '|' +
                            std::to_string(settings.faceIndex));
}

Result<CachedReference> ReferenceStage::build(const ReferenceRequest& request, const CancelToken& cancel)
{
    LQ_TRY(ReferencePicture picture, readReference(request.file, *m_analysis, cancel));
    CachedReference out;
    out.warnings = std::move(picture.warnings);
    LQ_TRY(const int face, choose(picture, request.settings.faceIndex, out.warnings));
    const Landmarks& onPhoto = picture.faces[static_cast<std::size_t>(face)];
    const Image& photo = picture.image;
    const CanvasCut cut =
        request.settings.framing == Framing::Fit
            ? wholePhoto(photo.width, photo.height, request.settings.width, request.settings.height)
            : portrait::planCanvas(onPhoto, photo.width, photo.height, request.settings.width,
                                   request.settings.height);
    portrait::FaceObservation observation;
    observation.scale = cut.scale;
    observation.notes = cut.notes;
    observation.canvas = portrait::cutCanvas(photo, cut);
    if (cut.invented > 0) {
        LQ_TRY(const Image person, m_analysis->segment(observation.canvas));
        portrait::continueCanvas(observation.canvas, cut, photo.width, photo.height, person,
                                 cut.scale * static_cast<double>(measureFace(onPhoto).eyeDistance));
    }
    picture.image = {};
    if (cancel.isCancelled())
        return cancelled();
    LQ_TRY(observation.landmarks, m_analysis->refine(observation.canvas, onCanvas(onPhoto, cut)));
    LQ_TRY(observation.personMask, m_analysis->segment(observation.canvas));
    if (cancel.isCancelled())
        return cancelled();
    LQ_TRY(out.model, portrait::buildPortrait(observation, cancel));
    out.warnings.insert(out.warnings.end(), out.model->notes.begin(), out.model->notes.end());
    return out;
}

Result<void> ReferenceStage::run(const pipeline::ChunkSpec&, ReferenceRequest in,
                                 const pipeline::Emit<ReferenceContext>& emit, const CancelToken& cancel)
{
    LQ_TRY(const std::string key, cacheKey(in, cancel));
    ReferenceContext context;
    std::optional<CachedReference> reference = m_cache.find(key);
    context.fromCache = reference.has_value();
    if (!reference) {
        LQ_TRY(reference, build(in, cancel));
        m_cache.store(key, *reference);
    }
    context.model = std::move(reference->model);
    context.warnings = std::move(reference->warnings);
    context.offsetX = (in.settings.width - context.model->width) / 2;
    context.offsetY = (in.settings.height - context.model->height) / 2;
    return emit(std::move(context)) ? Result<void>{} : cancelled();
}

} // namespace loquor::stages
