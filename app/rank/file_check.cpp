#include "app/rank/file_check.h"

#include <cmath>
#include <string>

#include "core/media/image_ops.h"
#include "core/pipeline/face_choice.h"
#include "core/pipeline/stage.h"
#include "core/portrait/portrait_builder.h"
#include "core/stages/face_measures.h"
#include "core/stages/reference_picture.h"

namespace loquor::rank {

namespace {

constexpr int kLongestSide = 1280; // of the picture that is shown
constexpr double kMuchInvented = .03; // share of a wide picture

void judge(pipeline::CheckReport& report)
{
    // Several faces can be chosen from; none cannot.
    if (auto chosen = pipeline::chooseFace(report.faces, 0);
        !chosen && chosen.error().code() != ErrorCode::SeveralFaces)
        report.problems.push_back(chosen.error().message());
    bool anyUsable = false;
    for (const pipeline::FaceInfo& face : report.faces)
        anyUsable = anyUsable || pipeline::faceProblem(face).empty();
    if (!report.faces.empty() && !anyUsable)
        report.problems.push_back(pipeline::faceProblem(report.faces[0]));
    if (report.faces.size() == 1) {
        for (std::string& warning : pipeline::faceWarnings(report.faces[0]))
            report.warnings.push_back(std::move(warning));
        if (report.faces[0].mouthOpen)
            report.warnings.push_back("The photo shows an open mouth or a smile: a photo with closed lips "
                                      "gives better lip movement.");
    }
    report.usable = report.problems.empty();
}

// Tight and tall photos: what a wide picture would show beside them.
void judgeFraming(const portrait::Landmarks& face, const Image& photo, pipeline::CheckReport& report)
{
    const portrait::CanvasCut cut = portrait::planCanvas(face, photo.width, photo.height, 1280, 720);
    if (cut.invented > kMuchInvented)
        report.warnings.push_back("In a wide picture (16:9) about " +
                                  std::to_string(std::lround(100 * cut.invented)) +
                                  " % is a blurred continuation of this photo; a square or portrait format "
                                  "shows more of the photo itself.");
}

void judgeBackground(const portrait::Landmarks& face, const Image& photo, pipeline::CheckReport& report)
{
    if (portrait::backgroundUnrest(photo, face) >= portrait::kBusyBackground)
        report.warnings.emplace_back("The background is busy: what a moving head uncovers of it is a guess that "
                                     "can show. A calm background, another one (background: a colour, a picture, "
                                     "blur), or less head movement hides it.");
}

} // namespace

comm::FileChecked checkPicture(const comm::CheckFile& request, ReferenceDesk& desk, const CancelToken& cancel)
{
    comm::FileChecked out;
    out.id = request.id;
    out.report.file = request.file;
    out.report.kind = "unknown";
    auto picture = pipeline::guarded("check", [&] {
        return desk.withAnalysis(
            [&](stages::FaceAnalysis& analysis) { return stages::readReference(request.file, analysis, cancel); },
            cancel);
    });
    if (!picture) {
        out.report.problems.push_back(picture.error().text());
        return out;
    }
    out.report.kind = picture->kind;
    out.report.details = picture->details;
    out.report.width = picture->fileWidth;
    out.report.height = picture->fileHeight;
    out.report.durationSeconds = picture->seconds;
    out.report.bestFrame = picture->frame;
    out.report.bestFrameSeconds = picture->frameSeconds;
    out.report.warnings = std::move(picture->warnings);
    for (const portrait::Landmarks& face : picture->faces) {
        out.report.faces.push_back(stages::describeFace(face, picture->image.width, picture->image.height,
                                                        picture->filePixelsPerPixel()));
        out.report.faces.back().index = static_cast<int>(out.report.faces.size());
    }
    judge(out.report);
    if (picture->faces.size() == 1) {
        judgeFraming(picture->faces[0], picture->image, out.report);
        judgeBackground(picture->faces[0], picture->image, out.report);
    }
    const media::Size size =
        media::fittingSize(picture->image.width, picture->image.height, kLongestSide, kLongestSide);
    out.picture = media::scaledDown(picture->image, size.width, size.height);
    return out;
}

} // namespace loquor::rank
