#include "app/cli/file_reports.h"

#include <map>

#include "app/cli/job_follower.h"
#include "core/media/image_loader.h"
#include "core/media/probe.h"
#include "core/pipeline/face_choice.h"
#include "core/platform/paths.h"
#include "core/session/file_names.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

// What the engine cannot say with an exit code of its own: missing, damaged, of the wrong kind.
Result<void> checkPicture(const fs::path& file)
{
    LQ_CHECKED(session::refuseText(file, "a photo or clip"));
    media::ImageOptions options;
    options.maxPixels = 1'000'000; // a look is enough
    const auto image = media::loadImage(file, options);
    if (image)
        return {};
    if (image.error().code() != ErrorCode::Unsupported)
        return fail(image.error());
    const auto clip = media::probeMedia(file, media::ProbeDepth::Headers);
    if (clip && clip->video)
        return {};
    return fail(clip ? Error(ErrorCode::Unsupported,
                             platform::quotedPath(file) + " shows nobody: it has sound, but no picture. Give a photo or a clip.")
                     : image.error());
}

} // namespace

Result<std::vector<CheckedFile>> checkFiles(const std::vector<fs::path>& files, Interrupts& interrupts)
{
    LQ_TRY(const std::unique_ptr<session::Session> session, openSession());
    std::vector<session::CommandId> order;
    for (const fs::path& file : files)
        order.push_back(session->check(fs::absolute(file)));
    std::map<session::CommandId, CheckedFile> reports;
    bool interrupted = false;
    SessionLoop loop(*session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (event.check)
                reports[event.command] = {std::move(*event.check), std::move(event.error)};
            return reports.size() < order.size();
        },
        [] {},
        [&] {
            interrupted = true;
            return false;
        },
    });
    if (interrupted)
        return cancelled();
    std::vector<CheckedFile> out;
    for (std::size_t i = 0; i < order.size(); ++i) {
        out.push_back(std::move(reports[order[i]]));
        out.back().report.file = files[i];
    }
    return out;
}

Result<std::vector<std::string>> checkPerson(const fs::path& file, int face, Interrupts& interrupts)
{
    LQ_CHECKED(checkPicture(file));
    LQ_TRY(const std::vector<CheckedFile> checked, checkFiles({file}, interrupts));
    if (checked.front().fault)
        return fail(*checked.front().fault);
    const session::CheckReport& report = checked.front().report;
    if (report.faces.empty() && !report.problems.empty())
        return fail(report.kind == "image" || report.kind == "video" ? ErrorCode::NoFace : ErrorCode::Unsupported,
                    report.problems.front());
    LQ_TRY(const int chosen, pipeline::chooseFace(report.faces, face));
    const session::FaceInfo& person = report.faces[static_cast<std::size_t>(chosen)];
    if (std::string problem = pipeline::faceProblem(person); !problem.empty())
        return fail(ErrorCode::NoFace, std::move(problem));
    return report.faces.size() == 1 ? report.warnings : pipeline::faceWarnings(person);
}

} // namespace loquor::cli
