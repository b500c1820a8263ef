#include "app/cli/file_reports.h"

#include <map>

#include "app/cli/job_follower.h"
#include "core/media/image_loader.h"
#include "core/media/probe.h"
#include "core/pipeline/face_choice.h"
#include "core/platform/paths.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

// What the engine cannot say with an exit code of its own: missing, damaged, of the wrong kind.
Result<void> checkPicture(const fs::path& file)
{
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

Result<std::vector<session::CheckReport>> checkFiles(const std::vector<fs::path>& files, Interrupts& interrupts)
{
    LQ_TRY(const std::unique_ptr<session::Session> session, openSession());
    std::vector<session::CommandId> order;
    for (const fs::path& file : files)
        order.push_back(session->check(fs::absolute(file)));
    std::map<session::CommandId, session::CheckReport> reports;
    bool interrupted = false;
    SessionLoop loop(*session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (event.check)
                reports[event.command] = std::move(*event.check);
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
    std::vector<session::CheckReport> out;
    for (std::size_t i = 0; i < order.size(); ++i) {
        out.push_back(std::move(reports[order[i]]));
        out.back().file = files[i];
    }
    return out;
}

Result<std::vector<std::string>> checkPerson(const fs::path& file, int face, Interrupts& interrupts)
{
    LQ_CHECKED(checkPicture(file));
    LQ_TRY(const std::vector<session::CheckReport> reports, checkFiles({file}, interrupts));
    const session::CheckReport& report = reports.front();
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
