// check: what files are, and whether they will work.
#include <cmath>
#include <cstdio>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "app/cli/file_reports.h"
#include "core/pipeline/face_choice.h"
#include "core/platform/paths.h"
#include "core/session/report_json.h"

namespace loquor::cli {

namespace {

struct Options
{
    std::vector<std::string> files;
    bool json = false;
};

void print(const session::CheckReport& report)
{
    std::printf("%s: %s\n", platform::quotedPath(report.file).c_str(), report.usable ? "usable" : "NOT usable");
    std::printf("  kind: %s%s%s\n", report.kind.c_str(), report.details.empty() ? "" : ", ", report.details.c_str());
    if (report.width > 0)
        std::printf("  size: %d x %d\n", report.width, report.height);
    if (report.durationSeconds > 0)
        std::printf("  duration: %.2f s\n", report.durationSeconds);
    if (report.bestFrame >= 0)
        std::printf("  best frame: %d (at %.2f s)\n", report.bestFrame, report.bestFrameSeconds);
    const std::vector<std::string> places = pipeline::facePlaces(report.faces);
    for (std::size_t i = 0; i < report.faces.size(); ++i) {
        const session::FaceInfo& face = report.faces[i];
        std::printf("  face %d, %s: %.0f px between the outer eye corners, turned %.0f, tilted %.0f degrees, %s\n",
                    face.index, places[i].c_str(), static_cast<double>(face.eyeDistancePx),
                    static_cast<double>(face.yawDegrees), static_cast<double>(face.rollDegrees),
                    face.mouthOpen ? "mouth open" : "mouth closed");
    }
    for (const std::string& problem : report.problems)
        std::printf("  problem: %s\n", problem.c_str());
    for (const std::string& warning : report.warnings)
        std::printf("  note: %s\n", warning.c_str());
}

// The engine's fault is told once, apart from the files; those it could not look at are named.
int checkedByNobody(const std::vector<CheckedFile>& files)
{
    const Error* fault = nullptr;
    std::string names;
    for (const CheckedFile& file : files) {
        if (!file.fault)
            continue;
        fault = &*file.fault;
        names += (names.empty() ? "" : ", ") + platform::quotedPath(file.report.file);
    }
    if (!fault)
        return kSuccess;
    std::fprintf(stderr, "loquor-cli: not checked: %s. %s\n", names.c_str(), fault->text().c_str());
    return exitCodeFor(*fault);
}

int check(const Options& options, Interrupts& interrupts)
{
    auto files = checkFiles({options.files.begin(), options.files.end()}, interrupts);
    if (!files)
        return files.error().isCancelled() ? kInterrupted : complain(files.error());
    bool allUsable = true;
    std::string json;
    for (CheckedFile& file : *files) {
        session::CheckReport& report = file.report;
        if (report.faces.size() > 1) {
            if (const auto chosen = pipeline::chooseFace(report.faces, 0); !chosen)
                report.warnings.push_back(chosen.error().message()); // with the option that chooses
        }
        allUsable = allUsable && (file.fault || report.usable);
        if (options.json)
            json += (json.empty() ? "[\n" : ",\n") + session::toJson(report);
        else if (!file.fault)
            print(report);
    }
    if (options.json)
        std::printf("%s]\n", json.c_str());
    const int fault = checkedByNobody(*files);
    return fault != kSuccess ? fault : allUsable ? kSuccess
                                                 : kNotUsable;
}

} // namespace

void addCheck(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("check", "Say what files are and whether they will work");
    app->add_option("files", options->files, "Photos, clips, recordings, texts")->required();
    app->add_flag("--json", options->json, "Machine-readable");
    app->callback([line, options] { line.action = [line, options] { return check(*options, line.interrupts); }; });
}

} // namespace loquor::cli
